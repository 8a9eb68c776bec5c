"""New results: whole, unless less says the same; what characters are lost of can be read back."""

import json
from typing import Any

import pytest

from conversation import assistant, part, result, talk, user
from secateur.budget import Budget
from secateur.lineage import handle_of
from secateur.model import Rewrite, Transcript
from secateur.protect import Protection
from secateur.strategies import ReduceOutput
from secateur.text.lossless import (
    clean,
    decode_tables,
    expand_hits,
    expand_repeats,
    expand_templates,
    strip_note,
)

LOG = "\n".join(f"2026-03-04T10:00:{n % 60:02}Z INFO compiled src/rose_{n}.ts in {n} ms" for n in range(400))
PASSED = "\n".join(f"tests/test_beds.py::test_rose_{n} PASSED [{n // 4}%]" for n in range(400))
FAILED = "E   AssertionError: 2 != 3\n1 failed, 400 passed"
ROWS = json.dumps(
    [{"id": n, "name": f"rose {n}", "state": "open", "bed": {"row": n % 7}} for n in range(200)], indent=2
)
EQUAL = "waiting for the gate to open, all day long\n" * 300
SOURCE = "\n".join(f"def prune_{n}(rose):\n    return rose.cut({n})" for n in range(300))


def asked(line: str, text: str, tool: str = "Bash", **given: Any) -> Transcript:
    call = json.dumps(given or {"command": line})
    return talk(user("why is the rose red?"), assistant(("c", tool, call)), result(text, tool, "c"))


def reduced(talked: Transcript, handles: bool = True, window: int = 200_000, **fields: Any) -> list[str]:
    budget = Budget(
        window=window,
        tokens_used=0,
        count=lambda text: len(text) // 4,
        protect=fields.pop("protect", Protection()),
        recall_handles=handles,
    )
    return [edit.text for edit in ReduceOutput(**fields)(talked, budget) if isinstance(edit, Rewrite)]


def test_a_log_keeps_every_value_whoever_prints_it() -> None:
    for line in ("./run.sh", "cat ci/build.log", "npm run build"):
        [text] = reduced(asked(line, LOG))
        assert expand_templates(text) == LOG
        assert "src/rose_77.ts" in text


BLAMED = "\n".join(
    f"{n % 9 + 0x9F3C1A00:08x} (Ada Lovelace 2026-03-0{n % 9 + 1} 10:{n % 60:02}:00 +0000 {n:3}) def rose_{n}(): ..."
    for n in range(400)
)
ANNOTATED = BLAMED.replace(" (Ada Lovelace ", "\t(Ada Lovelace\t").replace(" +0000 ", " +0000\t")
CHANGED = "diff --git a/run.log b/run.log\n--- a/run.log\n+++ b/run.log\n@@ -1,400 +1,400 @@\n" + "\n".join(
    f"{' +-'[n % 3]}{line}" for n, line in enumerate(LOG.split("\n"))
)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("git blame src/beds.py", BLAMED),
        ("git blame -c src/beds.py", ANNOTATED),
        ("git -C beds annotate src/beds.py | head -400", ANNOTATED),
        ("gh pr diff 7", CHANGED),
        ("git fetch && git diff origin/main -- run.log", CHANGED),
    ],
)
def test_source_and_diffs_are_no_logs_whatever_times_stand_in_them(line: str, text: str) -> None:
    assert reduced(asked(line, text)) == []


def test_hits_of_a_search_are_grouped_by_file_with_or_without_a_handle() -> None:
    hits = "\n".join(f"src/garden/bed_{n // 40}.py:{n}:    prune(rose_{n}, at={n * n})" for n in range(400))
    for line in ("grep -rn prune src", "rg -n prune", "git grep -n prune | head -400"):
        for handles in (True, False):
            [text] = reduced(asked(line, hits), handles=handles)
            assert expand_hits(text) == hits
            assert "@ src/garden/bed_3.py\n120:    prune(rose_120, at=14400)\n" in text
    assert reduced(asked("ruff check --output-format concise", hits)) == []


def test_equal_lines_are_counted() -> None:
    [text] = reduced(asked("./run.sh", EQUAL))
    assert text.startswith("waiting for the gate to open, all day long\n[secateur: lines 2-300 of 301 repeat line 1]")
    assert expand_repeats(text) == EQUAL


