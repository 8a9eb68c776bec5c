"""Codex logs: which items make the transcript, and what their parts are."""

from typing import Any

import pytest

from secateur.formats.codex import Codex
from secateur.formats.format import Appending
from secateur.jsontext import dumps
from secateur.model import NewMessage, Part, Transcript
from session_lines import log, only, parts, results, said

STAMP = "2026-01-02T03:04:05.600Z"
META = {"timestamp": STAMP, "type": "session_meta", "payload": {"id": "s", "model_provider": "azure"}}


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": kind, "payload": payload}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return line("response_item", type=kind, **fields)


def block(role: str, said: str) -> dict[str, Any]:
    return {"type": "output_text" if role == "assistant" else "input_text", "text": said}


def message(role: str, *texts: str) -> dict[str, Any]:
    return item("message", role=role, content=[block(role, said) for said in texts])


def call(name: str, tool: str = "exec_command", arguments: str = '{ "cmd": "ls" }') -> dict[str, Any]:
    return item("function_call", name=tool, arguments=arguments, call_id=name)


def output(name: str, said: Any) -> dict[str, Any]:
    return item("function_call_output", call_id=name, output=said)


def compacted(*items: Any, message: str = "") -> dict[str, Any]:
    return line("compacted", message=message, replacement_history=[one["payload"] for one in items])


def read(*values: Any) -> Transcript:
    return Codex().read(log(*values))


def test_what_the_model_says_in_one_step_is_one_message() -> None:
    transcript = read(
        META,
        line("turn_context", model="gpt-5.4"),
        message("developer", "rules"),
        message("user", "go"),
        line("event_msg", type="user_message", message="go"),
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="ZW5j", id="rs"),
        message("assistant", "I look"),
        line("event_msg", type="agent_message", message="I look"),
        call("c1"),
        call("c2", "grep"),
        output("c1", "one"),
        output("c2", "two"),
        message("assistant", "done"),
    )
    assert said(transcript) == [
        ("system", "rules"),
        ("user", "go"),
        ("assistant", 'hm | I look | {"cmd":"ls"} | {"cmd":"ls"}'),
        ("tool", "one"),
        ("tool", "two"),
        ("assistant", "done"),
    ]
    step = transcript.messages[2]
    assert (step.path, step.lines, step.recorded_ms) == ((5,), (5, 6, 8, 9), 1767323045600)
    thought, _, first, _ = step.parts
    assert (thought.kind, thought.fingerprint, thought.pinned, thought.path) == ("reasoning", "ZW5j", True, (5,))
    assert (first.kind, first.tool, first.call_id, first.path) == (
        "tool_call",
        "exec_command",
        "c1",
        (8, "payload", "arguments"),
    )
    assert [(part.tool, part.path) for part in results(transcript)] == [
        ("exec_command", (10, "payload", "output")),
        ("grep", (11, "payload", "output")),
    ]
    assert (transcript.model, transcript.provider, transcript.last_call_ms) == ("gpt-5.4", "azure", 1767323045600)
    assert [one.origin for one in transcript.messages] == ["harness", "user", "user", "harness", "harness", "user"]


@pytest.mark.parametrize(
    ("texts", "origin"),
    [
        (["please"], "user"),
        (["# AGENTS.md instructions for /w", "<environment_context>\n"], "harness"),
        (["<user_instructions>x"], "harness"),
        (["<turn_aborted>\n"], "harness"),
        (["<subagent_notification>\n"], "harness"),
        (["<environment_context>\n", "please"], "user"),
        (["Another language model started to solve this problem and produced a summary"], "summary"),
    ],
)
def test_who_speaks_in_a_user_message(texts: list[str], origin: str) -> None:
    assert only(read(message("user", *texts))).origin == origin


