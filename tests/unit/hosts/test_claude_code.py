"""Claude Code's hooks: what is shortened, what stays unchanged, and what reaches the host after a compaction."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_code_lines import assistant, text, user
from credentials import SHAPED
from secateur.hosts.activity import read_activity
from secateur.hosts.claude_code import handle_event
from secateur.hosts.installation import RECORD
from secateur.stores import open_store
from secateur.stores.protocol import SessionId

BALANCE = "balance"
OUTPUT = "".join(f"tests/test_a.py::test_case_{number:03d} PASSED\n" for number in range(300)) + "300 passed in 1.0s\n"
RAN = {"stdout": OUTPUT, "stderr": "", "interrupted": False, "isImage": False}
EVENT = {
    "hook_event_name": "PostToolUse",
    "session_id": "s",
    "tool_use_id": "t",
    "tool_name": "Bash",
    "tool_input": {"command": "pytest -v"},
    "tool_response": RAN,
}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/kept.db"


def test_a_long_output_is_kept_and_then_shortened(store: str) -> None:
    reply = handle_event(EVENT, BALANCE, store)
    output = json.loads(reply.text)["hookSpecificOutput"]
    assert output["hookEventName"] == "PostToolUse"
    assert output["updatedToolOutput"] == RAN | {"stdout": output["updatedToolOutput"]["stdout"]}
    shorter = output["updatedToolOutput"]["stdout"]
    assert "300 passed in 1.0s" in shorter
    assert len(shorter) < 500
    kept = open_store(store)
    (blob,) = kept.list_blobs(SessionId("claude-code/s/t", "local"))
    assert f"recall {blob.id[:12]}" in shorter
    assert kept.get_blob("local", blob.id).data == OUTPUT.encode()  # type: ignore[union-attr]
    kept.close()


@pytest.mark.parametrize(
    "changed",
    [
        {"tool_name": "Read"},
        {"tool_response": "text"},
        {"tool_response": RAN | {"stdout": OUTPUT[:2_000]}},
        {"tool_response": RAN | {"stdout": None}},
        {"tool_response": RAN | {"isImage": True}},
        {"tool_response": RAN | {"persistedOutputPath": "/tmp/x"}},
        {"tool_input": {"command": "cat tests.txt"}},
    ],
)
def test_other_outputs_stay(changed: dict[str, Any], store: str) -> None:
    assert handle_event(EVENT | changed, BALANCE, store).text == ""


def test_an_output_that_cannot_be_kept_stays_and_the_reason_is_noted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / RECORD).write_text("{}")
    reply = handle_event(EVENT, BALANCE, f"sqlite:///{tmp_path}/file/kept.db", tmp_path)
    assert reply.text == ""
    assert f"{tmp_path}/file/kept.db" in reply.status
    assert "kept.db" in getattr(read_activity(tmp_path), "error", "")


def test_a_compaction_gets_the_rules_and_then_the_facts(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    session.write_bytes(make_session("Fix the login. Never push to main."))
    rules = handle_event({"hook_event_name": "PreCompact", "transcript_path": str(session)}, BALANCE, "memory://")
    assert rules.text.splitlines()[0].startswith("Keep these rules of the user")
    assert "Never push to main" in rules.text
    started = {"hook_event_name": "SessionStart", "source": "compact", "transcript_path": str(session)}
    output = json.loads(handle_event(started, BALANCE, "memory://").text)["hookSpecificOutput"]
    assert "Never push to main" in output["additionalContext"]
    assert handle_event(started | {"source": "startup"}, BALANCE, "memory://").text == ""


def test_secrets_stay_out_of_rules_and_facts(tmp_path: Path) -> None:
    session, secret = tmp_path / "session.jsonl", SHAPED["anthropic-key"]
    session.write_bytes(make_session(f"Never print {secret} in a log."))
    for event in ({"hook_event_name": "PreCompact"}, {"hook_event_name": "SessionStart", "source": "compact"}):
        reply = handle_event(event | {"transcript_path": str(session)}, BALANCE, "memory://")
        assert "in a log" in reply.text
        assert secret not in reply.text


def test_facts_have_room_whatever_was_said(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    session.write_bytes(make_session("Fix it. " + "Never touch a file of this name. " * 2_000))
    started = {"hook_event_name": "SessionStart", "source": "compact", "transcript_path": str(session)}
    output = json.loads(handle_event(started, BALANCE, "memory://").text)["hookSpecificOutput"]
    assert len(output["additionalContext"]) <= 9_500


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_place_of_the_transcript_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reply = handle_event({"hook_event_name": "PreCompact", "transcript_path": f"{tmp_path}/pipe"}, BALANCE, "memory://")
    assert (reply.text, "not a file" in reply.status) == ("", True)


def test_what_goes_wrong_is_noted_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text("{}")
    event = {"hook_event_name": "PreCompact", "transcript_path": str(tmp_path / "none.jsonl")}
    reply = handle_event(event, BALANCE, "memory://", tmp_path)
    assert (reply.text, "FileNotFoundError" in reply.status) == ("", True)
    noted = read_activity(tmp_path)
    assert noted is not None
    assert "FileNotFoundError" in noted.error
    handle_event(event | {"hook_event_name": "PostToolUse"}, BALANCE, "memory://", tmp_path)
    assert getattr(read_activity(tmp_path), "error", None) == ""


@given(st.dictionaries(st.sampled_from([*EVENT, "source", "transcript_path"]), st.none() | st.text() | st.integers()))
def test_any_event_is_answered(changed: dict[str, Any]) -> None:
    assert handle_event(EVENT | {"tool_name": "Read"} | changed, BALANCE, "memory://").text == ""


def make_session(text_: str) -> bytes:
    """A session file of one prompt and one answer."""
    lines = [user("u1", None, text_), assistant("a1", "u1", "m1", text("I fixed the login."))]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()
