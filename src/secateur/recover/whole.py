"""The whole history of a session file: with what its host compacted, condensed or cleared away, without its summaries.

Rule: what the host wrote stays as it is; its marks are left out of a copy, which is then read. Each message once, in
the order of the file; branches that were abandoned stay out.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from secateur.formats.session_files import rows, table
from secateur.jsontext import Lines, Text
from secateur.model import Message
from secateur.session import document
from secateur.session.document import Document
from secateur.simulate.requests import recorded

Value = dict[str, Any]


class Whole(Struct, frozen=True):
    """A session file, and everything that was said in it."""

    document: Document  # as the host would send it
    messages: tuple[Message, ...]
    sent: int  # messages that the host would still send as they were
    compactions: int


def whole(data: bytes, format: str | None = None, model: str = "") -> Whole:
    """Everything in a session file. Raises FormatError."""
    last = document.read(data, format, model)
    name = last.format.name
    sent = [message for message in last.transcript.messages if message.origin != "summary"]
    if isinstance(last.native, Lines):
        copy, marks = _unmarked_lines(last.native.data, name)
        stretches = len(recorded(copy, format=name, model=model).segments)
        found = recorded(copy, format=name, model=model, compactions=False).segments[-1].messages
        count = stretches - 1 + marks
    else:
        value = last.native.value() if isinstance(last.native, Text) else last.native
        copy_, count = _UNMARKED[name](value) if name in _UNMARKED else (value, 0)
        found = document.read(copy_, name, model).transcript.messages if count else last.transcript.messages
    kept = tuple(message for message in found if message.origin != "summary")
    return Whole(last, kept, min(len(sent), len(kept)), count)


def _unmarked_lines(data: bytes, name: str) -> tuple[bytes, int]:
    """The lines of a log without marks that hide what stands before them, and how many those were."""
    mend = _LINE_MARKS.get(name)
    if mend is None:
        return data, 0
    mark, without = mend
    lines, found = data.split(b"\n"), 0
    for number, line in enumerate(lines):
        value = _object(line) if mark in line else None
        if value is not None and (made := without(value)) is not None:
            lines[number] = msgspec.json.encode(made) if made else b""
            found += 1
    return b"\n".join(lines), found


def _object(line: bytes) -> Value | None:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _not_cleared(entry: Value) -> Value | None:
    """A line of Claude Code without its list of cleared results; None for another line."""
    return {name: one for name, one in entry.items() if name != "microcompactMetadata"} or None


def _not_condensed(entry: Value) -> Value | None:
    """Nothing in place of OpenHands' condensations; None for another line."""
    return {} if _condenses(entry) else None


def _not_compacted(entry: Value) -> Value | None:
    """Nothing in place of Codex' compactions, which bring a list of their own; None for another line."""
    return {} if entry.get("type") == "compacted" else None


def _condenses(event: Value) -> bool:
    return event.get("kind") == "Condensation" or event.get("action") == "condensation"


def _openhands(value: Any) -> tuple[Any, int]:
    """OpenHands' events without condensations."""
    if isinstance(value, dict):
        history, count = _openhands(value.get("history"))
        return {**value, "history": history}, count
    events = [one for one in rows(value) if not _condenses(table(one))]
    return events, len(rows(value)) - len(events)


def _opencode(value: Any) -> tuple[Any, int]:
    """opencode's messages without compactions, and with the outputs that it cleared."""
    items = rows(value.get("messages")) if isinstance(value, dict) else rows(value)
    made, count = [], 0
    for item in map(table, items):
        if table(item.get("info")).get("summary") is True:
            count += 1
            continue
        parts = [_uncleared(table(part)) for part in rows(item.get("parts")) if table(part).get("type") != "compaction"]
        count += sum(one is not part for one, part in zip(parts, rows(item.get("parts")), strict=False))
        made.append({**item, "parts": parts})
    return ({**value, "messages": made} if isinstance(value, dict) else made), count


def _uncleared(part: Value) -> Value:
    """A part of opencode without the stamp by which it sends a placeholder for its output."""
    state = table(part.get("state"))
    time = table(state.get("time"))
    if "compacted" not in time:
        return part
    time = {name: one for name, one in time.items() if name != "compacted"}
    return {**part, "state": {**state, "time": time}}


_LINE_MARKS: dict[str, tuple[bytes, Callable[[Value], Value | None]]] = {
    "claude_code": (b'"microcompactMetadata"', _not_cleared),
    "codex": (b'"compacted"', _not_compacted),
    "openhands_lines": (b"ondensation", _not_condensed),
}
_UNMARKED: dict[str, Callable[[Any], tuple[Any, int]]] = {"opencode": _opencode, "openhands": _openhands}
