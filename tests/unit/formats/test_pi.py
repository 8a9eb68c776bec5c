"""Pi logs: which lines make the transcript, and what their parts are."""

from typing import Any

import pytest

from secateur.errors import EditError
from secateur.formats.pi import Pi
from secateur.jsontext import dumps
from secateur.model import Part, Transcript
from session_lines import log, only, parts, results, said

OLD = {"type": "session", "id": "s", "cwd": "/w", "timestamp": "2026-01-02T03:04:00Z"}
TREE = {**OLD, "version": 3}
STAMP = "2026-01-02T03:04:05.600Z"


def entry(kind: str, name: str = "", parent: str | None = None, **fields: Any) -> dict[str, Any]:
    ids = {"id": name, "parentId": parent} if name else {}
    return {"type": kind, **ids, "timestamp": STAMP, **fields}


def message(role: str, content: Any, name: str = "", parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return entry("message", name, parent, message={"role": role, "content": content, **fields})


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str, tool: str = "read", **more: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": name, "name": tool, "arguments": {"path": "a.py"}, **more}


def result(name: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    return message("toolResult", list(blocks), toolCallId=name, toolName="read", **more)


def read(*values: Any) -> Transcript:
    return Pi().read(log(*values))


def test_entries_without_ids_stand_in_line() -> None:
    transcript = read(
        OLD,
        message("user", [text("go")]),
        entry("model_change", provider="anthropic", modelId="x"),
        message("assistant", [text("I look"), call("t1")], provider="anthropic", model="claude-sonnet-4-5"),
        result("t1", text("found"), isError=True),
    )
    assert said(transcript) == [("user", "go"), ("assistant", 'I look | {"path":"a.py"}'), ("tool", "found")]
    assert [one.lines for one in transcript.messages] == [(1,), (3,), (4,)]
    assert (
        transcript.messages[1].recorded_ms == transcript.last_call_ms == transcript.last_timestamp_ms == 1767323045600
    )
    assert (transcript.model, transcript.provider, transcript.messages_path) == ("claude-sonnet-4-5", "anthropic", ())
    (found,) = results(transcript)
    assert (found.tool, found.call_id, found.is_error) == ("read", "t1", True)
    assert found.path == (4, "message", "content", 0, "text")
    assert parts(transcript)[2].path == (3, "message", "content", 1, "arguments")


def test_the_newest_entry_ends_the_branch() -> None:
    transcript = read(
        TREE,
        message("user", "first", "1", None),
        message("assistant", [text("yes")], "2", "1"),
        message("user", "wrong way", "3", "2"),
        entry("branch_summary", "4", "2", fromId="3", summary="what was tried"),
        message("user", "right way", "5", "4"),
        entry("label", "6", "5", targetId="2", label="here"),
    )
    assert said(transcript) == [
        ("user", "first"),
        ("assistant", "yes"),
        ("user", "what was tried"),
        ("user", "right way"),
    ]
    assert [one.origin for one in transcript.messages] == ["user", "user", "summary", "user"]
    assert transcript.messages[2].parts[0].path == (4, "summary")


def test_a_parent_that_is_not_in_the_file_is_bridged() -> None:
    transcript = read(TREE, message("user", "first", "1", None), message("user", "second", "3", "2"))
    assert said(transcript) == [("user", "first"), ("user", "second")]
    assert transcript.warnings == ("line 3 names a parent that is not in the file: reading continues at line 2",)


@pytest.mark.parametrize("version", [1, 2])
def test_the_version_decides_what_ids_mean(version: int) -> None:
    transcript = read({**OLD, "version": version}, message("user", "a", "1", None), message("user", "b", "2", None))
    assert said(transcript) == ([("user", "a"), ("user", "b")] if version == 1 else [("user", "b")])


def test_a_compaction_by_index_counts_the_entries_that_could_be_read() -> None:
    lines = log(
        OLD,
        message("user", "old"),
        message("user", "kept"),
        entry("compaction", summary="first summary", firstKeptEntryIndex=2),
        message("user", "kept again"),
        entry("compaction", summary="second summary", firstKeptEntryIndex=4),
        message("user", "new"),
    )
    torn = type(lines).of(lines.data.replace(b'{"type": "message"', b'{"type": "torn\n{"type": "message"', 1))
    for native, first in ((lines, 5), (torn, 6)):
        transcript = Pi().read(native)
        assert said(transcript) == [("user", "second summary"), ("user", "kept again"), ("user", "new")]
        assert (transcript.messages[0].origin, transcript.messages[0].lines) == ("summary", (first,))


def test_a_compaction_by_id_keeps_its_own_branch_only() -> None:
    transcript = read(
        TREE,
        message("user", "old", "1", None),
        message("user", "kept", "2", "1"),
        message("user", "another branch", "x", "1"),
        entry("compaction", "3", "2", summary="summary", firstKeptEntryId="2"),
        message("user", "new", "4", "3"),
    )
    assert said(transcript) == [("user", "summary"), ("user", "kept"), ("user", "new")]
    assert transcript.warnings == ()


@pytest.mark.parametrize("kept", [{"firstKeptEntryId": "nowhere"}, {"firstKeptEntryIndex": 99}, {}])
def test_a_compaction_that_names_nothing_it_kept_kept_nothing(kept: dict[str, Any]) -> None:
    transcript = read(
        TREE,
        message("user", "old", "1", None),
        entry("compaction", "2", "1", summary="summary", **kept),
        message("user", "new", "3", "2"),
    )
    assert said(transcript) == [("user", "summary"), ("user", "new")]
    assert transcript.warnings == ("a compaction names no entry that it kept: the history starts with its summary",)


def test_roles_of_the_host_speak_as_the_user() -> None:
    bash = {"command": "ls", "output": "a.py"}
    transcript = read(
        OLD,
        entry("message", message={"role": "bashExecution", **bash}),
        entry("message", message={"role": "bashExecution", "excludeFromContext": True, **bash}),
        message("custom", "from an extension"),
        message("hookMessage", [text("from a hook")]),
        entry("custom_message", customType="x", content=[text("injected")]),
        entry("custom", customType="x", data={}),
        entry("message", message={"role": "branchSummary", "summary": "tried"}),
        entry("message", message={"role": "compactionSummary", "summary": "so far"}),
        message("brandNew", "?"),
    )
    assert said(transcript) == [
        ("user", "ls | a.py"),
        ("user", "from an extension"),
        ("user", "from a hook"),
        ("user", "injected"),
        ("user", "tried"),
        ("user", "so far"),
        ("user", ""),
    ]
    assert [one.origin for one in transcript.messages] == ["harness"] * 4 + ["summary"] * 2 + ["harness"]
    command, output = transcript.messages[0].parts
    assert (command.path, output.path) == ((1, "message", "command"), (1, "message", "output"))
    assert command.pinned
    assert output.pinned
    assert (transcript.messages[6].parts[0].kind, transcript.messages[6].parts[0].pinned) == ("other", True)


def test_messages_of_nothing_are_not_sent() -> None:
    transcript = read(
        OLD,
        message("user", "go"),
        message("assistant", [], stopReason="aborted", model="m", provider="p"),
        entry("message", message={"role": "assistant"}),
        entry("message", message="odd"),
    )
    assert said(transcript) == [("user", "go")]


def test_reasoning_and_calls_that_are_signed() -> None:
    signed = {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}
    transcript = read(
        OLD,
        message("assistant", [signed, {"type": "thinking", "thinking": "plain"}, call("t1", thoughtSignature="AA")]),
        message("assistant", [signed], api="anthropic-messages", model="claude-opus-5-5"),
        message("assistant", [signed], api="openai-responses", model="gpt-5"),
        message("assistant", [{**call("t2"), "arguments": "{}"}, {**text("x"), "textSignature": "id"}]),
    )
    assert [(part.kind, part.fingerprint, part.pinned, part.prefix_bound) for part in parts(transcript)] == [
        ("reasoning", "c2ln", True, False),
        ("reasoning", "", True, False),
        ("tool_call", "", True, False),
        ("reasoning", "c2ln", True, True),
        ("reasoning", "c2ln", True, False),
        ("tool_call", "", True, False),
        ("text", "", True, False),
    ]
    named = Pi().read(log(OLD, message("assistant", [signed], api="anthropic-messages")), model="claude-sonnet-4-5")
    assert (parts(named)[0].prefix_bound, named.model) == (False, "claude-sonnet-4-5")


def test_media_in_results_and_in_user_messages() -> None:
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    transcript = read(
        OLD,
        message("assistant", [call("t1"), call("t2"), call("t3")]),
        result("t1", text("see"), picture),
        result("t2", text("two"), text("blocks")),
        result("t3", {"type": "hologram"}),
        message("user", [text("look"), picture]),
    )
    seen, two, odd = results(transcript)
    assert [(part.text, part.path[2:], part.pinned) for part in (seen, two, odd)] == [
        ("see", ("content",), False),
        ("two\nblocks", ("content",), False),
        ("", ("content",), True),
    ]
    inside, outside = [part for part in parts(transcript) if part.kind == "media"]
    assert (inside.container_key, inside.path, inside.text) == (seen.key, (2, "message", "content", 1), "image/png")
    assert (outside.container_key, outside.path) == ("", (5, "message", "content", 1))
    assert inside.fingerprint == outside.fingerprint


def test_ids_pair_within_their_round_and_an_orphan_keeps_its_own_tool_name() -> None:
    transcript = read(
        OLD,
        message("assistant", [call("", "read"), call("", "grep")]),
        result("", text("one")),
        result("", text("two")),
        message("assistant", [call("", "bash")]),
        result("", text("three")),
        result("nowhere", text("four")),
    )
    assert [part.tool for part in results(transcript)] == ["read", "grep", "bash", "read"]
    assert transcript.messages[1].role == "tool"


@pytest.mark.parametrize(
    ("part", "text_", "body"),
    [
        (Part("tool_result", (0, "message", "content", 0, "text")), "short", '"short"'),
        (Part("tool_result", (0, "message", "content")), "short", '[{"type":"text","text":"short"}]'),
        (Part("tool_call", (0, "message", "content", 0, "arguments")), '{"a":1}', '{"a":1}'),
        (Part("media", (0, "message", "content", 0)), "gone", '{"type":"text","text":"gone"}'),
        (Part("text", (0, "message", "content")), "plain", '"plain"'),
    ],
)
def test_what_stands_in_place_of_a_body(part: Part, text_: str, body: str) -> None:
    assert dumps(Pi().replacement_body(part, text_)) == body.encode()


def test_arguments_stay_json() -> None:
    with pytest.raises(EditError, match="must remain valid JSON"):
        Pi().replacement_body(Part("tool_call", (0,)), "{broken")


def test_it_is_recognized_by_its_header_or_its_roles() -> None:
    assert Pi().recognize(log(TREE)) == "the header line has type session and an id"
    assert Pi().recognize(log(entry("model_change"), message("toolResult", []))) != ""
    assert Pi().recognize(log({"type": "message", "message": {"role": ["odd"]}}, "odd")) == ""
    assert Pi().recognize([TREE]) == ""


def test_a_message_may_have_a_time_of_its_own() -> None:
    transcript = read({"type": "message", "message": {"role": "user", "content": "go", "timestamp": 1700000000000}})
    assert only(transcript).recorded_ms == 1700000000000
    assert transcript.last_timestamp_ms == 0