def test_freeform_tools_and_tools_of_the_api() -> None:
    transcript = read(
        item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c1", status="completed"),
        item("custom_tool_call_output", call_id="c1", output="ok"),
        item("web_search_call", status="completed"),
        item("tool_search_call", call_id="c2", arguments={"q": "git"}, execution="client"),
        item("tool_search_output", call_id="c2", tools=[{"name": "git_log"}]),
        item("local_shell_call", call_id="c3", action={"type": "exec", "command": ["ls"]}),
        output("c3", "a.py"),
        item("mcp_tool_call_output", call_id="c4", result={"content": []}),
    )
    assert [(part.kind, part.tool, part.text, part.pinned) for part in parts(transcript)] == [
        ("tool_call", "apply_patch", "*** Begin Patch", False),
        ("tool_result", "apply_patch", "ok", False),
        ("other", "", "", True),
        ("tool_call", "tool_search_call", '{"q":"git"}', True),
        ("tool_result", "tool_search_call", '[{"name":"git_log"}]', True),
        ("tool_call", "local_shell_call", '{"command":["ls"],"type":"exec"}', True),
        ("tool_result", "local_shell_call", "a.py", False),
        ("tool_result", "", '{"content":[]}', True),
    ]


def test_arguments_that_are_not_json_stay_as_they_are() -> None:
    assert parts(read(call("c1", arguments="{cut of")))[0].text == "{cut of"


@pytest.mark.parametrize(
    ("said_", "error"),
    [
        ("Command: make\nProcess exited with code 2\nOutput:\nx", True),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nProcess exited with code 1", False),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\n", True),
        ('{"output":"x","metadata":{"exit_code":1}}', True),
        ('{"output":"said \\"exit_code\\":1","metadata":{"exit_code":0}}', False),
        ("apply_patch verification failed: no such line", True),
        ("All 3 files are there; none failed", False),
        ("", False),
    ],
)
def test_errors_are_read_from_the_output(said_: str, error: bool) -> None:
    assert results(read(call("c1"), output("c1", said_)))[0].is_error is error


def test_outputs_of_several_blocks_and_pictures() -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    linked = {"type": "input_image", "image_url": "https://example.org/a.png"}
    transcript = read(
        call("c1"),
        output("c1", [picture]),
        call("c2"),
        output("c2", [{"type": "input_text", "text": "one"}]),
        item("message", role="user", content=[{"type": "input_text", "text": "look"}, linked, {"type": "input_odd"}]),
        item("message", role="user", content="a bare string"),
    )
    first, second = results(transcript)
    assert (first.text, bool(first.fingerprint), first.pinned, first.path) == (
        "",
        True,
        False,
        (1, "payload", "output"),
    )
    assert second.path == (3, "payload", "output", 0, "text")
    media = [(part.text, part.path, bool(part.container_key)) for part in parts(transcript) if part.kind == "media"]
    assert media == [
        ("image/png", (1, "payload", "output", 0), True),
        ("image https://example.org/a.png", (4, "payload", "content", 1), False),
    ]
    assert parts(transcript)[-2].kind == "other"
    assert parts(transcript)[-1].path == (5, "payload", "content")


def test_a_compaction_replaces_the_history() -> None:
    transcript = read(
        META,
        message("user", "old"),
        message("assistant", "older"),
        compacted(
            message("user", "go"),
            item("ghost_snapshot", ghost_commit={}),
            message("user", "Another language model started to solve this problem: so far so good"),
            item("compaction", id="cmp", encrypted_content="ZW5j"),
        ),
        message("user", "new"),
    )
    assert said(transcript)[0::3] == [("user", "go"), ("user", "new")]
    assert [one.origin for one in transcript.messages] == ["user", "summary", "summary", "user"]
    assert transcript.messages[1].path == (3, "payload", "replacement_history", 2)
    assert transcript.messages[1].lines == (3,)
    assert transcript.messages[0].parts[0].path == (3, "payload", "replacement_history", 0, "content", 0, "text")
    opaque = transcript.messages[2].parts[0]
    assert (opaque.kind, opaque.pinned, bool(opaque.fingerprint)) == ("other", True, True)


def test_the_oldest_compaction_is_a_summary_behind_what_users_said() -> None:
    transcript = read(
        message("user", "<environment_context>"),
        message("user", "go"),
        message("assistant", "done"),
        line("compacted", message="so far so good"),
        message("user", "on"),
    )
    assert said(transcript) == [("user", "go"), ("user", "so far so good"), ("user", "on")]
    assert (transcript.messages[1].origin, transcript.messages[1].parts[0].path) == (
        "summary",
        (3, "payload", "message"),
    )


