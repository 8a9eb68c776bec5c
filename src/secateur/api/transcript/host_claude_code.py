"""Claude Code's session files: results hang on the line of their call, which may be beside the branch.

A missing result whose id the next line names as its parent gets that id, so that one new line closes the gap.
"""

from typing import Any

from secateur.api.call_arguments import object_of
from secateur.api.repair_run import NO_CONTENT, NO_RESULT
from secateur.api.replacement_texts import flat, heading
from secateur.api.transcript.hosts import Entries, Insert
from secateur.api.transcript.line_tree import made_id
from secateur.api.transcript.log_calls import Asked, value_at
from secateur.model import Part, Path, Transcript
from secateur.patch import Op

_ENVELOPE = ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId", "timestamp")


class ClaudeCode:
    """What Claude Code needs to send a session again (wire rules A1, A2, A4, A6, A11)."""

    unique = True
    tree: tuple[str, str] | None = ("uuid", "parentUuid")

    def sent(self, entries: Entries, call: Part) -> bool:
        """All that the reader found is sent."""
        return True

    def block(self, part: Part) -> Path:
        return part.path[:4]  # line, "message", "content", number

    def id_of(self, part: Part) -> Path:
        return (*self.block(part), "id" if part.kind == "tool_call" else "tool_use_id")

    def answered(self, entries: Entries, open_: list[Asked], round_: list[Asked]) -> Insert | None:
        lines = [one.message.lines for one in open_]
        after = max(line for some in lines for line in some)
        lost = _lost_parent(entries, after)
        new = []
        for number, one in enumerate(open_):
            entry = entries[int(one.call.path[0])]
            above = str(entry.get("uuid") or "")
            if not above:
                return None
            name = lost if lost and number == len(open_) - 1 else made_id(above, one.call.call_id, like=above)
            new.append(_result(entry, above, name, one.name or one.call.call_id))
        return Insert(after, tuple(new))

    def told(self, entries: Entries, orphan: Part) -> Op | None:
        path = self.block(orphan)
        block = value_at(entries[int(path[0])], path[1:])
        said = "\n".join(filter(None, (heading(orphan.call_id), flat(_without_media(block.get("content"))))))
        return Op(path, {"type": "text", "text": said}) if not _media(block.get("content")) else None

    def inside(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        found: list[tuple[Op, str, str]] = []
        for message in transcript.messages:
            for part in message.parts:
                path = part.path
                if path[1:2] != ("message",):
                    continue
                if (
                    part.kind == "text" and not part.text
                ):  # white space the model itself wrote, and the host leaves it out
                    found.append((Op(path, NO_CONTENT), "L6", f"an empty text now reads {NO_CONTENT}"))
                elif part.kind == "tool_call":
                    given = value_at(entries[int(path[0])], path[1:])
                    if not isinstance(given, dict):
                        found.append((Op(path, object_of(given)), "L7", "the input of a call became an object"))
        return found


def _result(entry: dict[str, Any], above: str, name: str, call: str) -> dict[str, Any]:
    block = {"type": "tool_result", "content": NO_RESULT, "is_error": True, "tool_use_id": call}
    kept = {name: entry[name] for name in _ENVELOPE if name in entry}
    said = {"type": "user", "message": {"role": "user", "content": [block]}}
    return {"parentUuid": above, **kept, **said, "uuid": name, "toolUseResult": f"Error: {NO_RESULT}"}


def _lost_parent(entries: Entries, after: int) -> str:
    """The id that the next line names as its parent, if no line has it."""
    following = (entry for line, entry in entries.items() if line > after and isinstance(entry.get("uuid"), str))
    entry = next((one for one in following if not one.get("isSidechain")), {})
    above = entry.get("parentUuid")
    known = (one.get("uuid") for one in entries.values())
    return above if isinstance(above, str) and above not in known else ""


def _media(content: Any) -> bool:
    return isinstance(content, list) and any(_is_medium(one) for one in content)


def _without_media(content: Any) -> Any:
    return [one for one in content if not _is_medium(one)] if isinstance(content, list) else content


def _is_medium(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in ("image", "document")
