"""Events of OpenHands version 0: an action (`action`, `args`) or an observation (`observation`, `content`, `cause`).

The model's words for an action are in the response that the action carries (`tool_call_metadata`); actions of one
response are one assistant message. Without a response the action's thought and arguments are used, pinned. Changes of
state and a person's recalls are not sent; finishing is read as a text.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.logs import make_opaque, make_result, parse_timestamp
from secateur.formats.native import Calls, count_fixed_tokens, dump_canonical, hash_value
from secateur.formats.openai_chat import normalize_arguments
from secateur.formats.openhands_events import OpenHandsEvent
from secateur.formats.session_files import as_dict, as_list, as_string
from secateur.model import Message, Part, Path
from secateur.tokens import estimate_media_tokens

_RESPONSE = ("tool_call_metadata", "model_response", "choices", 0, "message")
_UNSENT = frozenset({"recall", "change_agent_state", "null", "", "condensation_request"})
_SILENT = frozenset({"agent_state_changed", "null", ""})


def get_fields(event: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an action."""
    return as_dict(event.get("args"))


def is_condensation(event: OpenHandsEvent) -> bool:
    """Return whether this is a condensation."""
    return event.value.get("action") == "condensation"


def get_model(events: list[OpenHandsEvent]) -> str:
    """Return the model of the newest response."""
    responses = (
        as_dict(as_dict(event.value.get("tool_call_metadata")).get("model_response")) for event in reversed(events)
    )
    return next((as_string(response.get("model")) for response in responses if response.get("model")), "")


def count_tool_tokens(events: list[OpenHandsEvent]) -> int:
    """Return the tokens of the tools named by the system message."""
    return sum(count_fixed_tokens(event.fields, "tools") for event in events if event.value.get("action") == "system")


def read_messages(events: list[OpenHandsEvent], model: str) -> list[Message]:
    """Return the messages of these events, in order."""
    calls, made, last = Calls(), list[Message](), ""
    for event in events:
        response = _get_response_id(event)
        if "action" in event.value and event.value.get("source") == "agent" and response and response == last:
            before = made.pop()  # one more call of the same answer
            more = _call(event, calls)
            made.append(
                Message(
                    "assistant", before.path, (*before.parts, *more), lines=before.lines, recorded_ms=before.recorded_ms
                )
            )
            continue
        found = _read_message(event, calls)
        if found is not None:
            made.append(found)
            last = response if found.role == "assistant" else last if found.role == "tool" else ""
    return made


def _get_response_id(event: OpenHandsEvent) -> str:
    """Return the ID of the answer that an action came with; "" for finishing, which is sent as text."""
    if event.value.get("action") == "finish":
        return ""
    return as_string(_get_response(event).get("id"))


def _get_response(event: OpenHandsEvent) -> dict[str, Any]:
    """Return the model's response that an action came with."""
    return as_dict(as_dict(event.value.get("tool_call_metadata")).get("model_response"))


def _get_response_message(event: OpenHandsEvent) -> dict[str, Any]:
    """Return the message in that response."""
    return as_dict(as_dict((as_list(_get_response(event).get("choices")) or [{}])[0]).get("message"))


def _read_message(event: OpenHandsEvent, calls: Calls) -> Message | None:
    value, path = event.value, event.path
    at, lines = parse_timestamp(value.get("timestamp")), tuple(step for step in path[:1] if isinstance(step, int))
    if isinstance(value.get("observation"), str):
        role, origin, parts = _read_observation(event, calls)
    else:
        role, origin, parts = _read_action(event, calls)
    return Message(role, path, parts, origin, lines, at) if parts else None


