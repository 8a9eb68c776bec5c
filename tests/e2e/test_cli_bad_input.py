"""Inputs that are no sessions: the exit code and one sentence, never a traceback."""

import gzip
import json
from pathlib import Path

import pytest

from cli_runs import chat, pi_worked, saved, secateur, worked

NO_SESSIONS = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "binary": (b"\x00\x01\x02\x03" * 99, "binary"),
    "gzip of nothing": (gzip.compress(b""), "is empty"),
    "gzip cut short": (gzip.compress(pi_worked())[:-100], "gzip"),
    "JSON cut short": (chat(*worked("a", "b", "c", "d"))[:-20], "the JSON is truncated"),
    "prose": (b"Dear reader, this is no session.\n", "no known format"),
    "another JSON": (b'{"name": "package", "version": "1.0.0"}', "no known format"),
    "a list of numbers": (b"[1, 2, 3]", "no known format"),
    "a number": (b"42", "no known format"),
    "invalid UTF-8": (b'{"messages": [{"role": "user", "content": "\xff\xfe\xfa"}]}', ""),
    "nested too deeply": (b"[" * 200_000, ""),
}

BROKEN = {
    "JSON with a hole": (b'{"messages": [{"role": "user", , "content": "hi"}]}', "line 1, column 32"),
    "JSON cut inside a character": (b'{"messages": [{"role": "user", "content": "\xe2\x82', "fetch the whole file"),
    "Latin-1": ('{"messages": [{"role": "utilisé"}]}'.encode("latin-1"), "convert it to UTF-8"),
    "a NUL first": (b"\0" + chat(*worked("a", "b", "c", "d")), "convert it to UTF-8"),
    "an empty array": (b"[]", "--format"),
    "a number without end": (b'{"messages": [{"role": "user", "content": ' + b"1" * 5_000 + b"}]}", "digits"),
}


@pytest.mark.parametrize("command", ["prune", "inspect", "diff"])
@pytest.mark.parametrize("case", NO_SESSIONS)
def test_what_is_no_session_is_exit_3_and_one_sentence(tmp_path: Path, command: str, case: str) -> None:
    refused(tmp_path, command, *NO_SESSIONS[case])


@pytest.mark.parametrize("command", ["check", "repair"])
@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_told_with_place_and_remedy(tmp_path: Path, command: str, case: str) -> None:
    refused(tmp_path, command, *BROKEN[case])


def refused(tmp_path: Path, command: str, data: bytes, says: str) -> None:
    path = saved(tmp_path, data, "input")
    done = secateur(command, path)
    assert (done.code, done.out) == (3, b"")
    assert done.err.startswith("secateur: ")
    assert done.err.count("\n") == 1
    assert says in done.err
    assert str(path) in done.err


@pytest.mark.parametrize("command", ["prune", "inspect", "diff", "doctor", "check", "repair"])
def test_a_missing_file_and_a_directory(tmp_path: Path, command: str) -> None:
    missing = secateur(command, tmp_path / "none")
    assert (missing.code, missing.err) == (3, f"secateur: there is no file {tmp_path}/none: check the path\n")
    folder = secateur(command, tmp_path)
    assert (folder.code, folder.err) == (3, f"secateur: {tmp_path} is a directory: give one session file in it\n")


def test_a_document_that_is_not_the_format_it_is_said_to_be(tmp_path: Path) -> None:
    path = saved(tmp_path, b'{"contents": []}', "request.json")
    done = secateur("prune", path, "--format", "openai_chat")
    assert done.code == 3
    assert done.err.count("\n") == 1


def test_one_result_of_10_mb_on_one_line(tmp_path: Path) -> None:
    path = saved(tmp_path, chat(*worked("x" * 10_000_000, "b", "c", "d")), "request.json")
    done = secateur("prune", path, "--policy", "opencode", "--json", "-o", tmp_path / "out.json")
    assert done.code == 0
    assert [edit["call_id"] for edit in done.json["edits"]] == ["c1", "c2", "c3"]
    assert done.json["output"]["bytes"] < 2_000
    assert secateur("inspect", path).code == 0
    assert secateur("diff", path, "--policy", "opencode").code == 0


def test_lone_surrogates_ids_of_1500_characters_and_controls_pass(tmp_path: Path) -> None:
    body = json.loads(chat(*worked("out \ud83d put", "\x1b[2Jscreen", "c", "d")))
    body["messages"][1]["tool_calls"][0]["id"] = body["messages"][2]["tool_call_id"] = "i" * 1500
    body["messages"][0]["content"] = "\x1b]0;title\x07 fix \ud83d"
    path = saved(tmp_path, json.dumps(body).encode(), "request.json")
    pruned = secateur("prune", path, "--policy", "opencode", "-o", tmp_path / "out.json")
    assert pruned.code == 0
    assert json.loads((tmp_path / "out.json").read_bytes())["messages"][0] == body["messages"][0]
    assert secateur("prune", path, "--policy", "opencode", "--json").json["edits"][0]["call_id"] == "i" * 1500
    for done in (pruned, secateur("inspect", path), secateur("diff", path, "--policy", "opencode")):
        assert done.code == 0
        assert "\x1b" not in done.text


def test_a_line_of_a_log_that_is_not_utf_8_is_left_alone(tmp_path: Path) -> None:
    lines = pi_worked().splitlines(keepends=True)
    lines.insert(2, b'{"type":"custom","text":"\xff\xfe"}\n')
    path = saved(tmp_path, b"".join(lines))
    done = secateur("prune", path, "--policy", "opencode")
    assert done.code == 0
    assert lines[2] in done.out
