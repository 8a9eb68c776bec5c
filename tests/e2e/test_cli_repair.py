"""`secateur repair` as a person runs it."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli_runs import chat, saved, secateur
from native import calls, pi_call, pi_result, pi_session, tool, user

SOUND = pi_session([user("hi"), pi_call("c"), pi_result("c", "x")])
BROKEN = chat(user("hi"), calls(("a", "bash")), user("so?"))


def loaded(data: bytes) -> list[Any]:
    return [message["role"] for message in json.loads(data)["messages"]]


def test_a_pipe_gets_the_document_and_the_person_the_account() -> None:
    done = secateur("repair", "-", stdin=BROKEN)
    assert done.code == 0
    assert loaded(done.out) == ["user", "assistant", "tool", "user"]
    assert "call 'a' had no result" in done.err


def test_a_request_to_gemini_keeps_its_spelling_and_is_fine_afterwards() -> None:
    asked = b'{"contents": [{"role": "user", "parts": [{"text": "go"}]}, '
    call = asked + b'{"parts": [{"function_call": {"name": "ls"}}], "role":"model"}]}'
    done = secateur("repair", "-", stdin=call)
    assert done.code == 0
    assert done.out.startswith(call[:-2])
    assert b'"function_response"' in done.out
    assert secateur("check", "-", stdin=call).code == 1
    assert secateur("check", "-", stdin=done.out).code == 0


def test_what_is_sound_comes_out_as_it_went_in() -> None:
    done = secateur("repair", "-", stdin=SOUND)
    assert (done.code, done.out) == (0, SOUND)
    assert "nothing to repair" in done.err


def test_mending_again_says_that_there_is_nothing_to_mend() -> None:
    once = secateur("repair", "-", stdin=BROKEN)
    twice = secateur("repair", "-", stdin=once.out)
    assert twice.out == once.out
    assert "nothing to repair" in twice.err


def test_in_place_keeps_a_backup_and_what_was_cut_off(tmp_path: Path) -> None:
    path = saved(tmp_path, SOUND + b'{"type":"mess')
    done = secateur("repair", path, "--in-place", "--json")
    assert done.code == 0
    assert path.read_bytes() == SOUND
    assert Path(f"{path}.bak").read_bytes() == SOUND + b'{"type":"mess'
    assert Path(f"{path}.torn").read_bytes() == b'{"type":"mess\n'
    assert [done.json[name] for name in ("format", "backup", "torn", "torn_bytes")] == [
        "pi",
        f"{path}.bak",
        f"{path}.torn",
        13,
    ]
    assert [one["rule"] for one in done.json["repairs"]] == ["F1"]


def test_json_writes_nothing_unless_told_where(tmp_path: Path) -> None:
    path = saved(tmp_path, BROKEN, "request.json")
    done = secateur("repair", path, "--json")
    assert done.json["output"] is None
    assert path.read_bytes() == BROKEN
    assert done.json["remaining"] == []


def test_what_cannot_be_mended_is_a_finding() -> None:
    body = chat(user("hi"), {"role": "robot", "content": "?"})
    done = secateur("repair", "-", "--format", "openai_chat", stdin=body)
    assert done.code == 1
    assert done.out == body
    assert "1 still broken" in done.err


def test_a_profile_asks_for_more() -> None:
    body = chat(user("hi"), user("so?"))
    assert secateur("repair", "-", stdin=body).out == body
    assert loaded(secateur("repair", "-", "--profile", "strict", stdin=body).out) == ["user"]


@pytest.mark.parametrize("args", [["--in-place"], ["--json", "-o", "-"], ["--profile", "none"]])
def test_what_cannot_be_asked_is_refused(args: list[str]) -> None:
    done = secateur("repair", "-", *args, stdin=chat(user("hi"), tool("x", "a")))
    assert done.code == 2
    assert done.out == b""


def test_utf16_stays_utf16() -> None:
    body = BROKEN.decode().encode("utf-16")
    done = secateur("repair", "-", stdin=body)
    assert loaded(done.out.decode("utf-16").encode()) == ["user", "assistant", "tool", "user"]
