"""Server-sent events, read from a stream and rewritten.

Rule: an event that is not rewritten keeps its bytes, including the end of its last line.
"""

import json
import re
from typing import Any

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_END = 4


class EventSplitter:
    """Cuts a stream into events, wherever its pieces end."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """The events that are complete with this piece."""
        start = max(0, len(self._rest) - _LONGEST_END)
        self._rest += piece
        events, begun = [], 0
        for found in _END.finditer(self._rest, start):
            events.append(bytes(self._rest[begun : found.end()]))
            begun = found.end()
        del self._rest[:begun]
        return events

    def finish(self) -> bytes:
        """Return the remainder at the end of the stream."""
        return bytes(self._rest)


def read_event(event: bytes) -> dict[str, Any] | None:
    """The JSON object that an event carries; None if it carries none."""
    lines = [line[5:].lstrip() for line in event.replace(b"\r\n", b"\n").split(b"\n") if line.startswith(b"data:")]
    try:
        value = json.loads(b"\n".join(lines)) if lines else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def build_event(data: dict[str, Any], name: str = "") -> bytes:
    """An event with this object; `name`: its type, where the API names events."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
