"""OpenHands' events of both versions, as a list, one per line, and as the history of an evaluation."""

import json
from typing import Any

import pytest

from secateur.errors import FormatError
from secateur.formats.openhands import OpenHands, OpenHandsLines
from secateur.jsontext import Text
from secateur.patch import Op, apply
from session_lines import log, parts, results, said

HOST, LINES = OpenHands(), OpenHandsLines()


def action(name: int, kind: str, source: str = "agent", **args: Any) -> dict[str, Any]:
    return {"id": name, "source": source, "action": kind, "args": args, "timestamp": "1970-01-01T00:00:01"}


def answered(event: dict[str, Any], response: str, *calls: str, content: str = "") -> dict[str, Any]:
    asked = [{"id": call, "function": {"name": "bash", "arguments": '{"c": "ls"}'}} for call in calls]
    message = {"content": content, "tool_calls": asked}
    known = {"id": response, "model": "gpt-5", "choices": [{"message": message}]}
    return event | {"tool_call_metadata": {"function_name": "bash", "tool_call_id": calls[-1], "model_response": known}}


def seen(name: int, cause: int, call: str, content: str, **extras: Any) -> dict[str, Any]:
    meta = {"function_name": "bash", "tool_call_id": call}
    known = {"id": name, "source": "agent", "observation": "run", "content": content, "cause": cause}
    return known | {"extras": extras, "tool_call_metadata": meta}


SYSTEM = action(0, "system", content="be good", tools=[{"name": "bash"}])
ASKED = action(1, "message", "user", content="go", image_urls=None)
OLDER = [
    SYSTEM,
    ASKED,
    answered(action(2, "run", command="ls"), "r1", "c1", content="look"),
    seen(3, 2, "c1", "found", metadata={"exit_code": 1}),
]


def test_actions_and_observations() -> None:
    read = HOST.read(OLDER)
    assert said(read) == [("system", "be good"), ("user", "go"), ("assistant", 'look | {"c":"ls"}'), ("tool", "found")]
    (found,) = results(read)
    assert (found.tool, found.call_id, found.is_error) == ("bash", "c1", True)
    assert (read.model, read.fixed_tokens > 0, read.last_call_ms) == ("gpt-5", True, 1000)


def test_actions_of_one_answer_are_one_message() -> None:
    first = answered(action(2, "run"), "r1", "c1", content="look")
    second = answered(action(3, "run"), "r1", "c1", "c2", content="look")
    read = HOST.read([first, second, seen(4, 2, "c1", "one"), seen(5, 3, "c2", "two")])
    assert said(read) == [("assistant", 'look | {"c":"ls"} | {"c":"ls"}'), ("tool", "one"), ("tool", "two")]


def test_an_action_without_its_answer_is_told_by_its_arguments() -> None:
    event = action(2, "run", command="ls", thought="look")
    event["tool_call_metadata"] = {"function_name": "bash", "tool_call_id": "c1", "model_response": None}
    call = parts(HOST.read([event]))[1]
    assert (call.text, call.tool, call.pinned) == ('{"command":"ls"}', "bash", True)


def test_finishing_is_said_and_needs_no_result() -> None:
    done = answered(action(2, "finish", final_thought="all done", thought=""), "r1", "c1")
    assert said(HOST.read([done])) == [("assistant", "all done")]


def test_what_is_not_sent_is_left_out_and_what_was_recalled_stays() -> None:
    recall = action(5, "recall", "user", query="q")
    state = {"id": 6, "observation": "agent_state_changed", "content": "", "extras": {}}
    knowledge = {"microagent_knowledge": [{"name": "n", "content": "know"}], "repo_instructions": "read me"}
    told = {"id": 7, "observation": "recall", "content": "Added", "extras": knowledge, "cause": 5}
    error = {"id": 8, "observation": "error", "content": "oops", "extras": {}}
    read = HOST.read([recall, state, told, error])
    assert said(read) == [("user", "read me | know"), ("user", "oops")]
    assert [part.pinned for part in parts(read)] == [True, True, False]


@pytest.mark.parametrize(
    "gone",
    [{"forgotten_event_ids": [2, 3]}, {"forgotten_events_start_id": 2, "forgotten_events_end_id": 3}],
)
def test_a_condensation_forgets_events_and_puts_its_summary_in_their_place(gone: dict[str, Any]) -> None:
    cut = action(4, "condensation", summary="so far", summary_offset=2, **gone)
    read = HOST.read([*OLDER, cut, action(5, "message", "user", content="next")])
    assert [text for _, text in said(read)] == ["be good", "go", "so far", "next"]
    assert [message.origin for message in read.messages][2:] == ["summary", "user"]


