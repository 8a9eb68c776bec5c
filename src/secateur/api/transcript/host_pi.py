"""Pi's session files (OpenClaw's too): results are entries of the chain, so what followed the call follows them now.

Pi never sends an answer that was aborted or ended in an error, nor what it called: those calls want no result. Files
of version 1 have no ids; there compactions count entries, and their counts move with a new line.
"""

from typing import Any

from secateur.api.call_arguments import object_of
from secateur.api.repair_run import NO_RESULT
from secateur.api.replacement_texts import heading
from secateur.api.transcript.hosts import Entries, Insert
from secateur.api.transcript.line_tree import made_id
from secateur.api.transcript.log_calls import Asked, value_at
from secateur.formats.logs import moment
from secateur.model import Part, Path, Transcript
from secateur.patch import Op


class Pi:
    """What Pi needs to send a session again."""

    unique = False  # Pi serves many providers, and some of them give the same ids again
    tree: tuple[str, str] | None = ("id", "parentId")

    def sent(self, entries: Entries, call: Part) -> bool:
        """Not from an answer that broke off."""
        message = entries[int(call.path[0])].get("message")
        return not isinstance(message, dict) or message.get("stopReason") not in ("aborted", "error")

    def block(self, part: Part) -> Path:
        return part.path[:4] if part.kind == "tool_call" else part.path[:2]

    def id_of(self, part: Part) -> Path:
        return (*self.block(part), "id" if part.kind == "tool_call" else "toolCallId")

    def answered(self, entries: Entries, open_: list[Asked], round_: list[Asked]) -> Insert | None:
        last = _last(entries, [line for one in open_ for line in one.message.lines], [o.at for o in round_ if o.result])
        entry = entries[last]
        above = entry.get("id") if "parentId" in entry else None
        if not isinstance(above, str):
            new = [_entry(entries, one, {}) for one in open_]
            return Insert(last, tuple(new), tuple(_counted(entries, last, len(new))))
        names = [made_id(above, one.call.call_id, str(number), like=above) for number, one in enumerate(open_)]
        names[-1] = _lost_parent(entries, last) or names[-1]
        links = [{"id": name, "parentId": parent} for name, parent in zip(names, [above, *names[:-1]], strict=True)]
        new = [_entry(entries, one, link) for one, link in zip(open_, links, strict=True)]
        results = {one.at for one in round_ if one.result}
        return Insert(last, tuple(new), tuple(_rehung(entries, results, above, names[-1])))

    def told(self, entries: Entries, orphan: Part) -> Op | None:
        path = self.block(orphan)
        message = value_at(entries[int(path[0])], path[1:])
        content = message.get("content")
        head = [{"type": "text", "text": heading(orphan.call_id, str(message.get("toolName") or ""))}]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": str(content)}] if content else []
        when = {"timestamp": message["timestamp"]} if "timestamp" in message else {}
        return Op(path, {"role": "user", "content": [*head, *blocks], **when})

    def inside(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        found: list[tuple[Op, str, str]] = []
        for message in transcript.messages:
            for part in message.parts:
                given = value_at(entries.get(int(part.path[0])), part.path[1:]) if part.kind == "tool_call" else {}
                if not isinstance(given, dict):
                    found.append((Op(part.path, object_of(given)), "L7", "the input of a call became an object"))
        return found


def _last(entries: Entries, calls: list[int], results: list[int]) -> int:
    """The line that ends a round: by the tree, where a result stands before its call."""
    if not results or min(results) > max(calls):
        return max(calls + results)
    lines = {entry.get("id"): line for line, entry in entries.items() if isinstance(entry.get("id"), str)}

    def above(line: int) -> int:
        """How many entries lead there."""
        seen: set[int] = set()
        here: int | None = line
        while here is not None and here not in seen:
            seen.add(here)
            parent = entries[here].get("parentId")
            here = lines.get(parent) if isinstance(parent, str) else None
        return len(seen)

    return max(calls + results, key=lambda line: (above(line), line))


def _entry(entries: Entries, one: Asked, link: dict[str, Any]) -> dict[str, Any]:
    when = entries[int(one.call.path[0])].get("timestamp")
    content = [{"type": "text", "text": NO_RESULT}]
    said = {"role": "toolResult", "toolCallId": one.name or one.call.call_id, "toolName": one.call.tool}
    message = {**said, "content": content, "isError": True, "timestamp": moment(when)}
    return {"type": "message", **link, "timestamp": when, "message": message}


def _lost_parent(entries: Entries, after: int) -> str:
    """The id that the next entry names as its parent, if no entry has it."""
    entry = next((one for line, one in entries.items() if line > after), {})
    above = entry.get("parentId")
    return above if isinstance(above, str) and above not in (one.get("id") for one in entries.values()) else ""


def _rehung(entries: Entries, results: set[int], above: str, below: str) -> list[Op]:
    """Entries that followed the last line of the round follow the new ones, wherever they stand; `results`, the lines
    of its own, keep their place."""
    return [
        Op((line, "parentId"), below)
        for line, entry in entries.items()
        if line not in results and entry.get("parentId") == above
    ]


def _counted(entries: Entries, last: int, new: int) -> list[Op]:
    """Compactions of version 1 name the first entry they kept by its number."""
    before = sum(line <= last for line in entries)
    return [
        Op((line, "firstKeptEntryIndex"), entry["firstKeptEntryIndex"] + new)
        for line, entry in entries.items()
        if isinstance(entry.get("firstKeptEntryIndex"), int) and entry["firstKeptEntryIndex"] >= before
    ]
