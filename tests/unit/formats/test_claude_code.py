"""Claude Code logs: who speaks, and what the parts of a message are."""

from typing import Any

import pytest

from claude_code_lines import MODEL, answer, assistant, call, line, progress, text, user
from secateur.errors import EditError
from secateur.formats.claude_code import ClaudeCode
from secateur.formats.format import Appending
from secateur.jsontext import dumps
from secateur.model import NewMessage, Part, Transcript
from session_lines import log, only, parts, results, said


def read(*values: Any) -> Transcript:
    return ClaudeCode().read(log(*values))


def test_a_plain_exchange_with_its_places_and_times() -> None:
    transcript = read(
        {"type": "summary", "summary": "a title", "leafUuid": "x"},
        user("u1", None, "hello"),
        assistant("a1", "u1", "m1", text("hi"), timestamp="2026-01-02T03:04:06.000Z"),
    )
    assert said(transcript) == [("user", "hello"), ("assistant", "hi")]
    first, second = transcript.messages
    assert (first.path, first.lines, first.recorded_ms, first.origin) == ((1,), (1,), 1767323045600, "user")
    assert first.parts[0].path == (1, "message", "content")
    assert second.parts[0].path == (2, "message", "content", 0, "text")
    assert (transcript.messages_path, transcript.model, transcript.provider) == ((), MODEL, "anthropic")
    assert transcript.last_call_ms == transcript.last_timestamp_ms == second.recorded_ms == 1767323046000
    assert all(message.key for message in transcript.messages)
    assert transcript.warnings == ()


@pytest.mark.parametrize(
    ("content", "more", "origin"),
    [
        ("please", {}, "user"),
        ("please", {"origin": {"kind": "human"}}, "user"),
        ("done", {"origin": {"kind": "task-notification"}}, "harness"),
        ("Caveat", {"isMeta": True}, "harness"),
        ("<command-name>/exit</command-name>", {}, "harness"),
        ("<command-message>fix</command-message>", {}, "harness"),
        (" <local-command-stdout>bye</local-command-stdout>", {}, "harness"),
        ("<bash-input>ls</bash-input>", {}, "harness"),
        ("<bash-stdout>a</bash-stdout>", {}, "harness"),
        ("<task-notification>\n", {}, "harness"),
        ([text("<system-reminder>x</system-reminder>")], {}, "harness"),
        ([text("[Request interrupted by user]")], {}, "harness"),
        ([text("<system-reminder>x</system-reminder>"), text("please")], {}, "user"),
        ("so far", {"isCompactSummary": True}, "summary"),
    ],
)
def test_who_speaks_in_a_user_line(content: Any, more: Any, origin: str) -> None:
    assert only(read(user("u1", None, content, **more))).origin == origin


def test_a_result_with_a_word_from_the_user_is_the_users_message() -> None:
    content = [*answer("t1", "one"), text("not that file")]
    transcript = read(assistant("a1", None, "m1", call("t1")), user("r1", "a1", content))
    assert (transcript.messages[1].role, transcript.messages[1].origin) == ("user", "user")
    assert [part.kind for part in transcript.messages[1].parts] == ["tool_result", "text"]
    results_only = read(assistant("a1", None, "m1", call("t1")), user("r1", "a1", answer("t1", "one")))
    assert (results_only.messages[1].role, results_only.messages[1].origin) == ("tool", "harness")


def test_results_of_several_shapes() -> None:
    document = {"type": "document", "title": "a.pdf", "source": {"media_type": "application/pdf", "data": "AA"}}
    shapes: list[Any] = [
        "plain",
        [text("one block")],
        [text("two"), text("blocks")],
        [text("seen"), document],
        [{"type": "tool_reference", "tool_name": "Grep"}],
        None,
        {"odd": 1},
    ]
    asked = [call(str(number)) for number in range(len(shapes))]
    answers = [block for number, shape in enumerate(shapes) for block in answer(str(number), shape)]
    transcript = read(assistant("a1", None, "m1", *asked), user("r1", "a1", answers))
    found = results(transcript)
    assert [part.text for part in found] == ["plain", "one block", "two\nblocks", "seen", "", "", ""]
    assert [part.path[4:] for part in found[:3]] == [("content",), ("content", 0, "text"), ("content",)]
    assert [part.pinned for part in found] == [False, False, False, False, True, False, True]
    assert [bool(part.fingerprint) for part in found] == [False, False, False, True, True, False, True]
    (medium,) = [part for part in parts(transcript) if part.kind == "media"]
    assert medium.path == (1, "message", "content", 3, "content", 1)
    assert medium.container_key == found[3].key
    assert medium.text == "application/pdf a.pdf"


