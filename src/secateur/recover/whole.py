"""The whole history of a session file: with what its host compacted, condensed or cleared away, without its summaries.

Rule: what the host wrote stays unchanged; its marks are left out of a copy, which is then read. Each message once, in
the order of the file; branches that were abandoned stay out.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from secateur import documents
from secateur.documents import Document
from secateur.formats.session_files import as_dict, as_list
from secateur.jsontext import Lines, Text
from secateur.model import Message
from secateur.simulate.requests import read_recording

Value = dict[str, Any]


class Whole(Struct, frozen=True):
    """A session file, and everything that was said in it."""

    document: Document  # as the host would send it
    messages: tuple[Message, ...]
    sent: int  # messages that the host would still send as they were
    compactions: int


def read_whole(data: bytes, format: str | None = None, model: str = "") -> Whole:
    """Read everything in a session file. Raises FormatError."""
    last = documents.read(data, format, model)
    name = last.format.name
    sent = [message for message in last.transcript.messages if message.origin != "summary"]
    if isinstance(last.native, Lines):
        copy, marks = _strip_marks(last.native.data, name)
        stretches = len(read_recording(copy, format=name, model=model).segments)
        found = read_recording(copy, format=name, model=model, compactions=False).segments[-1].messages
        count = stretches - 1 + marks
    else:
        value = last.native.value() if isinstance(last.native, Text) else last.native
        copy_, count = _UNMARKED[name](value) if name in _UNMARKED else (value, 0)
        found = documents.read(copy_, name, model).transcript.messages if count else last.transcript.messages
    kept = tuple(message for message in found if message.origin != "summary")
    return Whole(last, kept, min(len(sent), len(kept)), count)


def _strip_marks(data: bytes, name: str) -> tuple[bytes, int]:
    """The lines of a log without marks that hide earlier content, and how many there were."""
    mend = _LINE_MARKS.get(name)
    if mend is None:
        return data, 0
    mark, without = mend
    lines, found = data.split(b"\n"), 0
    for number, line in enumerate(lines):
        value = _decode_object(line) if mark in line else None
        if value is not None and (made := without(value)) is not None:
            lines[number] = msgspec.json.encode(made) if made else b""
            found += 1
    return b"\n".join(lines), found


def _decode_object(line: bytes) -> Value | None:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _strip_cleared(entry: Value) -> Value | None:
    """A Claude Code line without its list of cleared results; None for another line."""
    return {name: one for name, one in entry.items() if name != "microcompactMetadata"} or None


def _strip_condensation(entry: Value) -> Value | None:
    """An empty line for an OpenHands condensation; None for another line."""
    return {} if _is_condensation(entry) else None


def _strip_compaction(entry: Value) -> Value | None:
    """An empty line for a Codex compaction, which brings its own list; None for another line."""
    return {} if entry.get("type") == "compacted" else None


def _is_condensation(event: Value) -> bool:
    return event.get("kind") == "Condensation" or event.get("action") == "condensation"


def _restore_openhands(value: Any) -> tuple[Any, int]:
    """OpenHands' events without condensations."""
    if isinstance(value, dict):
        history, count = _restore_openhands(value.get("history"))
        return {**value, "history": history}, count
    events = [one for one in as_list(value) if not _is_condensation(as_dict(one))]
    return events, len(as_list(value)) - len(events)


def _restore_opencode(value: Any) -> tuple[Any, int]:
    """opencode's messages without compactions, with the outputs it cleared."""
    items = as_list(value.get("messages")) if isinstance(value, dict) else as_list(value)
    made, count = [], 0
    for item in map(as_dict, items):
        if as_dict(item.get("info")).get("summary") is True:
            count += 1
            continue
        parts = [
            _restore_output(as_dict(part))
            for part in as_list(item.get("parts"))
            if as_dict(part).get("type") != "compaction"
        ]
        count += sum(one is not part for one, part in zip(parts, as_list(item.get("parts")), strict=False))
        made.append({**item, "parts": parts})
    return ({**value, "messages": made} if isinstance(value, dict) else made), count


def _restore_output(part: Value) -> Value:
    """An opencode part without the stamp that makes it send a placeholder for its output."""
    state = as_dict(part.get("state"))
    time = as_dict(state.get("time"))
    if "compacted" not in time:
        return part
    time = {name: one for name, one in time.items() if name != "compacted"}
    return {**part, "state": {**state, "time": time}}


_LINE_MARKS: dict[str, tuple[bytes, Callable[[Value], Value | None]]] = {
    "claude_code": (b'"microcompactMetadata"', _strip_cleared),
    "codex": (b'"compacted"', _strip_compaction),
    "openhands_lines": (b"ondensation", _strip_condensation),
}
_UNMARKED: dict[str, Callable[[Any], tuple[Any, int]]] = {
    "opencode": _restore_opencode,
    "openhands": _restore_openhands,
}
