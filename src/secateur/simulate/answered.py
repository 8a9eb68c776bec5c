"""What a document records about each answer: its usage, and the model that gave it.

Rule: usage belongs to the answer that it is recorded with. In a log it is on the answer's own lines, and on those of
the host's bookkeeping after it (Codex writes usage after the results of the calls, if they ran at once); an event that
repeats the one before, with the same sum, is ignored. Branches that are not read have their own usage.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from secateur.documents import Document
from secateur.jsontext import Lines, Text
from secateur.model import Message, Path
from secateur.usage import Usage, read_usage

_EVENT = b'"token_count"'  # Codex's event, on a line of its own
_MODELS = ("model", "modelID")


class Answered:
    """The answers of one document, asked for in their order."""

    def __init__(self, read: Document, answers: Sequence[int]) -> None:
        """`answers` are the numbers of the messages that a model was asked for."""
        self.read = read
        self.messages = read.transcript.messages
        self.starts = sorted(min(self.messages[one].lines, default=0) for one in answers)
        self.known: Any = None  # the newest sum seen

    def get_answer_usage(self, number: int) -> tuple[Usage | None, str]:
        """Usage and model ("" if not stated) of the answer in this message."""
        native, message = self.read.native, self.messages[number]
        if not isinstance(native, Lines):
            values = [_get_value(native, message.path[: len(self.read.transcript.messages_path) + 1])]
            return read_usage(values), find_model(values)
        own = [native.line(line) for line in message.lines]
        return read_usage(own) or self._find_later_usage(native, message), find_model(own)

    def _find_later_usage(self, native: Lines, message: Message) -> Usage | None:
        """The first new figures between this answer and the next."""
        if not message.lines:
            return None
        first = min(message.lines)
        later = bisect_right(self.starts, first)
        end = self.starts[later] if later < len(self.starts) else len(native)
        for line in range(first + 1, end):
            text = native.child(line)
            if line in message.lines or text is None or _EVENT not in text.raw:
                continue
            value = native.line(line)
            usage, total = read_usage(value), _get_total(value)
            if usage is not None and (total is None or total != self.known):
                self.known = total
                return usage
        return None


def find_model(values: Sequence[Any]) -> str:
    """The model that answered, as stated in these elements or lines; "" if not stated."""
    for value in values:
        for table in (value, *(value.get(name) for name in ("message", "info") if isinstance(value, dict))):
            for name in _MODELS if isinstance(table, dict) else ():
                if isinstance(table.get(name), str):
                    return str(table[name])
    return ""


def get_sibling_usage(native: Any) -> Usage | None:
    """The usage stored with a captured request's messages: that of the missing answer."""
    if isinstance(native, Text):
        found = [native.at((name,)) for name in ("response", "usage")]
        values = [one.value() for one in found if one is not None]
    else:
        values = [native.get(name) for name in ("response", "usage")] if isinstance(native, dict) else []
    return read_usage(values)


def _get_total(event: Any) -> Any:
    payload = event.get("payload") if isinstance(event, dict) else None
    info = payload.get("info") if isinstance(payload, dict) else None
    return info.get("total_token_usage") if isinstance(info, dict) else None


def _get_value(native: Any, place: Path) -> Any:
    if isinstance(native, Text):
        found = native.at(place)
        return found.value() if found is not None else None
    for step in place:
        native = native[step]
    return native
