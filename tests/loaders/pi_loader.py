"""A second reader of Pi's session files: climbs from the newest entry to the root, then cuts where Pi compacted."""

from typing import Any

from loaders.shown import Shown, flat, objects, sorted_json

USERS = ("user", "custom", "hookMessage")


def load(data: bytes) -> list[Shown]:
    """What Pi would send, oldest first."""
    entries = [entry for entry in objects(data) if isinstance(entry, dict)]
    branch = linear(entries) if entries and entries[0].get("version", 1) < 2 else climb(entries)
    shown: list[Shown] = []
    for entry in compacted(branch, entries):
        shown += of_entry(entry)
    return shown


def linear(entries: list[Any]) -> list[Any]:
    return [entry for entry in entries if entry["type"] != "session"]


def climb(entries: list[Any]) -> list[Any]:
    """From the newest entry up to the root; a parent that is lost was the entry on the line before."""
    by_id = {one["id"]: one for one in entries if one["type"] != "session"}
    entry, branch = entries[-1], []
    while entry["type"] != "session":
        branch.insert(0, entry)
        if not entry["parentId"]:
            break
        place = next(at for at, one in enumerate(entries) if one is entry)
        entry = by_id.get(entry["parentId"], entries[place - 1])
    return branch


def compacted(branch: list[Any], entries: list[Any]) -> list[Any]:
    newest = [entry for entry in branch if entry["type"] == "compaction"]
    if not newest:
        return branch
    last = newest[-1]
    cut = next(at for at, entry in enumerate(branch) if entry is last)
    first = entries[last["firstKeptEntryIndex"]] if "firstKeptEntryIndex" in last else None
    kept: list[Any] = []
    for entry in branch[:cut]:
        if kept or entry is first or (first is None and entry.get("id") == last.get("firstKeptEntryId")):
            kept.append(entry)
    return [last, *kept, *branch[cut + 1 :]]


def of_entry(entry: Any) -> list[Shown]:
    if entry["type"] == "message":
        return of_message(entry["message"])
    if entry["type"] in ("compaction", "branch_summary"):
        return [Shown("user", "text", entry["summary"])]
    if entry["type"] == "custom_message":
        return of_message({"role": "custom", "content": entry["content"]})
    return []


def of_message(message: Any) -> list[Shown]:
    role = message["role"]
    if role == "toolResult":
        blocks = [Shown("tool", "media") for block in message["content"] if block["type"] == "image"]
        return [Shown("tool", "tool_result", flat(message["content"]), message["toolCallId"]), *blocks]
    if role == "bashExecution":
        return [Shown("user", "text", message["command"]), Shown("user", "text", message["output"])]
    if isinstance(message["content"], str):
        return [Shown("user" if role in USERS else role, "text", message["content"])]
    return [of_block("user" if role in USERS else role, block) for block in message["content"]]


def of_block(role: str, block: Any) -> Shown:
    kind = block["type"]
    if kind == "text":
        return Shown(role, "text", block["text"])
    if kind == "thinking":
        return Shown(role, "reasoning", block["thinking"])
    if kind == "toolCall":
        return Shown(role, "tool_call", sorted_json(block["arguments"]), block["id"])
    return Shown(role, "media" if kind == "image" else "other")
