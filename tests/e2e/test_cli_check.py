"""`secateur check`: exit codes, the table for people, the object for scripts."""

import json
from pathlib import Path

from cli_runs import LONG, chat, pi_worked, saved, secateur, worked
from native import blocks, calls, pi_call, pi_session, tool, user


def test_what_is_fine_says_so(tmp_path: Path) -> None:
    for data in (pi_worked(), chat(*worked(LONG, LONG, LONG, LONG)[:4], user("x"))):
        done = secateur("check", saved(tmp_path, data))
        assert (done.code, done.err) == (0, "")
        assert "0 violations" in done.text


def test_a_request_is_told_its_violations_with_place_and_remedy(tmp_path: Path) -> None:
    path = saved(tmp_path, chat(user("go"), calls(("a", "read")), user("stop"), tool("late", "zzz")), "request.json")
    done = secateur("check", path)
    assert done.code == 1
    assert "2 violations" in done.text
    assert "O2" in done.text
    assert "messages.1.tool_calls.0" in done.text
    assert max(len(line) for line in done.text.splitlines() if line.startswith(" ")) <= 80
    told = secateur("check", path, "--json")
    assert told.code == 1
    assert (told.json["schema"], told.json["family"], told.json["profile"]) == ("secateur.check/1", "openai_chat", None)
    assert [(one["rule"], one["path"], one["severity"]) for one in told.json["violations"]] == [
        ("O2", ["messages", 1, "tool_calls", 0], "error"),
        ("O1", ["messages", 3], "error"),
    ]


def test_a_list_of_messages_is_read_as_a_request_without_fields(tmp_path: Path) -> None:
    listed = json.dumps([user("go"), *blocks(("a", "ok", False)), *blocks(("a", "ok", False))]).encode()
    done = secateur("check", saved(tmp_path, listed), "--json")
    assert [(one["rule"], one["where"]) for one in done.json["violations"]] == [("A4", "messages.3.content.0")]


def test_a_prompt_that_is_one_string_is_a_request_too(tmp_path: Path) -> None:
    done = secateur("check", saved(tmp_path, b'{"model": "gpt-5", "input": "hi"}', "request.json"), "--json")
    assert (done.code, done.json["family"], done.json["violations"]) == (0, "openai_responses", [])


def test_a_session_file_is_told_by_message_and_line(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_session([user("go"), pi_call("a", "read"), user("stop")]))
    done = secateur("check", path, "--json")
    assert (done.code, done.json["family"]) == (1, "transcript")
    assert [(one["rule"], one["where"]) for one in done.json["violations"]] == [("L1", "message 1, line 3")]


def test_warnings_alone_are_no_findings(tmp_path: Path) -> None:
    done = secateur("check", saved(tmp_path, pi_session([user("go"), user(" ")])))
    assert done.code == 0
    assert "L6 (warning)" in done.text


def test_a_profile_is_asked_for_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path, chat(user("a"), user("b")), "request.json")
    assert secateur("check", path).code == 0
    assert secateur("check", path, "--profile", "strict").code == 1
    wrong = secateur("check", path, "--profile", "mistrl")
    assert (wrong.code, "did you mean mistral" in wrong.err) == (2, True)


def test_half_a_surrogate_pair_is_found_and_shown_harmless(tmp_path: Path) -> None:
    path = saved(tmp_path, b'{"messages": [{"role": "user", "content": "a\\ud83d"}]}', "request.json")
    done = secateur("check", path, "--format", "openai_chat")
    assert done.code == 1
    assert "A71" in done.text
