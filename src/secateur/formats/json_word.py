"""The word "json": with the response format `json_object` some message must say it, or the API refuses the request.

Rule (wire rules O9, R15): the first part that says it is pinned, so that it stays in every view; where it stands
follows from the history alone, so a history that grows keeps it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from secateur.formats.native import read_member
from secateur.model import Message, Part


def is_json_requested(native: Any) -> bool:
    """Return whether a body requests JSON this way."""
    text = read_member(native, "text")
    form = read_member(native, "response_format") or (text.get("format") if isinstance(text, dict) else None)
    return isinstance(form, dict) and form.get("type") == "json_object"


def pin_json_word(fresh: Iterable[Message], known: tuple[Message, ...]) -> Iterator[Message]:
    """Yield the messages after `known`, pinning the texts of the first that mentions the word."""
    said = any(map(_has_json_word, known))
    for message in fresh:
        if not said and _has_json_word(message):
            said = True
            message = replace(message, parts=tuple([_pin_text(part) for part in message.parts]))
        yield message


def _has_json_word(message: Message) -> bool:
    return any(_has_text(part) and "json" in part.text.lower() for part in message.parts)


def _pin_text(part: Part) -> Part:
    return replace(part, pinned=True) if _has_text(part) else part


def _has_text(part: Part) -> bool:
    return part.kind in ("text", "tool_result")
