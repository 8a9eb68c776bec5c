"""The default policy as a newcomer meets it: `secateur prune` without an option."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli_runs import chat, saved, secateur, worked
from native import Native, calls, pi_call, pi_result, pi_session, tool, user

SESSIONS = sorted(
    path for path in (Path(__file__).parents[2] / "sessions").iterdir() if path.suffix in (".json", ".jsonl")
)
WARM = ("--idle", 20)
WORDS = (
    "gate moss river stone lamp copper window thread salt anchor barley candle drum ember feather glass harbor iron"
    " jasmine kettle linen mortar needle orchard pepper quill rope saddle timber umber violet walnut yarn zinc"
)


def prose(number: int, lines: int = 60) -> str:
    """A text of its own, no line of which is like another."""
    words = WORDS.split()
    return "\n".join(
        " ".join(words[(line * (step + 3) + step * step + number * 7) % len(words)] for step in range(line % 5 + 6))
        for line in range(lines)
    )


def long(model: str = "claude-sonnet-4-5") -> bytes:
    """A session of Pi that wrote 30 files, the first 10 of them long, and ran a command after each."""
    messages: list[Native] = [user("write them all")]
    for number in range(30):
        written, printed = prose(number, 60 if number < 10 else 1), prose(number + 100)
        for call, answer in (
            (pi_call(f"w{number}", "write", path=f"f{number}.txt", content=written), pi_result(f"w{number}", "ok")),
            (pi_call(f"b{number}", "bash", command=f"check {number}"), pi_result(f"b{number}", printed)),
        ):
            messages += [call | {"model": model}, answer]
    return pi_session([*messages, user("thanks"), user("and now the docs")])


def counted(report: Any, kind: str) -> int:
    return sum(edit["strategy"] == kind for edit in report["edits"])


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_without_a_policy_a_recorded_session_is_pruned_by_balance(tmp_path: Path, path: Path) -> None:
    out, same = tmp_path / "out", tmp_path / "same"
    report = secateur("prune", path, "--json", "-o", out).json
    secateur("prune", path, "--policy", "balance", "-o", same)
    assert report["policy"] == "balance"
    assert out.read_bytes() == same.read_bytes()
    assert report["output"]["tokens"] < report["input"]["tokens"] / 2
    assert report["cost"]["cache_cold_reason"]
    assert report["cost"]["dollars_now"] < 0 < report["cost"]["dollars_saved"]
    assert report["warnings"] == []
    again = secateur("prune", out, "--json", "-o", same).json
    assert (again["edits"], same.read_bytes() == out.read_bytes()) == ([], True), again["skipped_reason"]


def test_it_says_what_left_why_now_what_that_saves_and_how_to_get_it_back(tmp_path: Path) -> None:
    path, out = saved(tmp_path, long()), tmp_path / "out.jsonl"
    said = secateur("prune", path, "-o", out).text
    report = secateur("prune", path, "--json").json
    results, inputs = counted(report, "condense"), counted(report, "clear_inputs")
    assert (results, inputs) == (20, 10)  # the newest 20 results stay, short ones too
    assert f"Pruned {results} of 60 tool results and the arguments of {inputs} calls: " in said
    assert re.search(
        r"^Why: the last call was [\d,]+ days ago, and the prompt cache lives 5 min: editing costs nothing\.$",
        said,
        re.M,
    )
    assert "condense: an outline remains" in said
    assert re.search(r"^At the prices of \S+ the next request costs \$[\d.]+ less, each later", said, re.M)
    assert "To be able to read back what was removed, store it with --session NAME." in said
    kept = secateur("prune", path, "--session", "s", "--store", f"sqlite:///{tmp_path}/kept.db", "-o", out).text
    assert "secateur why s lists what was removed" in kept
    assert "--session NAME" not in kept


def test_a_warm_cache_is_left_alone_and_what_others_would_cost_is_told(tmp_path: Path) -> None:
    path = saved(tmp_path, long())
    said = secateur("prune", path, *WARM, "-o", tmp_path / "out.jsonl").text
    assert "Nothing was pruned: the prompt cache is warm: editing now would cost " in said
    (row,) = [line for line in said.splitlines() if "--policy pi-auto-compressor" in line]
    assert re.search(r"[+−]\$[\d.]+ +−\$[\d.]+$", row)
    assert (tmp_path / "out.jsonl").read_bytes() == long()


def test_a_warm_cache_that_is_broken_all_the_same_says_when_that_is_paid_back(tmp_path: Path) -> None:
    path, mine = (
        saved(tmp_path, long()),
        saved(tmp_path, b"extends='balance'\nschedule={type='every_request'}", "m.toml"),
    )
    said = secateur("prune", path, *WARM, "--policy", mine, "-o", tmp_path / "out.jsonl").text
    assert re.search(r"costs \$[\d.]+ more, since the prompt cache is rewritten; each later request", said)
    assert re.search(r" less: it pays back after [\d.]+\.$", said, re.M)


def test_a_session_with_nothing_to_prune_says_so_and_which_policy_would(tmp_path: Path) -> None:
    short = saved(tmp_path, chat(*worked(*(prose(number) for number in range(4)))), "short.json")
    said = secateur("prune", short, "-o", tmp_path / "out.json").text
    assert "Nothing was pruned: nothing that may be edited is left: what stands there is protected" in said
    assert "--policy opencode" in said
    tiny = saved(tmp_path, json.dumps([user("hi"), calls(("c", "bash")), tool("ok", "c")]).encode(), "tiny.json")
    assert "No other preset would remove anything here." in secateur("prune", tiny, "-o", short).text


def test_whose_prices_are_taken_is_told_once(tmp_path: Path) -> None:
    path = saved(tmp_path, long("homemade-1"))
    for idle in ((), WARM):
        said = secateur("prune", path, *idle, "-o", tmp_path / "out.jsonl").text
        assert said.count("homemade-1 unknown") == said.count("claude-sonnet-5-5") == 1
    short = saved(tmp_path, chat(user("hi"), model="homemade-1"), "short.json")
    assert " unknown" not in secateur("prune", short, "-o", tmp_path / "out.json").text.replace("idle unknown", "")
    named = secateur("prune", path, "--model", "claude-haiku-4-5", "-o", tmp_path / "out.jsonl").text
    assert "unknown" not in named


def test_the_default_is_the_same_at_every_door() -> None:
    assert [one["name"] for one in secateur("policies", "--json").json if one["default"]] == ["balance"]
    for command in ("prune", "compact", "diff", "doctor"):
        shown = " ".join(secateur(command, "--help").text.split())
        assert "[default: balance]" in shown, command
    settings = {one["name"]: (one["value"], one["source"]) for one in secateur("doctor", "--json").json["settings"]}
    assert settings["policy"] == ("balance", "preset balance, the default")
    assert settings["schedule.break_even_share"] == ("0.5", "default of break_even")
