"""The word "json": with the response format `json_object` some message must contain it, or the API rejects the request.

Rule (API rules O9, R15): the first part with the word is pinned, so that it stays in every view; its place follows from
the history alone, so a history that grows keeps it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from secateur.formats.native import read_member
from secateur.model import Message

Kinds = tuple[str, ...]
IN_MESSAGES: Kinds = ("text", "tool_result")  # Chat Completions: results are messages
IN_INPUT: Kinds = ("text",)  # Responses: an output is not a message, so the word in it does not count


def is_json_requested(native: Any) -> bool:
    """Return whether a body requests JSON this way."""
    text = read_member(native, "text")
    form = read_member(native, "response_format") or (text.get("format") if isinstance(text, dict) else None)
    return isinstance(form, dict) and form.get("type") == "json_object"


def has_json_word(messages: Iterable[Message], kinds: Kinds) -> bool:
    """Return whether a text of these kinds mentions the word."""
    return any(part.kind in kinds and "json" in part.text.lower() for message in messages for part in message.parts)


def pin_json_word(fresh: Iterable[Message], known: tuple[Message, ...], kinds: Kinds) -> Iterator[Message]:
    """Yield the messages after `known`, pinning the texts of the first that mentions the word."""
    said = has_json_word(known, kinds)
    for message in fresh:
        if not said and has_json_word((message,), kinds):
            said = True
            parts = [replace(part, pinned=True) if part.kind in kinds else part for part in message.parts]
            message = replace(message, parts=tuple(parts))
        yield message