def test_rows_of_a_service_become_a_table_and_those_of_a_file_stay() -> None:
    [text] = reduced(asked("curl -s localhost/roses", ROWS))
    assert decode_tables(text.partition("\n")[2]) == json.loads(ROWS)
    assert "state=open\nid|name|bed.row\n0|rose 0|0\n" in text
    assert reduced(asked("cat roses.json", ROWS)) == []
    assert reduced(asked("jq . roses.json", ROWS)) == []
    assert reduced(asked("", ROWS, "Read", file_path="roses.json")) == []


def test_steps_that_went_well_go_and_everything_else_stays() -> None:
    [text] = reduced(asked("pytest -v 2>&1 | tail -500", f"{PASSED}\n{FAILED}\n"))
    assert text.startswith("tests/test_beds.py::test_rose_0 PASSED [0%]\n[secateur: lines 2-400 of 403 left out: ")
    assert text.endswith(f"]\n{FAILED}\n")


def test_what_was_asked_for_stays_whole() -> None:
    for line, text in (
        ("git diff", SOURCE),
        ("cat src/rose.py", SOURCE),
        ("cat notes.txt", EQUAL),
        ("pytest --collect-only -v", PASSED),
        ("pytest -v && cat notes.txt", PASSED),
        ("python - <<'EOF'\nprint(1)\nEOF", SOURCE),
        ("grep -rn INFO logs", LOG),
    ):
        assert reduced(asked(line, text)) == []


def test_without_a_handle_only_what_can_be_put_together_again_goes() -> None:
    assert reduced(asked("curl -s localhost/roses", ROWS), handles=False) == []
    assert reduced(asked("pytest -v", PASSED), handles=False) == []
    assert reduced(asked("./run.sh", SOURCE), handles=False, window=2_000) == []
    colored = EQUAL.replace("gate", "\x1b[1mgate\x1b[0m")
    [text] = reduced(asked("./run.sh", colored), handles=False)
    assert expand_repeats(text) == colored
    [text] = reduced(asked("./run.sh", colored))
    assert text.endswith("\n[secateur: as a terminal shows it; as it came: recall " + handle_of(colored) + "]")
    assert expand_repeats(strip_note(text)) == clean(colored) == EQUAL


def test_what_saves_little_stays() -> None:
    assert reduced(asked("./run.sh", EQUAL[: 43 * 90])) == []
    assert len(reduced(asked("./run.sh", EQUAL[: 43 * 90]), min_tokens_saved=100)) == 1


def test_one_result_that_fills_the_window_is_cut() -> None:
    for line in ("git diff", "cat src/rose.py"):
        [text] = reduced(asked(line, SOURCE), window=5_000)
        assert len(text) <= 5_000
        assert "left out, recall " in text
        assert reduced(asked(line, SOURCE), window=5_000, max_window_share=1.0) == []


def test_only_what_says_all_of_it_where_that_is_asked_for() -> None:
    assert reduced(asked("pytest -v", PASSED), lossless_only=True) == []
    assert reduced(asked("git diff", SOURCE), window=5_000, lossless_only=True) == []
    for line, text in (("./run.sh", EQUAL), ("./run.sh", LOG), ("curl -s localhost/roses", ROWS)):
        assert reduced(asked(line, text), lossless_only=True) == reduced(asked(line, text)) != []


def test_tools_pins_and_what_was_edited_are_spared() -> None:
    talked = asked("./run.sh", EQUAL)
    assert reduced(talked, protect=Protection(tools=("Bash",))) == []
    assert reduced(talked, protect=Protection(part_keys=(part(talked, 2).key,))) == []
    budget = Budget(
        window=0, tokens_used=0, count=len, protect=Protection(), edited_by={part(talked, 2).key: "reduce_output"}
    )
    assert list(ReduceOutput()(talked, budget)) == []


def test_a_result_reads_the_same_whatever_stands_around_it() -> None:
    alone = asked("./run.sh", LOG)
    later = talk(*alone.messages, assistant(text="I see."), user("go on"))
    assert reduced(alone) == reduced(later)


def test_a_result_that_holds_a_medium_is_never_replaced_by_a_text() -> None:
    """The medium would be gone, and the model has not seen it."""
    call = assistant(("c", "Bash", '{"command": "./run.sh"}'))
    [shorter] = reduced(talk(user("why?"), call, result(EQUAL, "Bash", "c")))
    assert len(shorter) < len(EQUAL)
    assert reduced(talk(user("why?"), call, result(EQUAL, "Bash", "c", image="a rose"))) == []
