"""Pi's session tree and its compactions (OpenClaw's too): the branch that is sent, and the entry to append.

Entries form a tree by `id` and `parentId`; before version 2 they have no ids and follow each other. The branch that
ends in the newest entry is sent, with its newest compaction applied.

Rule: an appended entry has the summary and names the first entry that stays. Where it cannot say what stays (a message
between removed ones, an earlier compaction among the kept), it keeps nothing, and what stays is repeated after it. The
middle layout of pi-auto-compressor is stored with the entry (SEEDS 2.6): the host has every message, and the extension
arranges them. Usage in a copy is zero, because it does not describe the context that begins here.
"""

from typing import Any

from secateur.formats.format import Appending
from secateur.formats.logs import Log, trace_ancestry
from secateur.model import Message

MIDDLE = "hermes-middle"  # how pi-auto-compressor marks its layout

Entry = dict[str, Any]
_EXTENSION = "pi-auto-compressor"
_COUNTS = ("input", "output", "cacheRead", "cacheWrite", "totalTokens", "reasoning")


def branch(log: Log) -> list[int]:
    """The lines that Pi sends, oldest first; a compaction is before the lines it kept."""
    path = find_branch(log)
    for place in range(len(path) - 1, -1, -1):
        entry = log.entries[path[place]]
        if entry.get("type") == "compaction":
            first = _find_first_kept(entry, log, path[:place])
            kept = [*path[first:place], *path[place + 1 :]]
            return _arrange_kept(entry.get("details"), path[place], [line for line in kept if is_in_context(log, line)])
    return path


def is_in_context(log: Log, line: int) -> bool:
    """Return whether the entry on a line is sent to the model."""
    return log.entries[line].get("type") in ("message", "custom_message", "branch_summary")


def _arrange_kept(details: Any, summary: int, lines: list[int]) -> list[int]:
    """Return a compaction and what it kept; in pi-auto-compressor's middle layout, head, summary and tail."""
    if not isinstance(details, dict) or details.get("kind") != MIDDLE:
        return [summary, *lines]
    counts = [details.get(name) for name in ("headMessageCount", "tailMessageCount", "compactedMessageCount")]
    head, tail, compacted = (count if isinstance(count, int) and count >= 0 else 0 for count in counts)
    compacted = min(compacted, len(lines))
    head = min(head, compacted)
    return [*lines[:head], summary, *lines[max(head, compacted - tail) :]]


def get_entry_kind(entry: dict[str, Any]) -> Any:
    """Return the kind of an entry."""
    return entry.get("type")


def list_entry_ids(lines: dict[int, dict[str, Any]]) -> dict[int, str]:
    """Return the IDs of the tree's entries by line; none if entries have no IDs (version 1)."""
    headers = (entry.get("version") for entry in lines.values() if entry.get("type") == "session")
    versions = [version for version in headers if isinstance(version, int)]
    if versions and versions[0] < 2:
        return {}
    return {
        line: entry["id"]
        for line, entry in lines.items()
        if entry.get("type") != "session" and isinstance(entry.get("id"), str)
    }


def find_branch(log: Log) -> list[int]:
    """Return the branch that ends in the newest entry, or all lines if entries have no IDs (version 1)."""
    nodes = {line: entry for line, entry in log.entries.items() if entry.get("type") != "session"}
    tree = {line: nodes[line].get("parentId") for line in list_entry_ids(log.entries)}
    if not tree:
        return list(nodes)
    places = {log.entries[line]["id"]: line for line in tree}
    parents = {line: parent if isinstance(parent, str) else None for line, parent in tree.items()}
    return trace_ancestry(max(tree), parents, places, log.warnings)


def _find_first_kept(entry: dict[str, Any], log: Log, before: list[int]) -> int:
    """Return the place on the branch from which a compaction kept entries; its end if it kept none."""
    name, number = entry.get("firstKeptEntryId"), entry.get("firstKeptEntryIndex")
    if isinstance(name, str):
        for place, line in enumerate(before):
            if log.entries[line].get("id") == name:
                return place
    elif isinstance(number, int):
        lines = list(log.entries)  # version 1 counts the entries that could be read, the header as 0
        if 0 < number < len(lines) and lines[number] in before:
            return before.index(lines[number])
    log.warnings.append("a compaction names no entry that it kept: the history starts with its summary")
    return len(before)


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
