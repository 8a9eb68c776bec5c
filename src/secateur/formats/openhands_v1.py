"""Events of OpenHands version 1, told apart by `kind`.

Actions of one response of the model are one assistant message. Observations are results; errors of the agent and
rejections by a person are results too. Other kinds (pauses, changes of state) are not sent.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.logs import get_block_text, make_opaque, make_result, parse_timestamp
from secateur.formats.native import Calls, count_fixed_tokens, dump_canonical, hash_value
from secateur.formats.openai_chat import normalize_arguments
from secateur.formats.openhands_events import OpenHandsEvent
from secateur.formats.session_files import as_dict, as_list, as_string
from secateur.model import Message, Part, Path, Role
from secateur.tokens import estimate_media_tokens

_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant", "user": "user"}
_ANSWERS = {"ObservationEvent": "observation", "AgentErrorEvent": "error", "UserRejectObservation": "rejection_reason"}


def get_fields(event: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a condensation."""
    return event


def is_condensation(event: OpenHandsEvent) -> bool:
    """Return whether this is a condensation."""
    return event.value.get("kind") == "Condensation"


def get_model(events: list[OpenHandsEvent]) -> str:
    """Return "", since these events do not name the model."""
    return ""


def count_tool_tokens(events: list[OpenHandsEvent]) -> int:
    """Return the tokens of the tools beside the system prompt."""
    return sum(
        count_fixed_tokens(event.value, "tools") for event in events if event.value.get("kind") == "SystemPromptEvent"
    )


def read_messages(events: list[OpenHandsEvent], model: str) -> list[Message]:
    """Return the messages of these events, in order."""
    calls, made, last = Calls(), list[Message](), ""
    for event in events:
        value, path = event.value, event.path
        same = value.get("kind") == "ActionEvent" and as_string(value.get("llm_response_id"))
        if same and same == last:
            before = made.pop()
            parts = (*before.parts, _call(value, path, calls))
            made.append(Message("assistant", before.path, parts, lines=before.lines, recorded_ms=before.recorded_ms))
            continue
        found = _read_message(event, calls, model)
        if found is not None:
            made.append(found)
            last = same or ""
    return made


def _read_message(event: OpenHandsEvent, calls: Calls, model: str) -> Message | None:
    value, path = event.value, event.path
    at, lines = parse_timestamp(value.get("timestamp")), tuple(step for step in path[:1] if isinstance(step, int))
    kind = as_string(value.get("kind"))
    if kind in _ANSWERS:
        calls.speaks("tool")
        return Message("tool", path, tuple(_read_result(value, path, calls, kind)), "harness", lines, at)
    if kind == "ActionEvent":
        calls.speaks("assistant")
        parts = (*_read_thinking(value, path, model), *_read_blocks(value.get("thought"), (*path, "thought")))
        return Message("assistant", path, (*parts, _call(value, path, calls)), lines=lines, recorded_ms=at)
    if kind == "MessageEvent":
        return _read_spoken(event, calls, model, lines, at)
    if kind == "SystemPromptEvent":
        names = [name for name in ("system_prompt", "dynamic_context") if as_dict(value.get(name)).get("text")]
        found = tuple(Part("text", (*path, name, "text"), as_string(value[name]["text"])) for name in names)
        return Message("system", path, found, "harness", lines, at)
    if kind == "Condensation":
        return Message(
            "user", path, (Part("text", (*path, "summary"), as_string(value.get("summary"))),), "summary", lines, at
        )
    return None


def _read_spoken(event: OpenHandsEvent, calls: Calls, model: str, lines: tuple[int, ...], at: int) -> Message:
    said, inside = as_dict(event.value.get("llm_message")), (*event.path, "llm_message")
    role = _ROLES.get(as_string(said.get("role")), "user")
    calls.speaks(role)
    parts = (*_read_thinking(said, inside, model), *_read_blocks(said.get("content"), (*inside, "content")))
    extra = _read_blocks(event.value.get("extended_content"), (*event.path, "extended_content"))
    return Message(role, event.path, (*parts, *extra), "harness" if role == "system" else "user", lines, at)


def _read_thinking(value: dict[str, Any], path: Path, model: str) -> Iterator[Part]:
    blocks = as_list(value.get("thinking_blocks"))
    for number, block in enumerate(map(as_dict, blocks)):
        signature = as_string(block.get("signature")) or as_string(block.get("data"))
        bound = bool(signature) and is_bound(model)
        text, where = as_string(block.get("thinking")), (*path, "thinking_blocks", number)
        yield Part("reasoning", where, text, fingerprint=signature, pinned=True, prefix_bound=bound)
    if not blocks and as_string(value.get("reasoning_content")):
        yield Part("reasoning", (*path, "reasoning_content"), value["reasoning_content"], pinned=True)


def _read_blocks(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", path, content)
    for number, block in enumerate(as_list(content)):
        said = get_block_text(block)
        if said is not None:
            yield Part("text", (*path, number, "text"), said)
        else:
            yield _read_medium(block, (*path, number)) or make_opaque(block, (*path, number))


def _read_medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict) or block.get("type") != "image":
        return None
    urls = [url for url in as_list(block.get("image_urls")) if isinstance(url, str)]
    tokens = sum(estimate_media_tokens("image", len(url)) for url in urls)
    return Part("media", path, "image", fingerprint=hash_value(urls), container_key=within, pinned=True, tokens=tokens)


def _call(value: dict[str, Any], path: Path, calls: Calls) -> Part:
    asked = as_dict(value.get("tool_call"))
    tool = as_string(value.get("tool_name")) or as_string(asked.get("name"))
    call = as_string(value.get("tool_call_id")) or as_string(asked.get("id"))
    calls.add(call, tool)
    if isinstance(asked.get("arguments"), str):
        return Part("tool_call", (*path, "tool_call", "arguments"), normalize_arguments(asked["arguments"]), tool, call)
    return Part("tool_call", path, dump_canonical(value.get("action")), tool, call, pinned=True)


def _read_result(value: dict[str, Any], path: Path, calls: Calls, kind: str) -> tuple[Part, ...]:
    call = as_string(value.get("tool_call_id"))
    tool = calls.take(call) or as_string(value.get("tool_name"))
    name = _ANSWERS[kind]
    if kind != "ObservationEvent":
        known = isinstance(value.get(name), str)
        where = (*path, name) if known else path
        return (Part("tool_result", where, as_string(value.get(name)), tool, call, True, pinned=not known),)
    seen = as_dict(value.get(name))
    known = "content" in seen
    error = seen.get("is_error") is True
    head = Part("tool_result", (*path, name, "content") if known else path, "", tool, call, error, pinned=not known)
    content = seen["content"] if known else [value.get(name)]
    return make_result(head, content, lambda block, where: _read_medium(block, where, "result"))
