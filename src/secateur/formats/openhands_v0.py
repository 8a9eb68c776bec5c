"""Events of OpenHands version 0: an action (`action`, `args`) or an observation (`observation`, `content`, `cause`).

What the model said for an action is in the response that the action carries (`tool_call_metadata`); actions of one
response are one assistant message. Without a response the action's thought and arguments stand in for it, pinned.
Changes of state and a person's recalls are not sent; finishing is said as a text.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.logs import moment, result, stranger
from secateur.formats.native import Calls, canonical, fixed_tokens, value_digest
from secateur.formats.openai_chat import arguments
from secateur.formats.openhands_events import OpenHandsEvent
from secateur.formats.session_files import rows, table, word
from secateur.model import Message, Part, Path
from secateur.tokens import media_tokens

_RESPONSE = ("tool_call_metadata", "model_response", "choices", 0, "message")
_UNSENT = frozenset({"recall", "change_agent_state", "null", "", "condensation_request"})
_SILENT = frozenset({"agent_state_changed", "null", ""})


def inner(event: dict[str, Any]) -> dict[str, Any]:
    """Where an action keeps its fields."""
    return table(event.get("args"))


def forgets(event: OpenHandsEvent) -> bool:
    """Whether this is a condensation."""
    return event.value.get("action") == "condensation"


def model_of(events: list[OpenHandsEvent]) -> str:
    """The model of the newest response."""
    responses = (
        table(table(event.value.get("tool_call_metadata")).get("model_response")) for event in reversed(events)
    )
    return next((word(response.get("model")) for response in responses if response.get("model")), "")


def tools_of(events: list[OpenHandsEvent]) -> int:
    """Tokens of the tools that the system message names."""
    return sum(fixed_tokens(event.fields, "tools") for event in events if event.value.get("action") == "system")


def messages(events: list[OpenHandsEvent], model: str) -> list[Message]:
    """The messages of these events, in order."""
    calls, made, last = Calls(), list[Message](), ""
    for event in events:
        response = _response(event)
        if "action" in event.value and event.value.get("source") == "agent" and response and response == last:
            before = made.pop()  # one more call of the same answer
            more = _call(event, calls)
            made.append(
                Message(
                    "assistant", before.path, (*before.parts, *more), lines=before.lines, recorded_ms=before.recorded_ms
                )
            )
            continue
        found = _message(event, calls)
        if found is not None:
            made.append(found)
            last = response if found.role == "assistant" else last if found.role == "tool" else ""
    return made


def _response(event: OpenHandsEvent) -> str:
    """The id of the answer that an action came with; "" for finishing, which is said as a text."""
    if event.value.get("action") == "finish":
        return ""
    return word(_answer(event).get("id"))


def _answer(event: OpenHandsEvent) -> dict[str, Any]:
    """The model's response that an action came with."""
    return table(table(event.value.get("tool_call_metadata")).get("model_response"))


def _answered(event: OpenHandsEvent) -> dict[str, Any]:
    """The message in that response."""
    return table(table((rows(_answer(event).get("choices")) or [{}])[0]).get("message"))


def _message(event: OpenHandsEvent, calls: Calls) -> Message | None:
    value, path = event.value, event.path
    at, lines = moment(value.get("timestamp")), tuple(step for step in path[:1] if isinstance(step, int))
    if isinstance(value.get("observation"), str):
        role, origin, parts = _observed(event, calls)
    else:
        role, origin, parts = _acted(event, calls)
    return Message(role, path, parts, origin, lines, at) if parts else None


