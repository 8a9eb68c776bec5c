"""Repairs for the session files of Pi and OpenClaw, where results are entries of the chain.

Rule: what followed the calls then follows the new results. Pi never sends an answer that was aborted or failed, nor its
calls, so these need no result. Files of version 1 have no ids; their compactions count entries, and the counts move
with each new line.
"""

from typing import Any

from secateur.api.repair_run import NO_RESULT
from secateur.api.replacements import parse_object, write_heading
from secateur.api.transcript.hosts import Entries, LineInsert, LoggedCall, get_value
from secateur.api.transcript.torn_lines import make_id
from secateur.formats.logs import parse_timestamp
from secateur.model import Part, Path, Transcript
from secateur.patch import Op


class PiHost:
    """Pi and OpenClaw."""

    has_unique_ids = False  # Pi serves many providers, and some of them give the same ids again
    tree_fields: tuple[str, str] | None = ("id", "parentId")

    def is_sent(self, entries: Entries, call: Part) -> bool:
        """Whether the call is sent; calls of an answer that broke off are not."""
        message = entries[int(call.path[0])].get("message")
        return not isinstance(message, dict) or message.get("stopReason") not in ("aborted", "error")

    def find_block(self, part: Part) -> Path:
        return part.path[:4] if part.kind == "tool_call" else part.path[:2]

    def find_id(self, part: Part) -> Path:
        return (*self.find_block(part), "id" if part.kind == "tool_call" else "toolCallId")

    def insert_results(self, entries: Entries, open_: list[LoggedCall], round_: list[LoggedCall]) -> LineInsert | None:
        last = _find_last_line(
            entries, [line for one in open_ for line in one.message.lines], [o.at for o in round_ if o.result]
        )
        entry = entries[last]
        above = entry.get("id") if "parentId" in entry else None
        if not isinstance(above, str):
            new = [_build_entry(entries, one, {}) for one in open_]
            return LineInsert(last, tuple(new), tuple(_count_again(entries, last, len(new))))
        names = [make_id(above, one.call.call_id, str(number), like=above) for number, one in enumerate(open_)]
        names[-1] = _find_lost_parent(entries, last) or names[-1]
        links = [{"id": name, "parentId": parent} for name, parent in zip(names, [above, *names[:-1]], strict=True)]
        new = [_build_entry(entries, one, link) for one, link in zip(open_, links, strict=True)]
        results = {one.at for one in round_ if one.result}
        return LineInsert(last, tuple(new), tuple(_move_children(entries, results, above, names[-1])))

    def convert_orphan(self, entries: Entries, orphan: Part) -> Op | None:
        path = self.find_block(orphan)
        message = get_value(entries[int(path[0])], path[1:])
        content = message.get("content")
        head = [{"type": "text", "text": write_heading(orphan.call_id, str(message.get("toolName") or ""))}]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": str(content)}] if content else []
        when = {"timestamp": message["timestamp"]} if "timestamp" in message else {}
        return Op(path, {"role": "user", "content": [*head, *blocks], **when})

    def find_edits(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        found: list[tuple[Op, str, str]] = []
        for message in transcript.messages:
            for part in message.parts:
                given = get_value(entries.get(int(part.path[0])), part.path[1:]) if part.kind == "tool_call" else {}
                if not isinstance(given, dict):
                    found.append((Op(part.path, parse_object(given)), "L7", "the input of a call became an object"))
        return found


def _find_last_line(entries: Entries, calls: list[int], results: list[int]) -> int:
    """Return the line that ends a round; the tree decides if a result comes before its call."""
    if not results or min(results) > max(calls):
        return max(calls + results)
    lines = {entry.get("id"): line for line, entry in entries.items() if isinstance(entry.get("id"), str)}

    def above(line: int) -> int:
        """The number of entries that lead there."""
        seen: set[int] = set()
        here: int | None = line
        while here is not None and here not in seen:
            seen.add(here)
            parent = entries[here].get("parentId")
            here = lines.get(parent) if isinstance(parent, str) else None
        return len(seen)

    return max(calls + results, key=lambda line: (above(line), line))


def _build_entry(entries: Entries, one: LoggedCall, link: dict[str, Any]) -> dict[str, Any]:
    when = entries[int(one.call.path[0])].get("timestamp")
    content = [{"type": "text", "text": NO_RESULT}]
    said = {"role": "toolResult", "toolCallId": one.name or one.call.call_id, "toolName": one.call.tool}
    message = {**said, "content": content, "isError": True, "timestamp": parse_timestamp(when)}
    return {"type": "message", **link, "timestamp": when, "message": message}


def _find_lost_parent(entries: Entries, after: int) -> str:
    """Return the ID that the next entry names as its parent if no entry has it."""
    entry = next((one for line, one in entries.items() if line > after), {})
    above = entry.get("parentId")
    return above if isinstance(above, str) and above not in (one.get("id") for one in entries.values()) else ""


def _move_children(entries: Entries, results: set[int], above: str, below: str) -> list[Op]:
    """Reparent entries that followed the round to the new lines. `results`, the round's lines, stay in place."""
    return [
        Op((line, "parentId"), below)
        for line, entry in entries.items()
        if line not in results and entry.get("parentId") == above
    ]


def _count_again(entries: Entries, last: int, new: int) -> list[Op]:
    """Adjust compactions of version 1, which name the first entry they kept by its number."""
    before = sum(line <= last for line in entries)
    return [
        Op((line, "firstKeptEntryIndex"), entry["firstKeptEntryIndex"] + new)
        for line, entry in entries.items()
        if isinstance(entry.get("firstKeptEntryIndex"), int) and entry["firstKeptEntryIndex"] >= before
    ]
