"""`secateur prune` as a person runs it."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli_runs import LONG, chat, environment, own_shape, pi_worked, saved, secateur, secateur_in, worked

GONE = "<tool-output-compacted />"


def results(session: bytes) -> list[str]:
    """The texts of the results of a Pi session file, read without secateur."""
    messages = [json.loads(line).get("message", {}) for line in session.splitlines()]
    return [message["content"][0]["text"] for message in messages if message.get("role") == "toolResult"]


def test_the_document_goes_to_a_pipe_and_the_report_to_standard_error(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", "opencode")
    assert done.code == 0
    assert results(done.out) == [GONE, GONE, LONG, LONG]
    assert "Pruned 2 of 4 tool results: " in done.err
    assert path.read_bytes() == pi_worked()


def test_lines_without_an_edit_are_the_same_bytes(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    pruned = secateur("prune", path, "--policy", "opencode").out.splitlines(keepends=True)
    raw = pi_worked().splitlines(keepends=True)
    assert [number for number, line in enumerate(raw) if pruned[number] != line] == [3, 5]


def test_an_output_file_leaves_standard_output_to_the_report(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", "opencode", "-o", tmp_path / "out.jsonl")
    assert (done.code, done.err) == (0, "")
    assert results((tmp_path / "out.jsonl").read_bytes()) == [GONE, GONE, LONG, LONG]
    assert "Pruned 2 of 4 tool results: " in done.text
    assert f"Written to {tmp_path}/out.jsonl: " in done.text
    assert done.text.count("\x1b") == 0


def test_the_report_names_tools_and_turns(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    lines = secateur("prune", path, "--policy", "opencode", "-o", "/dev/null").text.splitlines()
    by_tool = lines[lines.index("Tokens removed, by tool") : lines.index("Tokens removed, by turn")]
    assert [line.split()[:2] for line in by_tool if line.split()[1:2] in (["1"], ["2"])] == [
        ["read", "1"],
        ["bash", "1"],
        ["all", "2"],
    ]
    (turn,) = [line for line in lines if line.startswith(" 1 fix the login ")]
    assert turn.split()[4] == "2"


def test_json_is_one_object_whose_figures_add_up_and_the_document_goes_only_to_o(tmp_path: Path) -> None:
    path, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    done = secateur("prune", path, "--policy", "opencode", "--json", "-o", out)
    assert (done.code, done.err) == (0, "")
    report = done.json
    assert report["schema"] == "secateur.report/1"
    assert [(e["verb"], e["strategy"], e["tool"], e["call_id"], e["message"], e["lines"]) for e in report["edits"]] == [
        ("rewrite", "hard_clear", "read", "c1", 2, [3]),
        ("rewrite", "hard_clear", "bash", "c2", 4, [5]),
    ]
    freed = sum(edit["tokens_before"] - edit["tokens_after"] for edit in report["edits"])
    assert report["input"]["tokens"] - report["output"]["tokens"] == freed > 0
    assert (report["input"]["bytes"], report["output"]["bytes"]) == (len(pi_worked()), out.stat().st_size)
    assert report["input"]["messages"] == report["output"]["messages"] == 11
    assert report["input"]["tool_results"] == report["output"]["tool_results"] == 4
    assert report["input"]["format"] == report["output"]["format"] == "pi"
    assert (report["policy"], report["model"], report["skipped_reason"]) == ("opencode", "claude-sonnet-4-5", None)
    assert report["window"]["value"] == 200_000
    assert [report[name] for name in ("summary", "continuation", "method")] == [None] * 3
    assert report["cost"]["model"] == "claude-sonnet-4-5"
    assert (
        report["cost"]["immediate"] < 0 < report["cost"]["saved_per_request"]
    )  # the session paused long ago: there is no cache to lose
    assert report["cost"]["break_even_requests"] == 0
    assert (report["violations"], report["counter"], report["warnings"]) == ([], "estimate", [])
    assert all(edit["handle"] is None and edit["reason"] and edit["at_ms"] for edit in report["edits"])


def test_a_medium_goes_with_the_result_it_stands_in_and_is_accounted_for(tmp_path: Path) -> None:
    messages = _anthropic(LONG)
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    messages[2]["content"] = [
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": LONG}, image]}
    ]
    path = saved(tmp_path, json.dumps({"max_tokens": 1, "messages": messages}).encode(), "request.json")
    report = secateur("prune", path, "--policy", "opencode", "--json").json
    (edit,) = report["edits"]
    assert report["input"]["tokens"] - report["output"]["tokens"] == edit["tokens_before"] - edit["tokens_after"]


def test_a_dry_run_writes_nothing_and_leaves_standard_output_to_the_report(tmp_path: Path) -> None:
    path, plan = saved(tmp_path, pi_worked()), tmp_path / "plan.json"
    done = secateur("prune", path, "--policy", "opencode", "--dry-run", "--plan-out", plan)
    assert (done.code, done.err, path.read_bytes()) == (0, "", pi_worked())
    assert "Pruned 2 of 4 tool results: " in done.text
    assert "Nothing was written: -o FILE writes the result" in done.text
    carried = secateur("prune", path, "--policy", "opencode", "--apply", plan)
    assert results(carried.out) == [GONE, GONE, LONG, LONG]


def test_json_alone_is_a_dry_run(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", "opencode", "--json")
    assert done.json["output"]["path"] is None
    assert done.json["output"]["tokens"] < done.json["input"]["tokens"]
    assert os.listdir(tmp_path) == ["session.jsonl"]


def test_a_closed_gate_says_why_and_what_would_open_it(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", "kilocode")
    assert done.code == 0
    assert done.out == pi_worked()
    assert "Nothing was pruned: " in done.err
    assert "--policy opencode" in done.err
    assert secateur("prune", path, "--policy", "kilocode", "--json").json["skipped_reason"]


def test_an_idle_time_opens_the_gate_of_openclaw(tmp_path: Path) -> None:
    body = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": _anthropic(LONG * 20)}).encode()
    path = saved(tmp_path, body, "request.json")
    shut = secateur("prune", path, "--policy", "openclaw", "--json", "--window", 20_000).json
    assert shut["edits"] == []
    assert shut["idle_s"] is None
    soon = secateur("prune", path, "--policy", "openclaw", "--json", "--idle", 299).json
    assert soon["edits"] == []
    late = secateur("prune", path, "--policy", "openclaw", "--json", "--idle", 301, "--window", 200_000).json
    assert late["idle_s"] == 301
    assert [edit["strategy"] for edit in late["edits"]] == ["soft_trim"]


def _anthropic(text: str) -> list[dict[str, object]]:
    call = {"type": "tool_use", "id": "t", "name": "bash", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": text}
    tail = [{"role": role, "content": "more"} for _ in range(3) for role in ("assistant", "user")]
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [answer]},
        *tail,
    ]


def test_in_place_keeps_a_backup_and_never_writes_over_one(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    saved(tmp_path, b"mine", "session.jsonl.bak")
    done = secateur("prune", path, "--policy", "opencode", "--in-place")
    assert done.code == 0
    assert results(path.read_bytes()) == [GONE, GONE, LONG, LONG]
    assert (tmp_path / "session.jsonl.bak").read_bytes() == b"mine"
    assert (tmp_path / "session.jsonl.bak1").read_bytes() == pi_worked()
    assert "session.jsonl.bak1" in done.text
    again = secateur("prune", path, "--policy", "opencode", "--in-place")
    assert "is unchanged" in again.text
    assert len(os.listdir(tmp_path)) == 3


@pytest.mark.parametrize("policy", ["openclaw", "pi-auto-compressor"])
def test_policies_that_never_change_a_recorded_session_refuse(tmp_path: Path, policy: str) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", policy, "--in-place")
    assert (done.code, done.out) == (2, b"")
    assert f"policy {policy} never changes a recorded session" in done.err
    assert path.read_bytes() == pi_worked()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--in-place", "-o", "x"], "give one of them"),
        (["--dry-run", "-o", "x"], "--dry-run writes no document"),
        (["--dry-run", "--session", "s"], "--dry-run stores nothing"),
        (["--json", "-o", "-"], "--json uses standard output"),
        (["-o", "session.jsonl"], "session.jsonl is the input"),
        (["-o", "no/such/folder"], "create its folder"),
        (["-o", "."], "give the name of a file in it"),
        (["-o", ""], "'' cannot be written"),
        (["--policy", "no/such.toml"], "No such file or directory: check the path"),
        (["--policy", "opncode"], "opencode"),
        (["--format", "pie"], "did you mean pi"),
        (["--counter", "exact"], "estimate, o200k"),
        (["--window", "0"], "'0' is not a whole number from 1 up"),
        (["--window", "200k"], "write digits alone, as in 2000"),
        (["--idle", "-1"], "--idle"),
        (["--protct", "x"], "--protect"),
        (["one", "two"], "unexpected extra argument"),
        (["--apply", "session.jsonl"], "not a plan"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(tmp_path: Path, args: list[str], says: str) -> None:
    saved(tmp_path, pi_worked())
    done = secateur_in(tmp_path, environment(), "prune", "session.jsonl", *args)
    assert done.code == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["session.jsonl"]


def test_standard_input_is_read_and_has_no_place(tmp_path: Path) -> None:
    done = secateur("prune", "-", "--policy", "opencode", stdin=pi_worked())
    assert results(done.out) == [GONE, GONE, LONG, LONG]
    assert secateur("prune", "--policy", "opencode", stdin=pi_worked()).out == done.out
    assert secateur("prune", "-", "--in-place", stdin=pi_worked()).code == 2


def test_gzip_in_gzip_out(tmp_path: Path) -> None:
    stored = gzip.compress(pi_worked(), mtime=1)
    path = saved(tmp_path, stored, "session.jsonl.gz")
    pruned = secateur("prune", path, "--policy", "opencode")
    assert results(gzip.decompress(pruned.out)) == [GONE, GONE, LONG, LONG]
    assert secateur("prune", path, "--policy", "observe").out == stored
    secateur("prune", path, "--policy", "opencode", "-o", tmp_path / "plain.jsonl")
    assert (tmp_path / "plain.jsonl").read_bytes() == gzip.decompress(pruned.out)
    secateur("prune", path, "--policy", "opencode", "--in-place")
    assert path.read_bytes() == pruned.out
    assert (tmp_path / "session.jsonl.gz.bak").read_bytes() == stored


@pytest.mark.parametrize(("document", "policy"), [(pi_worked(), "hermes"), (own_shape(LONG, LONG), "opencode")])
def test_a_plan_carries_a_dry_run_over(tmp_path: Path, document: bytes, policy: str) -> None:
    path, plan = saved(tmp_path, document), tmp_path / "plan.json"
    settings = ("--policy", policy, "--window", 500)
    dry = secateur("prune", path, *settings, "--plan-out", plan, "--json")
    assert dry.json["edits"]
    done = secateur("prune", path, *settings, "--apply", plan, "--json", "-o", tmp_path / "out")
    assert done.json["edits"] == dry.json["edits"]
    assert done.json["output"]["tokens"] == dry.json["output"]["tokens"]
    again = secateur("prune", path, *settings, "--apply", plan, "--json", "-o", tmp_path / "again")
    assert (again.json["edits"], (tmp_path / "again").read_bytes()) == (
        dry.json["edits"],
        (tmp_path / "out").read_bytes(),
    )


def test_a_plan_does_nothing_more_and_nothing_to_another_session(tmp_path: Path) -> None:
    path, plan = saved(tmp_path, pi_worked()), tmp_path / "plan.json"
    secateur("prune", path, "--policy", "observe", "--plan-out", plan, "--json")
    assert secateur("prune", path, "--policy", "opencode", "--apply", plan).out == pi_worked()
    secateur("prune", path, "--policy", "opencode", "--plan-out", plan, "--json")
    other = saved(tmp_path, chat(*worked(LONG, LONG, LONG, LONG)), "other.json")
    done = secateur("prune", other, "--policy", "opencode", "--apply", plan)
    assert done.out == other.read_bytes()
    assert f"Nothing was pruned: no edit of the plan {plan} applies to this document." in done.err


def test_protected_tools_stay_whatever_their_case(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", "opencode", "--protect", "RE*", "--protect", "none")
    assert results(done.out) == [LONG, GONE, LONG, LONG]


def test_fixed_tokens_are_part_of_the_whole(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    plain = secateur("prune", path, "--json").json
    fixed = secateur("prune", path, "--json", "--fixed-tokens", 18_000).json
    assert fixed["input"]["tokens"] - plain["input"]["tokens"] == 18_000
    assert fixed["output"]["tokens"] - plain["output"]["tokens"] == 18_000


def test_still_too_long_is_exit_4_and_names_what_may_not_go(tmp_path: Path) -> None:
    path, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    done = secateur("prune", path, "--policy", "opencode", "--window", 1000, "-o", out)
    assert done.code == 4
    assert done.err.startswith("secateur: ")
    assert "the window is 1,000" in done.err
    assert "skill" in done.err
    assert results(out.read_bytes()) == [GONE, GONE, LONG, LONG]
    assert secateur("prune", path, "--policy", "opencode", "--window", 100_000, "-o", out).code == 0


def test_an_exact_count_is_named_in_the_report(tmp_path: Path) -> None:
    pytest.importorskip("toktok", reason="the exact counter needs secateur[tokens]")
    path = saved(tmp_path, chat(*worked("a b c", "d", "e", "f")), "request.json")
    exact = secateur("prune", path, "--counter", "o200k", "--json").json
    assert exact["counter"] == "o200k"
    assert exact["output"]["tokens"] == exact["input"]["tokens"]


def test_a_policy_file_is_a_policy(tmp_path: Path) -> None:
    policy = saved(tmp_path, b'extends = "opencode"\n[protect]\nlast_turns = 1\n', "mine.toml")
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", policy)
    assert results(done.out) == [GONE, GONE, LONG, GONE]
    wrong = saved(tmp_path, b"[protct]\nturns = 1\n", "wrong.toml")
    refused = secateur("prune", path, "--policy", wrong)
    assert refused.code == 2
    assert "protect" in refused.err


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path, unbuffered: str) -> None:
    path = saved(tmp_path, pi_worked() * 50)
    argv = [sys.executable, "-W", "error", "-m", "secateur", "prune", str(path), "--policy", "observe"]
    env = environment(PYTHONUNBUFFERED=unbuffered)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(timeout=60) == 141
    assert said == ""


def test_a_torn_last_line_is_a_warning_and_stays_as_it_is(tmp_path: Path) -> None:
    torn = pi_worked() + b'{"type":"message","id":"m11","parentId":"m10","mess'
    path = saved(tmp_path, torn)
    done = secateur("prune", path, "--policy", "opencode")
    assert done.code == 0
    assert "warning: " in done.err
    assert done.out.endswith(b'"mess')
    assert results(done.out.rpartition(b"\n")[0]) == [GONE, GONE, LONG, LONG]


def test_closed_streams_are_no_fault(tmp_path: Path) -> None:
    path, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    command = f'"{sys.executable}" -W error -m secateur prune "{path}" --policy opencode -o "{out}" >&- 2>&-'
    assert subprocess.run(["sh", "-c", command], env=environment(), check=False).returncode == 0
    assert results(out.read_bytes()) == [GONE, GONE, LONG, LONG]


def test_a_terminal_without_our_signs_gets_plain_ones(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("prune", path, "--policy", "opencode", "-o", "/dev/null", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert re.search(r"results: [\d,]+ -> [\d,]+ tokens, ", done.text)
    assert "?" not in done.text


def test_the_report_names_the_rules_that_a_broken_input_breaks_still(tmp_path: Path) -> None:
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "lost", "content": "x"}]}
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}, orphan]
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "system": "s", "messages": messages}))
    told = secateur("prune", str(path), "--json").json
    assert [(one["rule"], one["where"]) for one in told["violations"]] == [("A2", "messages.2.content.0")]