def test_an_error_flag_and_media_of_the_user() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    transcript = read(
        assistant("a1", None, "m1", call("t1")),
        user("r1", "a1", answer("t1", "Exit code 1", is_error=True)),
        user("u1", "r1", [text("look"), picture]),
    )
    assert results(transcript)[0].is_error
    assert [(part.kind, part.path) for part in transcript.messages[2].parts] == [
        ("text", (2, "message", "content", 0, "text")),
        ("media", (2, "message", "content", 1)),
    ]


def test_what_is_not_known_stays() -> None:
    strange = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    transcript = read(
        user("u1", None, {"odd": True}),
        assistant("a1", "u1", "m1", strange, "a bare string", {"type": "redacted_thinking", "data": "b64"}),
        line("brand-new-kind", "n1", "a1"),
    )
    assert [(part.kind, part.pinned) for part in parts(transcript)] == [
        ("other", True),
        ("other", True),
        ("other", True),
        ("reasoning", True),
    ]
    assert parts(transcript)[3].fingerprint == "b64"


def test_signed_reasoning_of_newer_models_is_bound() -> None:
    thought = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    unsigned = {"type": "thinking", "thinking": "hm", "signature": ""}
    newer = read(assistant("a1", None, "m1", thought, unsigned, model="claude-opus-5-5"))
    assert [part.prefix_bound for part in parts(newer)] == [True, False]
    older = log(assistant("a1", None, "m1", thought))
    assert [part.prefix_bound for part in parts(ClaudeCode().read(older))] == [False]
    named = ClaudeCode().read(older, model="claude-opus-5-5")
    assert ([part.prefix_bound for part in parts(named)], named.model) == ([True], "claude-opus-5-5")


def test_attachments_that_the_model_sees() -> None:
    def attachment(uuid: str, parent: str, **fields: Any) -> dict[str, Any]:
        return line("attachment", uuid, parent, attachment=fields)

    transcript = read(
        user("u1", None, "go"),
        attachment("x1", "u1", type="task_reminder", content=[], itemCount=0),
        attachment("x2", "x1", type="skill_listing", content="- a skill"),
        attachment("x3", "x2", type="file", content={"type": "text", "file": {"content": "its text"}}),
        attachment("x4", "x3", type="mcp_instructions_delta", addedBlocks=["one", "two"]),
        attachment("x5", "x4", type="hook_system_message", content="for the screen"),
        attachment("x6", "x5", type="queued_command", prompt="and then stop"),
        attachment("x7", "x6", type="queued_command", prompt="<task-notification>\nx"),
        line("attachment", "x8", "x7", attachment="odd"),
        attachment("x9", "x8", type="queued_command", prompt=[]),
        assistant("a1", "x9", "m1", text("yes")),
    )
    assert said(transcript)[1:-1] == [
        ("system", "- a skill"),
        ("system", "its text"),
        ("system", "one\ntwo"),
        ("user", "and then stop"),
        ("user", "<task-notification>\nx"),
    ]
    assert [message.origin for message in transcript.messages[1:-1]] == ["harness"] * 3 + ["user", "harness"]
    assert [part.pinned for part in parts(transcript)[1:4]] == [True] * 3


def queue(operation: str, content: Any = None) -> dict[str, Any]:
    return {"type": "queue-operation", "operation": operation} | ({} if content is None else {"content": content})


def test_prompts_sent_while_the_agent_worked_stand_behind_the_results() -> None:
    transcript = read(
        user("u1", None, "go"),
        queue("enqueue", "no, the other file"),
        queue("enqueue", "/config"),
        queue("enqueue", "/srv/app/log.txt is the one"),
        assistant("a1", "u1", "m1", call("c1", "Read")),
        queue("remove"),
        queue("remove"),
        user("r1", "a1", answer("c1", "one")),
        queue("remove"),
        assistant("a2", "r1", "m2", text("the other one then")),
    )
    texts = [(role, words) for role, words in said(transcript) if role in ("user", "assistant")]
    assert [texts[0], *texts[2:]] == [
        ("user", "go"),
        ("user", "no, the other file"),
        ("user", "/srv/app/log.txt is the one"),
        ("assistant", "the other one then"),
    ]
    assert [message.role for message in transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "user",
        "user",
        "assistant",
    ]
    assert transcript.messages[3].parts[0].path == (1, "content")
    assert transcript.messages[3].origin == "user"


