"""Which lines of a Pi log the host would send: the branch that ends in the newest entry, its newest compaction applied.

Entries form a tree by `id` and `parentId`; before version 2 they have no ids and stand in line. Nothing here reads what
is said.
"""

from typing import Any

from secateur.formats.logs import Log, trace_ancestry

MIDDLE = "hermes-middle"  # how pi-auto-compressor marks its layout


def branch(log: Log) -> list[int]:
    """The lines that Pi sends, oldest first; a compaction stands before the lines it kept."""
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