def _acted(event: OpenHandsEvent, calls: Calls) -> Any:
    action, inside, args = word(event.value.get("action")), (*event.path, "args"), event.fields
    if action in _UNSENT or not isinstance(event.value.get("args"), dict):
        return "user", "harness", () if action in _UNSENT else (stranger(event.value, event.path),)
    if action == "condensation":
        return "user", "summary", (Part("text", (*inside, "summary"), word(args.get("summary"))),)
    if action == "system":
        return "system", "harness", (Part("text", (*inside, "content"), word(args.get("content"))),)
    mine = event.value.get("source") == "agent"
    if action == "message":
        media = tuple(_pictures(args.get("image_urls"), (*inside, "image_urls")))
        text = Part("text", (*inside, "content"), word(args.get("content")))
        calls.speaks("assistant" if mine else "user")
        return ("assistant" if mine else "user"), "user", (text, *media)
    if not mine:  # a person ran it; OpenHands tells the model in words of its own
        return "user", "harness", (Part("text", inside, canonical(args), pinned=True),)
    calls.speaks("assistant")
    return "assistant", "user", (*_thought(event), *(() if action == "finish" else _call(event, calls)))


def _thought(event: OpenHandsEvent) -> Iterator[Part]:
    """The model's own text beside a call."""
    content = _answered(event).get("content")
    if isinstance(content, str) and content:
        yield Part("text", (*event.path, *_RESPONSE, "content"), content)
        return
    for name in ("thought", "final_thought"):
        if word(event.fields.get(name)) and (name == "final_thought" or event.value.get("action") != "think"):
            yield Part("text", (*event.path, "args", name), event.fields[name])
            return


def _call(event: OpenHandsEvent, calls: Calls) -> tuple[Part, ...]:
    meta = table(event.value.get("tool_call_metadata"))
    tool, call = word(meta.get("function_name")) or word(event.value.get("action")), word(meta.get("tool_call_id"))
    calls.add(call, tool)
    for number, one in enumerate(rows(_answered(event).get("tool_calls"))):
        given = table(table(one).get("function")).get("arguments")
        if table(one).get("id") == call and isinstance(given, str):
            where = (*event.path, *_RESPONSE, "tool_calls", number, "function", "arguments")
            return (Part("tool_call", where, arguments(given), tool, call),)
    given = {name: value for name, value in event.fields.items() if name != "thought"}
    return (Part("tool_call", (*event.path, "args"), canonical(given), tool, call, pinned=True),)


def _observed(event: OpenHandsEvent, calls: Calls) -> Any:
    value, kind = event.value, event.value["observation"]
    meta = table(value.get("tool_call_metadata"))
    where = (*event.path, "content")
    if kind in _SILENT:
        return "user", "harness", ()
    if kind == "recall":
        return "user", "harness", tuple(_recalled(table(value.get("extras")), (*event.path, "extras")))
    call = word(meta.get("tool_call_id"))
    if not call and (kind == "error" or not value.get("cause")):
        return "user", "harness", (Part("text", where, word(value.get("content"))),)
    calls.speaks("tool")
    code = table(table(value.get("extras")).get("metadata")).get("exit_code")
    error = kind == "error" or (isinstance(code, int) and code > 0)
    tool = calls.take(call) or word(meta.get("function_name"))
    head = Part("tool_result", where, "", tool, call, error, pinned="content" not in value)
    return "tool", "harness", result(head, value.get("content"), lambda block, where: None)


def _recalled(extras: dict[str, Any], path: Path) -> Iterator[Part]:
    """Instructions that were found for the task; OpenHands words them, so what stands here stays."""
    for name in ("repo_instructions", "additional_agent_instructions"):
        if word(extras.get(name)):
            yield Part("text", (*path, name), extras[name], pinned=True)
    for number, one in enumerate(rows(extras.get("microagent_knowledge"))):
        yield Part("text", (*path, "microagent_knowledge", number), word(table(one).get("content")), pinned=True)


def _pictures(urls: Any, path: Path) -> Iterator[Part]:
    for number, url in enumerate(rows(urls)):
        size = len(url) if isinstance(url, str) else 0
        tokens = media_tokens("image", size)
        yield Part("media", (*path, number), "image", fingerprint=value_digest(url), pinned=True, tokens=tokens)