@pytest.mark.parametrize(("turns", "left"), [(1, 4), (2, 1), (9, 1), (0, 5), (None, 5)])
def test_turns_that_were_taken_back_are_left_out(turns: Any, left: int) -> None:
    transcript = read(
        message("user", "<environment_context>"),
        message("user", "one"),
        message("assistant", "first"),
        message("user", "<turn_aborted>"),
        message("user", "two"),
        line("event_msg", type="thread_rolled_back", num_turns=turns),
    )
    assert len(transcript.messages) == left


def test_a_fork_begins_with_the_lines_of_its_parent() -> None:
    parent = {"timestamp": STAMP, "type": "session_meta", "payload": {"id": "parent"}}
    transcript = read(META, parent, message("user", "go"), message("assistant", "yes"), message("user", "on"))
    assert said(transcript) == [("user", "go"), ("assistant", "yes"), ("user", "on")]


def test_the_branch_of_a_fork_is_its_own_and_not_that_of_its_parent() -> None:
    def began(stamp: str, branch: str) -> dict[str, Any]:
        return line("session_meta", id=stamp, timestamp=stamp, cwd="/w", git={"branch": branch})

    fork, parent = began("2026-01-02T09:00:00Z", "topic"), began("2026-01-01T09:00:00Z", "main")
    assert read(fork, parent, message("user", "go")).branch == "topic"
    assert read(parent, message("user", "go"), fork, message("user", "on")).branch == "topic"
    assert read(line("session_meta", id="s", cwd="/w", git={"branch": "main"}), message("user", "go")).branch == "main"


def test_lines_and_items_that_are_not_known() -> None:
    transcript = read(
        line("world_state", anything=1),
        {"timestamp": STAMP, "type": "response_item", "payload": "odd"},
        item("agent_message", text="from another agent"),
        item("ghost_snapshot", ghost_commit={}),
        item("message", role="user", content={"odd": 1}),
        item("message", role="user", content=[]),
        item("reasoning", summary=7, id="rs_1"),
        {"timestamp": STAMP, "type": "response_item", "payload": {"role": "user", "content": [block("user", "bare")]}},
    )
    assert [(part.kind, part.pinned) for part in parts(transcript)] == [
        ("other", True),
        ("other", True),
        ("reasoning", True),
        ("text", False),
    ]
    assert parts(transcript)[2].fingerprint == "rs_1"


def test_repeated_and_empty_ids_pair_within_their_round() -> None:
    transcript = read(
        call("", "read"),
        call("", "grep"),
        output("", "one"),
        output("", "two"),
        call("", "exec"),
        message("user", "hurry"),
        output("", "three"),
        output("nowhere", "four"),
    )
    assert [part.tool for part in results(transcript)] == ["read", "grep", "exec", ""]


@pytest.mark.parametrize(
    ("part", "text", "body"),
    [
        (Part("tool_result", (0, "payload", "output")), "short", '"short"'),
        (Part("tool_call", (0, "payload", "arguments")), '{"a":1}', '"{\\"a\\":1}"'),
        (Part("media", (0, "payload", "content", 0)), "gone", '{"type":"input_text","text":"gone"}'),
    ],
)
def test_what_stands_in_place_of_a_body(part: Part, text: str, body: str) -> None:
    assert dumps(Codex().replacement_body(part, text)) == body.encode()


def test_it_is_recognized_by_its_envelope() -> None:
    assert Codex().recognize(log("odd", META)) == "lines have type (session_meta) and payload"
    assert Codex().recognize(log({"type": ["odd"], "payload": {}}, {"type": "event_msg"})) == ""
    assert Codex().recognize([META]) == ""


def test_the_caller_may_name_the_model() -> None:
    assert Codex().read(log(META, line("turn_context", model="gpt-5.4")), model="gpt-5.5").model == "gpt-5.5"


def test_a_compaction_is_numbered_where_lines_are() -> None:
    """Codex resumes no file whose last line has no number."""
    lines = [META | {"ordinal": 0}, message("user", "go") | {"ordinal": 1}]
    made = Appending((NewMessage("user", "so far", "summary"),), 0, lambda number: lines[number], 5, 10)
    assert [entry["ordinal"] for entry in Codex().host_entry(log(*lines), made)] == [2, 3]
    assert all("ordinal" not in entry for entry in Codex().host_entry(log(META, message("user", "go")), made))
