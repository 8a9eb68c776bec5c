"""Events of OpenHands version 1, told apart by `kind`.

Actions of one response of the model are one assistant message. Observations are results; errors of the agent and
rejections by a person are results too. Other kinds (pauses, changes of state) are not sent.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.logs import moment, result, stranger, text_of
from secateur.formats.native import Calls, canonical, fixed_tokens, value_digest
from secateur.formats.openai_chat import arguments
from secateur.formats.openhands_events import OpenHandsEvent
from secateur.formats.session_files import rows, table, word
from secateur.model import Message, Part, Path, Role
from secateur.tokens import media_tokens

_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant", "user": "user"}
_ANSWERS = {"ObservationEvent": "observation", "AgentErrorEvent": "error", "UserRejectObservation": "rejection_reason"}


def inner(event: dict[str, Any]) -> dict[str, Any]:
    """Where a condensation keeps its fields."""
    return event


def forgets(event: OpenHandsEvent) -> bool:
    """Whether this is a condensation."""
    return event.value.get("kind") == "Condensation"


def model_of(events: list[OpenHandsEvent]) -> str:
    """Events do not name the model."""
    return ""


def tools_of(events: list[OpenHandsEvent]) -> int:
    """Tokens of the tools beside the system prompt."""
    return sum(fixed_tokens(event.value, "tools") for event in events if event.value.get("kind") == "SystemPromptEvent")


def messages(events: list[OpenHandsEvent], model: str) -> list[Message]:
    """The messages of these events, in order."""
    calls, made, last = Calls(), list[Message](), ""
    for event in events:
        value, path = event.value, event.path
        same = value.get("kind") == "ActionEvent" and word(value.get("llm_response_id"))
        if same and same == last:
            before = made.pop()
            parts = (*before.parts, _call(value, path, calls))
            made.append(Message("assistant", before.path, parts, lines=before.lines, recorded_ms=before.recorded_ms))
            continue
        found = _message(event, calls, model)
        if found is not None:
            made.append(found)
            last = same or ""
    return made


def _message(event: OpenHandsEvent, calls: Calls, model: str) -> Message | None:
    value, path = event.value, event.path
    at, lines = moment(value.get("timestamp")), tuple(step for step in path[:1] if isinstance(step, int))
    kind = word(value.get("kind"))
    if kind in _ANSWERS:
        calls.speaks("tool")
        return Message("tool", path, tuple(_result(value, path, calls, kind)), "harness", lines, at)
    if kind == "ActionEvent":
        calls.speaks("assistant")
        parts = (*_thinking(value, path, model), *_blocks(value.get("thought"), (*path, "thought")))
        return Message("assistant", path, (*parts, _call(value, path, calls)), lines=lines, recorded_ms=at)
    if kind == "MessageEvent":
        return _spoken(event, calls, model, lines, at)
    if kind == "SystemPromptEvent":
        names = [name for name in ("system_prompt", "dynamic_context") if table(value.get(name)).get("text")]
        found = tuple(Part("text", (*path, name, "text"), word(value[name]["text"])) for name in names)
        return Message("system", path, found, "harness", lines, at)
    if kind == "Condensation":
        return Message(
            "user", path, (Part("text", (*path, "summary"), word(value.get("summary"))),), "summary", lines, at
        )
    return None


def _spoken(event: OpenHandsEvent, calls: Calls, model: str, lines: tuple[int, ...], at: int) -> Message:
    said, inside = table(event.value.get("llm_message")), (*event.path, "llm_message")
    role = _ROLES.get(word(said.get("role")), "user")
    calls.speaks(role)
    parts = (*_thinking(said, inside, model), *_blocks(said.get("content"), (*inside, "content")))
    extra = _blocks(event.value.get("extended_content"), (*event.path, "extended_content"))
    return Message(role, event.path, (*parts, *extra), "harness" if role == "system" else "user", lines, at)


def _thinking(value: dict[str, Any], path: Path, model: str) -> Iterator[Part]:
    blocks = rows(value.get("thinking_blocks"))
    for number, block in enumerate(map(table, blocks)):
        signature = word(block.get("signature")) or word(block.get("data"))
        bound = bool(signature) and is_bound(model)
        text, where = word(block.get("thinking")), (*path, "thinking_blocks", number)
        yield Part("reasoning", where, text, fingerprint=signature, pinned=True, prefix_bound=bound)
    if not blocks and word(value.get("reasoning_content")):
        yield Part("reasoning", (*path, "reasoning_content"), value["reasoning_content"], pinned=True)


def _blocks(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", path, content)
    for number, block in enumerate(rows(content)):
        said = text_of(block)
        if said is not None:
            yield Part("text", (*path, number, "text"), said)
        else:
            yield _medium(block, (*path, number)) or stranger(block, (*path, number))


def _medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict) or block.get("type") != "image":
        return None
    urls = [url for url in rows(block.get("image_urls")) if isinstance(url, str)]
    tokens = sum(media_tokens("image", len(url)) for url in urls)
    return Part(
        "media", path, "image", fingerprint=value_digest(urls), container_key=within, pinned=True, tokens=tokens
    )


def _call(value: dict[str, Any], path: Path, calls: Calls) -> Part:
    asked = table(value.get("tool_call"))
    tool = word(value.get("tool_name")) or word(asked.get("name"))
    call = word(value.get("tool_call_id")) or word(asked.get("id"))
    calls.add(call, tool)
    if isinstance(asked.get("arguments"), str):
        return Part("tool_call", (*path, "tool_call", "arguments"), arguments(asked["arguments"]), tool, call)
    return Part("tool_call", path, canonical(value.get("action")), tool, call, pinned=True)


def _result(value: dict[str, Any], path: Path, calls: Calls, kind: str) -> tuple[Part, ...]:
    call = word(value.get("tool_call_id"))
    tool = calls.take(call) or word(value.get("tool_name"))
    name = _ANSWERS[kind]
    if kind != "ObservationEvent":
        known = isinstance(value.get(name), str)
        where = (*path, name) if known else path
        return (Part("tool_result", where, word(value.get(name)), tool, call, True, pinned=not known),)
    seen = table(value.get(name))
    known = "content" in seen
    error = seen.get("is_error") is True
    head = Part("tool_result", (*path, name, "content") if known else path, "", tool, call, error, pinned=not known)
    content = seen["content"] if known else [value.get(name)]
    return result(head, content, lambda block, where: _medium(block, where, "result"))