def test_a_prompt_of_the_queue_that_a_compaction_keeps_becomes_a_message() -> None:
    values = [
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("c1", "Read")),
        queue("enqueue", "the other file"),
        user("r1", "a1", answer("c1", "one")) | {"sourceToolAssistantUUID": "a1"},
        queue("remove"),
        user("u2", "r1", "and now this") | {"cwd": "/srv/app"},
    ]
    messages = read(*values).messages
    items = (NewMessage("user", "so far", "summary"), *messages[1:])
    made = Appending(items, 4, lambda number: values[number], 5, 10)
    entries = ClaudeCode().host_entry(log(*values), made)
    loaded = ClaudeCode().read(log(*values, *entries))
    assert [message.role for message in loaded.messages] == ["user", "assistant", "tool", "user", "user"]
    assert [part.text for part in loaded.messages[3].parts] == ["the other file"]
    assert [entry["type"] for entry in entries] == ["system", "user", "assistant", "user", "user", "user"]
    assert entries[4]["cwd"] == "/srv/app"
    assert entries[3]["sourceToolAssistantUUID"] == entries[2]["uuid"]


def test_prompts_that_were_taken_back_or_sent_elsewhere_are_not_read() -> None:
    transcript = read(
        user("u1", None, "go"),
        queue("remove"),
        queue("enqueue", "taken back"),
        queue("popAll", "taken back"),
        queue("enqueue", "sent as a message of its own"),
        queue("dequeue"),
        queue("enqueue", "attached"),
        queue("enqueue", "<task-notification>done</task-notification>"),
        assistant("a1", "u1", "m1", call("c1", "Read")),
        user("r1", "a1", answer("c1", "one")),
        queue("remove"),
        line("attachment", "x1", "r1", attachment={"type": "queued_command", "prompt": "attached"}),
        queue("remove"),
        queue("enqueue", 7),
        queue("remove"),
        user("u2", None, "begin again"),
        assistant("b1", "u2", "m3", text("left behind")),
        queue("enqueue", "to the branch that was left"),
        queue("remove"),
        assistant("a2", "x1", "m2", text("well")),
    )
    assert [words for role, words in said(transcript) if role == "user"] == ["go", "attached"]


def test_repeated_and_empty_ids_pair_within_their_round() -> None:
    transcript = read(
        assistant("a1", None, "m1", call("", "Read"), call("", "Grep")),
        user("r1", "a1", [*answer("", "one"), *answer("", "two")]),
        assistant("a2", "r1", "m2", call("", "Bash")),
        user("r2", "a2", answer("", "three")),
        user("r3", "r2", answer("orphan", "four")),
    )
    assert [part.tool for part in results(transcript)] == ["Read", "Grep", "Bash", ""]


@pytest.mark.parametrize(
    ("part", "text_", "body"),
    [
        (Part("tool_result", (0, "message", "content", 0, "content")), "short", '"short"'),
        (Part("tool_result", (0, "message", "content", 0, "content", 0, "text")), "short", '"short"'),
        (Part("tool_call", (0, "message", "content", 0, "input")), '{"a": 1.0}', '{"a": 1.0}'),
        (Part("tool_call", (0, "message", "content", 0, "input")), '{"a":"\ud800"}', '{"a":"\\ud800"}'),
        (Part("media", (0, "message", "content", 0)), "gone", '{"type":"text","text":"gone"}'),
    ],
)
def test_what_stands_in_place_of_a_body(part: Part, text_: str, body: str) -> None:
    assert dumps(ClaudeCode().replacement_body(part, text_)) == body.encode()


def test_arguments_stay_json() -> None:
    with pytest.raises(EditError, match="must remain valid JSON"):
        ClaudeCode().replacement_body(Part("tool_call", (0,)), "{broken")


def test_it_is_recognized_by_its_tree() -> None:
    title = {"type": "summary", "summary": "x"}
    assert ClaudeCode().recognize(log(title, user("u1", None, "go"))) == "lines have uuid, parentUuid and message.role"
    assert ClaudeCode().recognize(log(title, progress("p1", None))) == "lines have uuid, parentUuid and sessionId"
    assert ClaudeCode().recognize(log(title)) == ""
    assert ClaudeCode().recognize(log({"type": "session", "id": "x"})) == ""
    assert ClaudeCode().recognize([{"uuid": "x", "parentUuid": None, "sessionId": "s"}]) == ""
