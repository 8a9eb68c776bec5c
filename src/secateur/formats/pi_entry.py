"""Pi's own compaction, appended (OpenClaw's too): one entry with the summary, which names the first entry that stays.

Rule: where an entry cannot say what stays (a message between what gave way, another compaction among the kept), it
keeps nothing, and what stays is said again behind it. The middle layout of pi-auto-compressor is stored with the entry
(SEEDS 2.6): the host holds every message, and the extension lays them out. Usage in a copy is zero: it says nothing of
the context that begins here.
"""

from typing import Any

from secateur.formats.appending import Appending
from secateur.formats.logs import Log
from secateur.formats.pi_branch import MIDDLE, find_branch, get_entry_kind, is_in_context, list_entry_ids
from secateur.model import Message

Entry = dict[str, Any]
_EXTENSION = "pi-auto-compressor"
_COUNTS = ("input", "output", "cacheRead", "cacheWrite", "totalTokens", "reasoning")


def build_entries(made: Appending, log: Log) -> list[Entry]:
    """Build the lines. `log` is the readable part of the file."""
    writer = _Writer(made, log.entries)
    kept, put_in = made.kept
    details, first = _build_layout(made, log)
    if details and writer.can_keep(first):
        writer.compact(kept=first, details=details)
    elif kept is not None and writer.can_keep(kept.lines[0]):
        writer.compact(kept=kept.lines[0])
    else:
        writer.keep_nothing()
        put_in = ()
        for item in made.rest:
            if isinstance(item, Message):
                writer.copy(item)
            else:
                writer.say(item.text)
    for new in put_in:
        writer.say(new.text)
    return writer.made


def _build_layout(made: Appending, log: Log) -> tuple[Entry, int]:
    """Return the middle layout, if the host's extension uses it, and the first line in the context."""
    told = made.meta.get("summary")
    place = next((n for n, item in enumerate(made.items) if not isinstance(item, Message)), 0)
    around = [item.lines for item in made.items if isinstance(item, Message)]
    if (
        not isinstance(told, dict)
        or told.get("template") != _EXTENSION
        or not made.tail
        or place + made.tail != len(around)
    ):
        return {}, 0
    lines = [line for line in find_branch(log) if is_in_context(log, line)]
    head = lines.index(around[place - 1][-1]) + 1 if place else 0
    tail = len(lines) - lines.index(around[place][0])
    counts = {"headMessageCount": head, "tailMessageCount": tail, "compactedMessageCount": len(lines)}
    return {"kind": MIDDLE, **counts}, lines[0]


class _Writer:
    """Entries behind the newest one, each under the one before."""

    def __init__(self, made: Appending, lines: dict[int, Entry]) -> None:
        self.made: list[Entry] = []
        self._view = made
        self._lines = lines
        self._ids = list_entry_ids(lines)
        self._last = lines[max(self._ids)]["id"] if self._ids else None

    def can_keep(self, first: int) -> bool:
        """Return whether an entry can keep everything from this line on: no other compaction follows."""
        return not any(get_entry_kind(entry) == "compaction" for line, entry in self._lines.items() if line >= first)

    def keep_nothing(self) -> None:
        """A compaction behind a mark of ours, from which nothing is kept: the mark says nothing."""
        self._add({"type": "custom", "customType": "secateur.compaction", "data": {}})
        self.compact(kept=None)

    def compact(self, kept: int | None, details: Entry | None = None) -> None:
        """The compaction entry."""
        said: Entry = {"summary": self._view.summary, "tokensBefore": self._view.tokens, "fromHook": True}
        if not self._ids:  # version 1: entries have numbers, and what could not be read has none
            order = list(self._lines)
            said["firstKeptEntryIndex"] = len(order) if kept is None else order.index(kept)
        else:
            said["firstKeptEntryId"] = self._last if kept is None else self._lines[kept]["id"]
        self._add({"type": "compaction", **said, "details": details or {"readFiles": [], "modifiedFiles": []}})

    def say(self, text: str) -> None:
        """A message that is not in the history: the model reads it, the screen does not show it."""
        if self._ids:
            self._add({"type": "custom_message", "customType": "secateur.continue", "content": text, "display": False})
        else:
            self._add({"type": "message", "message": {"role": "user", "content": text}})

    def copy(self, message: Message) -> None:
        """A message that stays."""
        for line in message.lines:
            entry = dict(self._view.element(line))
            said = entry.get("message")
            if isinstance(said, dict) and isinstance(said.get("usage"), dict):
                entry["message"] = said | {"usage": _zero_usage(said["usage"])}
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        number = len(self.made)
        linked: Entry = {"type": entry["type"]}
        if self._ids:
            linked |= {"id": self._view.make_id(number, 8), "parentId": self._last}
            self._last = linked["id"]
        linked["timestamp"] = self._view.stamp(number)
        self.made.append({**linked, **{name: entry[name] for name in entry if name not in linked}})


def _zero_usage(usage: Entry) -> Entry:
    made: Entry = {name: 0 if name in _COUNTS else value for name, value in usage.items()}
    if isinstance(made.get("cost"), dict):
        made["cost"] = dict.fromkeys(made["cost"], 0)
    return made
