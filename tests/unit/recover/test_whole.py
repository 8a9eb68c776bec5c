"""The whole history of a session file: what hosts compacted, condensed or cleared is there again, summaries are not."""

import json
from typing import Any

import pytest

from secateur import FormatError
from secateur.recover import recover_session
from secateur.recover.whole import read_whole


def lines(*entries: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in entries)


def said(data: bytes) -> list[str]:
    return [part.text for message in read_whole(data).messages for part in message.parts if part.kind != "tool_call"]


def claude(uuid: str, parent: str | None, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    role = {"role": kind, "content": content}
    role |= {"id": f"m{uuid}", "model": "claude-opus-4-5"} if kind == "assistant" else {}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": role, **more}


CALL = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]
RESULT = [{"type": "tool_result", "tool_use_id": "t1", "content": "the listing"}]
CLAUDE = lines(
    claude("1", None, "user", "never delete the fixtures"),
    claude("2", "1", "assistant", CALL),
    claude("3", "2", "user", RESULT),
    {"type": "system", "subtype": "compact_boundary", "uuid": "4", "parentUuid": None, "sessionId": "s"},
    claude("5", "4", "user", "This session is being continued: nothing much", isCompactSummary=True),
    claude("6", "5", "assistant", [{"type": "text", "text": "I will delete the fixtures"}]),
    claude("7", "6", "user", "no!"),
)


def test_claude_code_from_before_its_compaction() -> None:
    found = read_whole(CLAUDE)
    assert said(CLAUDE) == ["never delete the fixtures", "the listing", "I will delete the fixtures", "no!"]
    assert (found.compactions, found.sent) == (1, 2)


def test_claude_code_results_that_a_micro_compaction_cleared() -> None:
    cleared = {"type": "system", "uuid": "4", "parentUuid": "3", "sessionId": "s", "subtype": "microcompact_boundary"}
    cleared |= {"microcompactMetadata": {"compactedToolIds": ["t1"]}}
    data = lines(
        claude("1", None, "user", "list"),
        claude("2", "1", "assistant", CALL),
        claude("3", "2", "user", RESULT),
        cleared,
        claude("5", "4", "assistant", [{"type": "text", "text": "two files"}]),
    )
    assert "the listing" in said(data)


def test_opencode_messages_from_before_its_compaction_and_outputs_that_it_cleared() -> None:
    def item(name: str, role: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
        return {"info": {"id": name, "role": role, **info}, "parts": list(parts)}

    state = {
        "status": "completed",
        "input": {},
        "output": "the listing",
        "time": {"start": 1, "end": 2, "compacted": 3},
    }
    call = {"type": "tool", "tool": "bash", "callID": "t1", "state": state}
    data = json.dumps(
        {
            "info": {"id": "s", "projectID": "p"},
            "messages": [
                item("m1", "user", {"type": "text", "text": "list"}),
                item("m2", "assistant", call),
                item("m3", "user", {"type": "compaction", "auto": True}),
                item(
                    "m4", "assistant", {"type": "text", "text": "a summary"}, summary=True, finish="stop", parentID="m3"
                ),
                item("m5", "user", {"type": "text", "text": "go on"}),
            ],
        }
    ).encode()
    assert said(data) == ["list", "the listing", "go on"]
    assert read_whole(data).compactions == 2


@pytest.mark.parametrize("many_lines", [False, True])
def test_openhands_events_that_a_condensation_forgot(many_lines: bool) -> None:
    def event(number: int, kind: str, **more: Any) -> dict[str, Any]:
        return {"id": f"e{number}", "timestamp": "2026-01-01T00:00:00", "source": "user", "kind": kind, **more}

    def message(number: int, text: str) -> dict[str, Any]:
        words = {"role": "user", "content": [{"type": "text", "text": text}]}
        return event(number, "MessageEvent", llm_message=words)

    events = [
        message(1, "first"),
        message(2, "second"),
        event(3, "Condensation", forgotten_event_ids=["e1", "e2"], summary="short", summary_offset=0),
        message(4, "third"),
    ]
    data = lines(*events) if many_lines else json.dumps(events).encode()
    assert said(data) == ["first", "second", "third"]
    assert read_whole(data).compactions >= 1


def test_codex_from_before_a_compaction_that_brings_no_summary() -> None:
    def item(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}

    kept = [item("user", "first")["payload"]]
    data = lines(
        {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
        item("user", "first"),
        item("assistant", "found it"),
        {
            "timestamp": "2026-01-01T00:00:00Z",
            "type": "compacted",
            "payload": {"message": "", "replacement_history": kept},
        },
        item("user", "go on"),
    )
    assert said(data) == ["first", "found it", "go on"]
    assert read_whole(data).compactions == 1


def test_a_request_body_is_whole_as_it_stands() -> None:
    data = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]}).encode()
    assert said(data) == ["hello"]
    assert read_whole(data).compactions == 0


def test_the_document_has_what_the_host_lost_and_no_secret() -> None:
    key = "sk-ant-api03-" + "A1b2C3d4" * 11 + "AA"
    data = CLAUDE + lines(claude("8", "7", "user", f"use {key} for it"))
    done = recover_session(data, name="s.jsonl")
    assert done.document.startswith("# Hand-off from s.jsonl\n")
    assert "never delete the fixtures" in done.document
    assert "nothing much" not in done.document
    assert "compacted it once" in done.document
    assert key not in done.document
    assert "> use [redacted" in done.document


def test_the_document_is_bounded() -> None:
    many = [claude(str(n), str(n - 1) if n else None, "user", f"request {n}: " + "word " * 300) for n in range(60)]
    assert recover_session(lines(*many), max_tokens=1_000).tokens < 1_000 + 2_500


def test_a_file_without_messages_is_refused() -> None:
    with pytest.raises(FormatError, match="no messages"):
        recover_session(b'{"model": "gpt-5", "messages": []}')
