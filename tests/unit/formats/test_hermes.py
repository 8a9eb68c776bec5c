"""Hermes' session document and its transcript: chat messages with what Hermes knows of the session."""

from typing import Any

from secateur.formats.hermes import Hermes, HermesLines
from session_lines import log, results, said

CALL = {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": '{"command":"ls"}'}}
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "go", "timestamp": "1970-01-01T00:00:01"},
    {"role": "assistant", "content": "", "tool_calls": [CALL], "timestamp": "1970-01-01T00:00:02"},
    {"role": "tool", "tool_call_id": "c1", "content": "found", "timestamp": "1970-01-01T00:00:03"},
    {"role": "assistant", "content": "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted."},
]
META = {"role": "session_meta", "model": "claude-sonnet-4", "tools": [{"type": "function"}], "platform": "cli"}
READ = [("user", "go"), ("assistant", '{"command":"ls"}'), ("tool", "found"), ("assistant", CHAT[3]["content"])]


def test_the_document() -> None:
    head = {"session_id": "s", "session_start": "1970-01-01T00:00:00", "last_updated": "1970-01-01T00:00:09"}
    document = {**head, "model": "claude-sonnet-4", "system_prompt": "be good " * 50, "tools": [{}], "messages": CHAT}
    read = Hermes().read(document)
    assert Hermes().recognize(document) == "`session_id` and `session_start`"
    assert (said(read), read.model, read.last_timestamp_ms) == (READ, "claude-sonnet-4", 9000)
    assert read.fixed_tokens > 50
    with_system = {**document, "messages": [{"role": "system", "content": "be good"}, *CHAT]}
    assert Hermes().read(with_system).fixed_tokens < 50


def test_the_transcript() -> None:
    native = log(META, *CHAT)
    read = HermesLines().read(native)
    assert HermesLines().recognize(native) == "a line has the role session_meta"
    assert (said(read), read.model, read.fixed_tokens > 0) == (READ, "claude-sonnet-4", True)
    assert [message.lines for message in read.messages] == [(1,), (2,), (3,), (4,)]
    assert [message.recorded_ms for message in read.messages][:3] == [1000, 2000, 3000]


def test_a_compaction_is_a_summary() -> None:
    assert [message.origin for message in HermesLines().read(log(*CHAT)).messages][-1] == "summary"


def test_lines_of_chat_messages_need_no_header() -> None:
    assert HermesLines().recognize(log(*CHAT)) == "lines are chat messages"
    assert not HermesLines().recognize(log({"role": "user", "content": "alone"}))
    assert HermesLines().recognize(log(*CHAT, {"role": "narrator", "content": "meanwhile"}))
    assert not HermesLines().recognize(log(*CHAT, *[{"type": "summary", "summary": "s"}] * len(CHAT)))
    assert results(HermesLines().read(log(*CHAT)))[0].tool == "terminal"
