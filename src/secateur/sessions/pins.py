"""Pins: what stays in the view whatever the policy says, by name; and which parts that is in a history.

Rule: the oldest pin and the oldest part come first, so that what a pin holds it keeps; where the budget is used up,
nothing more is held, and the receipt says so. A pin protects; that what was edited reads as received is the decision's.
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any, get_args

import msgspec

from secateur.decoding import prepare_type
from secateur.errors import ConfigError
from secateur.model import Message, Part
from secateur.stores.protocol import Pin, PinKind

_LONGEST = 1_000  # characters: no path is longer


def pin_of(kind: str, pattern: str, at: int, tokens: int = 0) -> Pin:
    """A pin that can be. Raises ConfigError for another kind, or a pattern that says nothing."""
    kinds = get_args(PinKind)
    if kind not in kinds:
        raise ConfigError(f"cannot pin by {kind!r}: choose from {', '.join(kinds)}")
    if not pattern.strip():
        raise ConfigError(f"a pin by {kind} needs a pattern: an empty one would match everything or nothing")
    return msgspec.convert({"kind": kind, "pattern": pattern.strip(), "at": at, "tokens": tokens}, prepare_type(Pin))


def find_pinned(
    messages: tuple[Message, ...], pins: tuple[Pin, ...], handles: dict[str, str], budget: int
) -> tuple[dict[str, int], str]:
    """The pinned parts by key with their tokens, and a warning if the budget ends them.

    `handles` has, by lineage key, the whole handle of what was taken out there.
    """
    found: dict[str, int] = {}
    left = 0
    total = 0
    for pin in pins:
        for part in _find_named_parts(messages, pin, handles):
            if part.key in found:
                continue
            if total + part.tokens > budget:
                left += 1
                continue
            found[part.key] = part.tokens
            total += part.tokens
    if not left:
        return found, ""
    return found, f"pins protect {total:,} tokens of their budget of {budget:,}: {left} more parts are not protected"


def _find_named_parts(messages: tuple[Message, ...], pin: Pin, handles: dict[str, str]) -> Iterator[Part]:
    """The parts a pin names; a result brings the media inside it, a call that names a path its result."""
    calls: set[str] = set()
    for message in messages:
        if message.role == "assistant":
            calls = set()
        mine = {part.key for part in message.parts if _is_named(pin, message, part, handles)}
        if pin.kind == "glob":
            calls |= {part.call_id for part in message.parts if part.key in mine}
            mine |= {part.key for part in message.parts if part.kind == "tool_result" and part.call_id in calls}
        yield from (part for part in message.parts if part.key in mine or part.container_key in mine)


def _is_named(pin: Pin, message: Message, part: Part, handles: dict[str, str]) -> bool:
    return _TESTS[pin.kind](pin.pattern, message, part, handles)


def _is_named_by_message(pattern: str, message: Message, part: Part, handles: dict[str, str]) -> bool:
    return pattern in (message.key, part.key)


def _is_named_by_call(pattern: str, message: Message, part: Part, handles: dict[str, str]) -> bool:
    return part.kind in ("tool_call", "tool_result") and part.call_id == pattern


def _is_named_by_tool(pattern: str, message: Message, part: Part, handles: dict[str, str]) -> bool:
    named = part.kind in ("tool_call", "tool_result")
    return named and fnmatchcase(part.tool.strip().lower(), pattern.lower())


def _is_named_by_path(pattern: str, message: Message, part: Part, handles: dict[str, str]) -> bool:
    """Whether a text in the call's arguments is a path that matches, as a whole or in its last steps."""
    if part.kind != "tool_call":
        return False
    try:
        given = msgspec.json.decode(part.text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return any(fnmatchcase(one, pattern) or fnmatchcase(one, f"*/{pattern}") for one in _iterate_texts(given))


def _iterate_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) <= _LONGEST and "\n" not in value:
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _iterate_texts(one)


def _is_named_by_handle(pattern: str, message: Message, part: Part, handles: dict[str, str]) -> bool:
    return handles.get(part.key, "").startswith(pattern.lower())


_TESTS: dict[str, Callable[[str, Message, Part, dict[str, str]], bool]] = {
    "message": _is_named_by_message,
    "call": _is_named_by_call,
    "tool": _is_named_by_tool,
    "glob": _is_named_by_path,
    "handle": _is_named_by_handle,
}
