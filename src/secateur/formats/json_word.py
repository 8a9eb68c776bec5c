"""The word "json": with the response format `json_object` some message must say it, or the API refuses the request.

Rule (wire rules O9, R15): the first part that says it is pinned, so that it stays in every view; where it stands
follows from the history alone, so a history that grows keeps it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from secateur.formats.native import member
from secateur.model import Message, Part


def wanted(native: Any) -> bool:
    """Whether a body asks for JSON in this way."""
    text = member(native, "text")
    form = member(native, "response_format") or (text.get("format") if isinstance(text, dict) else None)
    return isinstance(form, dict) and form.get("type") == "json_object"


def kept(fresh: Iterable[Message], known: tuple[Message, ...]) -> Iterator[Message]:
    """The messages, read on behind `known`, the one that says the word first with its texts pinned."""
    said = any(map(_says, known))
    for message in fresh:
        if not said and _says(message):
            said = True
            message = replace(message, parts=tuple([_pinned(part) for part in message.parts]))
        yield message


def _says(message: Message) -> bool:
    return any(_holds_text(part) and "json" in part.text.lower() for part in message.parts)


def _pinned(part: Part) -> Part:
    return replace(part, pinned=True) if _holds_text(part) else part


def _holds_text(part: Part) -> bool:
    return part.kind in ("text", "tool_result")
