"""`secateur compact` and `secateur hook` as a person and a host run them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli_runs import saved, secateur
from long_sessions import body, long, said
from native import pi_call, pi_result, pi_session

CHAT = body(long(said("assistant", "It is fixed."), said("user", "Next: the docs."), rounds=60))
SMALL = ("--window", "20000", "--policy", "balance")


def session(rounds: int = 60) -> bytes:
    """A Pi session that is too long for a small window."""
    lines: list[Any] = [said("user", "Fix the login. Never push to main.")]
    for number in range(rounds):
        lines += [pi_call(f"c{number}", "bash"), pi_result(f"c{number}", f"{number} passed\n" * 200)]
    return pi_session([*lines, said("assistant", "ok"), said("user", "Next.")])


def test_a_body_becomes_a_shorter_body_and_the_report_goes_to_standard_error(tmp_path: Path) -> None:
    done = secateur("compact", saved(tmp_path, CHAT), *SMALL)
    assert done.code == 0, done.err
    assert "Summarized without a model" in done.err
    assert "No model was asked: --summarizer names one." in done.err
    assert "Never push to main." in done.err
    messages = json.loads(done.out)["messages"]
    assert messages[-1] == said("user", "Next: the docs.")
    assert len(messages) < 80


def test_the_report_as_json(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = secateur("compact", saved(tmp_path, CHAT), *SMALL, "--json", "-o", out)
    told = done.json
    assert told["method"] == "extract"
    assert told["continuation"] == {"branch": "unanswered", "text": ""}
    assert told["summary"].startswith("[secateur: summary")
    assert {edit["verb"] for edit in told["edits"]} >= {"replace"}
    assert told["compaction"]["attempts"][0]["reason"] == "no_summarizer"
    assert told["violations"] == []
    assert told["output"]["tokens"] < 20_000 < told["input"]["tokens"]


def test_a_dry_run_is_applied_with_exactly_the_previewed_bytes(tmp_path: Path) -> None:
    path, plan = saved(tmp_path, CHAT), tmp_path / "plan.json"
    seen = secateur("compact", path, *SMALL, "-o", tmp_path / "seen.json")
    assert seen.code == 0, seen.err
    dry = secateur("compact", path, *SMALL, "--dry-run", "--plan-out", plan)
    assert dry.code == 0, dry.err
    done = secateur("compact", path, *SMALL, "--apply", plan, "-o", tmp_path / "out.json")
    assert done.code == 0, done.err
    assert (tmp_path / "out.json").read_bytes() == (tmp_path / "seen.json").read_bytes()
    assert path.read_bytes() == CHAT


def test_a_session_file_only_grows_in_place_and_keeps_a_backup(tmp_path: Path) -> None:
    path = saved(tmp_path, session())
    done = secateur("compact", path, "--window", "20000", "--policy", "pi-auto-compressor", "--in-place")
    assert done.code == 4, done.err  # this preset cancels without a model (SEEDS 2.4)
    assert path.read_bytes() == session()
    done = secateur("compact", path, "--window", "20000", "--policy", "opencode", "--in-place")
    assert done.code == 0, done.err
    assert json.loads(path.read_bytes().splitlines()[len(session().splitlines())])["type"] in ("compaction", "custom")
    assert path.with_name(path.name + ".bak").read_bytes() == session()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--dry-run", "-o", "x"), "--dry-run writes no document"),
        (("--in-place", "-o", "x"), "both say where to write"),
        (("--summarizer", "nobody"), "unknown summarizer"),
        (("--summarizer", "https://example.com/v1#m", "--local-only"), "`local_only` forbids that"),
        (("--apply", "x", "--focus", "y"), "a plan unchanged"),
        (("--policy", "openclaw", "--in-place"), "never changes a recorded session"),
    ],
)
def test_what_contradicts_itself_is_exit_2(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    done = secateur("compact", saved(tmp_path, CHAT), *args)
    assert (done.code, said in done.err) == (2, True), done.err


def test_nothing_summed_up_is_a_finding_unless_it_was_not_due(tmp_path: Path) -> None:
    path = saved(tmp_path, body([said("user", "hi")]))
    assert secateur("compact", path, "--json").code == 1
    assert secateur("compact", path, "--json", "--if-needed").code == 0
    assert secateur("compact", path, "--json", "--policy", "observe").code == 1


def test_still_too_long_is_exit_4(tmp_path: Path) -> None:
    done = secateur("compact", saved(tmp_path, body([said("user", "look " * 9000)])), "--window", "2000", "--json")
    assert done.code == 4
    assert "the largest that remain are text" in done.err


def test_a_host_is_always_answered() -> None:
    for event in (b"", b"[]", b'{"type":"session_before_compact"}', json.dumps({"type": "context"}).encode()):
        done = secateur("hook", "pi", stdin=event)
        assert done.code == 0, done.err
        assert isinstance(done.json, dict)
    assert secateur("hook", "pi", stdin=b'{"type":"session_before_compact"}').json == {"cancel": True}


def test_a_host_is_answered_where_the_policy_cannot_be_read() -> None:
    messages = [{"role": "user", "content": "hi"}]
    for event, answer in (
        ({"type": "session_before_compact"}, {"cancel": True}),
        ({"type": "context", "messages": messages}, {"messages": messages}),
    ):
        done = secateur("hook", "pi", "--policy", "gone.toml", stdin=json.dumps(event).encode())
        assert (done.code, done.json) == (0, answer)
        assert "nothing was done: " in done.err
        assert "gone.toml" in done.err


def test_each_line_of_the_summary_says_where_it_comes_from(tmp_path: Path) -> None:
    path = saved(tmp_path, session())
    page = tmp_path / "why.html"
    done = secateur("compact", path, "--window", 9000, "--dry-run", "--explain", "--explain-html", page)
    assert done.code == 0, done.err
    assert re.search(r"← message \d+: the user", done.text)
    assert page.read_text().startswith("<!doctype html>")
    assert '<meta name="viewport" content="width=device-width' in page.read_text()  # legible on a phone
    report = json.loads(secateur("compact", path, "--window", 9000, "--dry-run", "--explain", "--json").out)
    assert {one["source"] for one in report["explanation"]} >= {"user", "agent"}
    assert json.loads(secateur("compact", path, "--window", 9000, "--dry-run", "--json").out)["explanation"] is None


def test_a_session_without_a_place_for_a_summary_becomes_a_request_body(tmp_path: Path) -> None:
    turns = [
        {"type": "user" if n % 2 == 0 else "gemini", "id": str(n), "content": f"Step {n}. " + "word " * 400}
        for n in range(60)
    ]
    path = saved(tmp_path, json.dumps({"sessionId": "s", "messages": turns}).encode())
    refused = secateur("compact", path, "--format", "gemini_cli", "--window", 9000, "--dry-run")
    assert refused.code in (1, 4)
    assert "--to openai_chat" in refused.text
    out = tmp_path / "body.json"
    done = secateur("compact", path, "--format", "gemini_cli", "--window", 9000, "--to", "openai_chat", "-o", out)
    assert done.code == 0, done.err
    messages = json.loads(out.read_bytes())["messages"]
    assert "[secateur: summary" in json.dumps(messages)
    assert messages[-1]["content"].startswith("Step 59")
    assert secateur("compact", path, "--to", "openai_chat", "--in-place").code == 2