def newer(kind: str, **more: Any) -> dict[str, Any]:
    return {"id": kind[:3] + str(len(more)), "kind": kind, "source": "agent", **more}


def block(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def asked(call: str, response: str, thought: str) -> dict[str, Any]:
    tool = {"id": call, "name": "file_editor", "arguments": '{"path": "a"}'}
    known = {"tool_name": "file_editor", "tool_call_id": call, "tool_call": tool, "llm_response_id": response}
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    return newer("ActionEvent", thought=block(thought), thinking_blocks=thinking, action={}, **known)


def came(call: str, text: str, error: bool = False) -> dict[str, Any]:
    observed = {"kind": "FileEditorObservation", "content": block(text), "is_error": error}
    return newer("ObservationEvent", tool_name="file_editor", tool_call_id=call, observation=observed)


NEWER = [
    newer("SystemPromptEvent", system_prompt=block("be good")[0], tools=[{"name": "t"}]),
    newer("MessageEvent", llm_message={"role": "user", "content": block("go")}, extended_content=block("and")),
    asked("c1", "r1", "look"),
    asked("c2", "r1", "look"),
    came("c1", "one"),
    came("c2", "two", error=True),
    newer("PauseEvent"),
]
READ = [
    ("system", "be good"),
    ("user", "go | and"),
    ("assistant", 'hm | look | {"path":"a"} | {"path":"a"}'),
    ("tool", "one"),
    ("tool", "two"),
]


def test_events_told_apart_by_kind() -> None:
    read = HOST.read(NEWER)
    assert said(read) == READ
    assert [(part.tool, part.is_error) for part in results(read)] == [("file_editor", False), ("file_editor", True)]


def test_a_result_of_blocks_stays_one() -> None:
    native = Text.of(json.dumps(NEWER).encode())
    first = results(HOST.read(native))[0]
    edited = apply(native, [Op(first.path, HOST.replacement_body(first, "short"))])
    assert json.loads(edited.data)[4]["observation"]["content"] == block("short")


def test_errors_and_rejections_answer_calls() -> None:
    error = newer("AgentErrorEvent", tool_call_id="c1", error="bad arguments")
    rejected = newer("UserRejectObservation", tool_call_id="c2", rejection_reason="no")
    found = results(HOST.read([asked("c1", "r1", ""), asked("c2", "r1", ""), error, rejected]))
    assert [(part.text, part.is_error, part.call_id) for part in found] == [
        ("bad arguments", True, "c1"),
        ("no", True, "c2"),
    ]


def test_a_condensation_of_the_newer_version() -> None:
    cut = {"id": "x", "kind": "Condensation", "forgotten_event_ids": ["a"], "summary": "so far", "summary_offset": 1}
    user = newer("MessageEvent", llm_message={"role": "user", "content": block("old")}) | {"id": "a"}
    assert [text for _, text in said(HOST.read([NEWER[0], user, cut, NEWER[1]]))] == ["be good", "so far", "go | and"]


def test_one_event_a_line() -> None:
    native = log(*NEWER)
    assert LINES.recognize(native) == "lines are events of kind SystemPromptEvent"
    assert said(LINES.read(native)) == READ
    assert [message.lines for message in LINES.read(native).messages][:2] == [(0,), (1,)]


def test_the_history_of_an_evaluation_also_in_pairs() -> None:
    pairs = {"instance_id": "i", "history": [[OLDER[2], OLDER[3]]]}
    assert HOST.recognize(pairs) == "`history` of actions with `args`"
    assert [text for _, text in said(LINES.read(log(pairs)))] == ['look | {"c":"ls"}', "found"]
    assert [text for _, text in said(HOST.read({"history": OLDER}))][0] == "be good"


def test_several_conversations_are_refused_with_how_to_take_one_out() -> None:
    native = log({"history": OLDER}, {"history": OLDER})
    assert LINES.recognize(native) == "lines have a `history` of actions with `args`"
    with pytest.raises(FormatError, match="holds 2 conversations, one per line: .* sed -n 1p"):
        LINES.read(native)
