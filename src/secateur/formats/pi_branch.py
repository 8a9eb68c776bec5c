"""Which lines of a Pi log the host would send: the branch that ends in the newest entry, its newest compaction applied.

Entries form a tree by `id` and `parentId`; before version 2 they have no ids and stand in line. Nothing here reads what
is said.
"""

from typing import Any

from secateur.formats.logs import Log, ancestry

MIDDLE = "hermes-middle"  # how pi-auto-compressor marks its layout


def branch(log: Log) -> list[int]:
    """The lines that Pi sends, oldest first; a compaction stands before the lines it kept."""
    path = whole(log)
    for place in range(len(path) - 1, -1, -1):
        entry = log.entries[path[place]]
        if entry.get("type") == "compaction":
            first = _first_kept(entry, log, path[:place])
            kept = [*path[first:place], *path[place + 1 :]]
            return _laid_out(entry.get("details"), path[place], [line for line in kept if in_context(log, line)])
    return path


def in_context(log: Log, line: int) -> bool:
    """Whether the entry on a line says something to the model."""
    return log.entries[line].get("type") in ("message", "custom_message", "branch_summary")


def _laid_out(details: Any, summary: int, lines: list[int]) -> list[int]:
    """A compaction and what it kept; in the middle layout that pi-auto-compressor stores, head, summary and tail."""
    if not isinstance(details, dict) or details.get("kind") != MIDDLE:
        return [summary, *lines]
    counts = [details.get(name) for name in ("headMessageCount", "tailMessageCount", "compactedMessageCount")]
    head, tail, compacted = (count if isinstance(count, int) and count >= 0 else 0 for count in counts)
    compacted = min(compacted, len(lines))
    head = min(head, compacted)
    return [*lines[:head], summary, *lines[max(head, compacted - tail) :]]


def kind_of(entry: dict[str, Any]) -> Any:
    """What an entry is."""
    return entry.get("type")


def entry_ids(lines: dict[int, dict[str, Any]]) -> dict[int, str]:
    """The ids of the entries in the tree, by line; none where entries have no ids (version 1)."""
    headers = (entry.get("version") for entry in lines.values() if entry.get("type") == "session")
    versions = [version for version in headers if isinstance(version, int)]
    if versions and versions[0] < 2:
        return {}
    return {
        line: entry["id"]
        for line, entry in lines.items()
        if entry.get("type") != "session" and isinstance(entry.get("id"), str)
    }


def whole(log: Log) -> list[int]:
    """The branch that ends in the newest entry; all lines where entries have no ids (version 1)."""
    nodes = {line: entry for line, entry in log.entries.items() if entry.get("type") != "session"}
    tree = {line: nodes[line].get("parentId") for line in entry_ids(log.entries)}
    if not tree:
        return list(nodes)
    places = {log.entries[line]["id"]: line for line in tree}
    parents = {line: parent if isinstance(parent, str) else None for line, parent in tree.items()}
    return ancestry(max(tree), parents, places, log.warnings)


def _first_kept(entry: dict[str, Any], log: Log, before: list[int]) -> int:
    """The place on the branch from which a compaction kept entries; its end where it kept none."""
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
