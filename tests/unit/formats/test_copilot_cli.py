"""Copilot CLI's events: what was said is in `data`, what the screen shows beside it is left alone."""

from typing import Any

from secateur.formats.copilot_cli import CopilotCLI
from secateur.patch import Op, apply
from session_lines import log, parts, results, said

HOST = CopilotCLI()


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": "e", "timestamp": "1970-01-01T00:00:01Z", "parentId": None}


def request(arguments: Any, call: str = "c1") -> dict[str, Any]:
    return {"toolCallId": call, "name": "bash", "arguments": arguments, "type": "function"}


def complete(text: str, call: str = "c1", **more: Any) -> dict[str, Any]:
    result = {"content": text, "detailedContent": text}
    return event("tool.execution_complete", toolCallId=call, success=True, result=result, **more)


SYSTEM = event("system.message", role="system", content="be good")
ASKED = event("user.message", content="go", transformedContent="<now/> go")


def spoken(*requests: Any, **more: Any) -> dict[str, Any]:
    return event("assistant.message", model="claude-sonnet-4.6", content="look", toolRequests=list(requests), **more)


def test_the_model_gets_the_transformed_text_and_the_content_of_results() -> None:
    native = log(event("session.start", sessionId="s"), SYSTEM, ASKED, spoken(request({"a": 1})), complete("found"))
    read = HOST.read(native)
    assert said(read) == [
        ("system", "be good"),
        ("user", "<now/> go"),
        ("assistant", 'look | {"a":1}'),
        ("tool", "found"),
    ]
    assert (read.model, read.provider, read.last_call_ms) == ("claude-sonnet-4.6", "anthropic", 1000)
    assert HOST.recognize(native) == "lines have type (session.start), data and parentId"


def test_an_edit_leaves_the_copy_for_the_screen_alone() -> None:
    native = log(spoken(request({})), complete("found"))
    (found,) = results(HOST.read(native))
    edited = apply(native, [Op(found.path, HOST.replacement_body(found, "short"))])
    assert edited.line(1)["data"]["result"] == {"content": "short", "detailedContent": "found"}


def test_a_failure_is_told_by_its_message() -> None:
    failed = event("tool.execution_complete", toolCallId="c1", success=False, error={"message": "denied", "code": "x"})
    (found,) = results(HOST.read(log(spoken(request({})), failed)))
    assert (found.text, found.is_error, found.tool) == ("denied", True, "bash")


def test_arguments_that_are_plain_text_stay_plain_text() -> None:
    part = parts(HOST.read(log(spoken(request("*** Begin Patch")))))[-1]
    assert (part.text, HOST.replacement_body(part, "cut")) == ("*** Begin Patch", "cut")


def test_signed_reasoning_is_bound_on_models_that_bind_it() -> None:
    thought = spoken(reasoningText="hm", reasoningOpaque="s")
    first = parts(HOST.read(log(thought), model="claude-opus-5-5"))[0]
    assert (first.kind, first.text, first.pinned, first.prefix_bound) == ("reasoning", "hm", True, True)
    assert not parts(HOST.read(log(thought), model="gpt-5"))[0].prefix_bound


def test_a_compaction_starts_again_behind_the_system_message() -> None:
    done = event("session.compaction_complete", success=True, summaryContent="so far")
    failed = event("session.compaction_complete", success=False, error="no")
    read = HOST.read(log(SYSTEM, ASKED, spoken(), done, ASKED, failed))
    assert said(read) == [("system", "be good"), ("user", "so far"), ("user", "<now/> go")]
    assert read.messages[1].origin == "summary"


def test_what_a_sub_agent_does_is_not_in_the_context() -> None:
    inner = spoken(request({}, "c2"), parentToolCallId="c1")
    read = HOST.read(log(spoken(request({})), inner, complete("inner", "c2", parentToolCallId="c1"), complete("found")))
    assert [part.text for part in results(read)] == ["found"]


def test_the_stream_is_not_taken_for_the_session_file() -> None:
    assert not HOST.recognize(log({**event("assistant.message_delta"), "ephemeral": True}, ASKED))