def _read_action(event: OpenHandsEvent, calls: Calls) -> Any:
    action, inside, args = as_string(event.value.get("action")), (*event.path, "args"), event.fields
    if action in _UNSENT or not isinstance(event.value.get("args"), dict):
        return "user", "harness", () if action in _UNSENT else (make_opaque(event.value, event.path),)
    if action == "condensation":
        return "user", "summary", (Part("text", (*inside, "summary"), as_string(args.get("summary"))),)
    if action == "system":
        return "system", "harness", (Part("text", (*inside, "content"), as_string(args.get("content"))),)
    mine = event.value.get("source") == "agent"
    if action == "message":
        media = tuple(_read_pictures(args.get("image_urls"), (*inside, "image_urls")))
        text = Part("text", (*inside, "content"), as_string(args.get("content")))
        calls.speaks("assistant" if mine else "user")
        return ("assistant" if mine else "user"), "user", (text, *media)
    if not mine:  # a person ran it; OpenHands describes it to the model in its own words
        return "user", "harness", (Part("text", inside, dump_canonical(args), pinned=True),)
    calls.speaks("assistant")
    return "assistant", "user", (*_read_thought(event), *(() if action == "finish" else _call(event, calls)))


def _read_thought(event: OpenHandsEvent) -> Iterator[Part]:
    """Yield the model's own text that comes with a call."""
    content = _get_response_message(event).get("content")
    if isinstance(content, str) and content:
        yield Part("text", (*event.path, *_RESPONSE, "content"), content)
        return
    for name in ("thought", "final_thought"):
        if as_string(event.fields.get(name)) and (name == "final_thought" or event.value.get("action") != "think"):
            yield Part("text", (*event.path, "args", name), event.fields[name])
            return


def _call(event: OpenHandsEvent, calls: Calls) -> tuple[Part, ...]:
    meta = as_dict(event.value.get("tool_call_metadata"))
    tool, call = (
        as_string(meta.get("function_name")) or as_string(event.value.get("action")),
        as_string(meta.get("tool_call_id")),
    )
    calls.add(call, tool)
    for number, one in enumerate(as_list(_get_response_message(event).get("tool_calls"))):
        given = as_dict(as_dict(one).get("function")).get("arguments")
        if as_dict(one).get("id") == call and isinstance(given, str):
            where = (*event.path, *_RESPONSE, "tool_calls", number, "function", "arguments")
            return (Part("tool_call", where, normalize_arguments(given), tool, call),)
    given = {name: value for name, value in event.fields.items() if name != "thought"}
    return (Part("tool_call", (*event.path, "args"), dump_canonical(given), tool, call, pinned=True),)


def _read_observation(event: OpenHandsEvent, calls: Calls) -> Any:
    value, kind = event.value, event.value["observation"]
    meta = as_dict(value.get("tool_call_metadata"))
    where = (*event.path, "content")
    if kind in _SILENT:
        return "user", "harness", ()
    if kind == "recall":
        return "user", "harness", tuple(_read_recall(as_dict(value.get("extras")), (*event.path, "extras")))
    call = as_string(meta.get("tool_call_id"))
    if not call and (kind == "error" or not value.get("cause")):
        return "user", "harness", (Part("text", where, as_string(value.get("content"))),)
    calls.speaks("tool")
    code = as_dict(as_dict(value.get("extras")).get("metadata")).get("exit_code")
    error = kind == "error" or (isinstance(code, int) and code > 0)
    tool = calls.take(call) or as_string(meta.get("function_name"))
    head = Part("tool_result", where, "", tool, call, error, pinned="content" not in value)
    return "tool", "harness", make_result(head, value.get("content"), lambda block, where: None)


def _read_recall(extras: dict[str, Any], path: Path) -> Iterator[Part]:
    """Yield instructions found for the task, pinned because OpenHands words them."""
    for name in ("repo_instructions", "additional_agent_instructions"):
        if as_string(extras.get(name)):
            yield Part("text", (*path, name), extras[name], pinned=True)
    for number, one in enumerate(as_list(extras.get("microagent_knowledge"))):
        yield Part("text", (*path, "microagent_knowledge", number), as_string(as_dict(one).get("content")), pinned=True)


def _read_pictures(urls: Any, path: Path) -> Iterator[Part]:
    for number, url in enumerate(as_list(urls)):
        size = len(url) if isinstance(url, str) else 0
        tokens = estimate_media_tokens("image", size)
        yield Part("media", (*path, number), "image", fingerprint=hash_value(url), pinned=True, tokens=tokens)
