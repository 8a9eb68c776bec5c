"""One fact in many wordings: deeds, outcomes, changes of values, states of files, and what the user wants."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.claims import TruthReason
from secateur.compaction.judge.clauses import read_outcome
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.figures.turns import Succession, read_turns
from secateur.compaction.judge.truth import find_contradiction
from secateur.compaction.judge.work.deeds import read_deeds
from secateur.model import Message


def run(name: str, command: str, said: str, *, fails: bool = False) -> tuple[Message, Message]:
    given = json.dumps({"command": command})
    return assistant((name, "bash", given)), result(("Exit code 1\n" if fails else "") + said, call=name)


def edit(name: str, path: str, old: str, new: str) -> tuple[Message, Message]:
    given = json.dumps({"file_path": path, "old_string": old, "new_string": new})
    return assistant((name, "edit", given)), result("The file has been updated.", call=name)


HISTORY: Evidence = collect_evidence(
    talk(
        user("The lamps flicker. Mend src/dimmer.py; never touch src/mains.py. No new packages."),
        assistant(("a", "read", json.dumps({"file_path": "src/mains.py"}))),
        result("VOLTS = 230\n", call="a"),
        *run("b", "pytest -q", "2 failed, 16 passed in 1.20s", fails=True),
        *edit("c", "src/dimmer.py", "STEP_MS = 120", "STEP_MS = 180"),
        *run("d", "git mv src/ramp.py src/curve.py", ""),
        *run("e", "pytest -q", "18 passed in 1.10s"),
        *run("f", "ruff check src", "src/dimmer.py:4:1: F401 unused\nFound 1 error.", fails=True),
        *run("g", "git commit -am Dim", "[dim 7ab01c2] Dim\n 2 files changed"),
        *run("h", "git push origin dim", " ! [remote rejected] dim -> dim (declined)", fails=True),
        assistant(text="Committed; the push was refused. Should the curve be linear or logarithmic?"),
        user("Logarithmic. And no, don't deploy it."),
        assistant(text="Then it is logarithmic."),
    ).messages
)


def find_reason(section: str, text: str) -> TruthReason | None:
    found = find_contradiction({section: (f"- {text}",)}, HISTORY)
    return found.reason if found else None


@pytest.mark.parametrize(
    "claim",
    [
        "The push is through.",
        "Pushed: yes, on origin.",
        "Push: done",
        "Der Push ist erfolgt.",
        "La branche est poussée.",
        "已经推送。",
        "プッシュ済み。",
        "The rollout has taken place.",
        "The merge into main is complete.",
    ],
)
def test_a_deed_that_was_not_done_is_not_told_as_done(claim: str) -> None:
    assert find_reason("accomplished", claim) == "not_run"


@pytest.mark.parametrize("claim", ["Still uncommitted.", "No commit has been made.", "The commit is still missing."])
def test_a_commit_that_was_made_is_not_denied(claim: str) -> None:
    assert find_reason("accomplished", claim) == "unfinished_work"


@pytest.mark.parametrize(
    "claim",
    [
        "The linter has no complaints.",
        "ruff: clean",
        "Final pytest run: red",
        "All tests are broken.",
        "15 of 18 tests pass.",
        "Les tests échouent encore.",
        "测试仍然失败。",
    ],
)
def test_the_last_run_decides_on_an_outcome(claim: str) -> None:
    assert find_reason("accomplished", claim) == "check"


@pytest.mark.parametrize(
    "claim",
    [
        "STEP_MS is 120 now (was 180).",
        "STEP_MS: 180 before and 120 since",
        "STEP_MS, vorher 180, jetzt 120",
        "STEP_MS 由 180 改为 120",
        "src/curve.py was renamed to src/ramp.py",
    ],
)
def test_a_change_is_not_turned_around(claim: str) -> None:
    assert find_reason("accomplished", claim) == "unsupported"


@pytest.mark.parametrize(
    ("section", "claim", "why"),
    [
        ("accomplished", "src/mains.py was adapted.", "unchanged_file"),
        ("decisions", "The user approved of deploying it.", "approval"),
        ("constraints", "New packages are permitted.", "inverted"),
    ],
)
def test_states_of_files_and_stances_of_the_user_are_compared(section: str, claim: str, why: TruthReason) -> None:
    assert find_reason(section, claim) == why


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("accomplished", "Committed as 7ab01c2; the attempt to push it failed."),
        ("accomplished", "Neither pushed nor deployed."),
        ("accomplished", "gepusht ist nichts"),
        ("discoveries", "At first two tests were red; since the edit all 18 pass."),
        ("discoveries", "途中で 2 件失敗したが、現在は 18 件すべて成功。"),
        ("discoveries", "ruff still has one finding."),
        ("accomplished", "STEP_MS went up, from 120 to 180."),
        ("files", "src/curve.py (was src/ramp.py)"),
        ("files", "src/mains.py: read, not edited"),
        ("constraints", "src/mains.py is taboo; packages are out of the question."),
        ("decisions", "Logarithmic rather than linear, says the user."),
        ("next", "Mend the finding, so that ruff passes."),
        ("next", "Once permitted, push the branch."),
    ],
)
def test_true_claims_stand_in_whatever_words(section: str, claim: str) -> None:
    assert find_reason(section, claim) is None


def test_clauses_are_read_into_deeds_outcomes_and_turns() -> None:
    assert [(one.kind, one.is_done) for one in read_deeds("Committed but not pushed.")] == [
        ("commit", True),
        ("push", False),
    ]
    assert read_outcome("without failures") is True
    assert read_outcome("the build did not pass") is False
    assert read_outcome("the build") is None
    assert read_turns("44, vorher 48") == (Succession("48", "44"),)
    assert read_turns("12 ms before, 9 ms after") == (Succession("12ms", "9ms"),)
