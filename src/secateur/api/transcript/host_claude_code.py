"""Repairs for Claude Code's session files, where a result is a line whose parent is the line of its call.

Rule: if the next line names a lost parent, the new line gets that id, so that one line closes the gap.
"""

from typing import Any

from secateur.api.repair_run import NO_CONTENT, NO_RESULT
from secateur.api.replacements import flatten_text, parse_object, write_heading
from secateur.api.transcript.hosts import Entries, LineInsert, LoggedCall, get_value
from secateur.api.transcript.torn_lines import make_id
from secateur.model import Part, Path, Transcript
from secateur.patch import Op

_ENVELOPE = ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId", "timestamp")


class ClaudeCodeHost:
    """Claude Code (rules A1, A2, A4, A6, A11)."""

    has_unique_ids = True
    tree_fields: tuple[str, str] | None = ("uuid", "parentUuid")

    def is_sent(self, entries: Entries, call: Part) -> bool:
        """Whether the call is sent: everything that the reader finds is."""
        return True

    def find_block(self, part: Part) -> Path:
        return part.path[:4]  # line, "message", "content", number

    def find_id(self, part: Part) -> Path:
        return (*self.find_block(part), "id" if part.kind == "tool_call" else "tool_use_id")

    def insert_results(self, entries: Entries, open_: list[LoggedCall], round_: list[LoggedCall]) -> LineInsert | None:
        lines = [one.message.lines for one in open_]
        after = max(line for some in lines for line in some)
        lost = _find_lost_parent(entries, after)
        new = []
        for number, one in enumerate(open_):
            entry = entries[int(one.call.path[0])]
            above = str(entry.get("uuid") or "")
            if not above:
                return None
            name = lost if lost and number == len(open_) - 1 else make_id(above, one.call.call_id, like=above)
            new.append(_build_result_entry(entry, above, name, one.name or one.call.call_id))
        return LineInsert(after, tuple(new))

    def convert_orphan(self, entries: Entries, orphan: Part) -> Op | None:
        path = self.find_block(orphan)
        block = get_value(entries[int(path[0])], path[1:])
        said = "\n".join(
            filter(None, (write_heading(orphan.call_id), flatten_text(_without_media(block.get("content")))))
        )
        return Op(path, {"type": "text", "text": said}) if not _has_media(block.get("content")) else None

    def find_edits(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        found: list[tuple[Op, str, str]] = []
        for message in transcript.messages:
            for part in message.parts:
                path = part.path
                if path[1:2] != ("message",):
                    continue
                if part.kind == "text" and not part.text:  # white space that the model wrote, and the host leaves out
                    found.append((Op(path, NO_CONTENT), "L6", f"an empty text now reads {NO_CONTENT}"))
                elif part.kind == "tool_call":
                    given = get_value(entries[int(path[0])], path[1:])
                    if not isinstance(given, dict):
                        found.append((Op(path, parse_object(given)), "L7", "the input of a call became an object"))
        return found


def _build_result_entry(entry: dict[str, Any], above: str, name: str, call: str) -> dict[str, Any]:
    block = {"type": "tool_result", "content": NO_RESULT, "is_error": True, "tool_use_id": call}
    kept = {name: entry[name] for name in _ENVELOPE if name in entry}
    said = {"type": "user", "message": {"role": "user", "content": [block]}}
    return {"parentUuid": above, **kept, **said, "uuid": name, "toolUseResult": f"Error: {NO_RESULT}"}


def _find_lost_parent(entries: Entries, after: int) -> str:
    """Return the ID that the next line names as its parent if no line has it."""
    following = (entry for line, entry in entries.items() if line > after and isinstance(entry.get("uuid"), str))
    entry = next((one for one in following if not one.get("isSidechain")), {})
    above = entry.get("parentUuid")
    known = (one.get("uuid") for one in entries.values())
    return above if isinstance(above, str) and above not in known else ""


def _has_media(content: Any) -> bool:
    return isinstance(content, list) and any(_is_medium(one) for one in content)


def _without_media(content: Any) -> Any:
    return [one for one in content if not _is_medium(one)] if isinstance(content, list) else content


def _is_medium(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in ("image", "document")
