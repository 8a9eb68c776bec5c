"""OpenClaw session logs: Pi's lines, and OpenClaw's own among them.

The transcript is Pi's (`pi`). A line `openclaw.cache-ttl` says when the model was last called, and which it was: what
OpenClaw's pruning goes by. Other lines of its own (`model-snapshot`, `openclaw:…`) are not sent and left alone.
"""

from typing import Any

from msgspec.structs import replace

from secateur.formats.logs import parse_timestamp, read_first_lines, refuse_new_message
from secateur.formats.pi import Pi
from secateur.formats.session_files import as_dict, as_string
from secateur.jsontext import Lines
from secateur.model import Message, NewMessage, Transcript

_CALLED = "openclaw.cache-ttl"
_MARK = b'"customType"'


class OpenClaw(Pi):
    """Reader of OpenClaw's session files."""

    name = "openclaw"

    def recognize(self, native: Any) -> str:
        """A line of Pi's grammar whose custom type is OpenClaw's."""
        for entry in read_first_lines(native):
            kind = as_string(entry.get("customType"))
            if entry.get("type") == "custom" and (kind.startswith("openclaw") or kind == "model-snapshot"):
                return f"a line has the custom type {kind}"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """Pi's transcript, with the time of the last call, its provider and model from OpenClaw's own lines."""
        read = super().read(native, known, model)
        told = _find_last_call(native)
        called = parse_timestamp(told.get("timestamp"))
        if not called:
            return read
        named = model or as_string(told.get("modelId")) or read.model
        return replace(
            read, last_call_ms=called, provider=as_string(told.get("provider")) or read.provider, model=named
        )

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "OpenClaw")


def _find_last_call(native: Lines) -> dict[str, Any]:
    """Return the data of the newest line that records a call, or {}."""
    for at in range(len(native) - 1, -1, -1):
        text = native.child(at)
        if text is not None and _MARK in text.raw:
            entry = as_dict(native.line(at))
            if entry.get("type") == "custom" and entry.get("customType") == _CALLED:
                return as_dict(entry.get("data"))
    return {}
