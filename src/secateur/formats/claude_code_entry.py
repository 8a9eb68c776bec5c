"""Claude Code's own compaction, appended: a boundary without a parent, the summary, and copies of what stays.

Rule: copies get ids of their own (newer versions can name a kept segment, older ones ignore it): the host treats lines
of one API message as one message wherever they are, so copies need a message id of their own too. Usage in a copy is
zero: it was counted once, and does not describe the new context.
"""

from typing import Any

from secateur.formats.format import Appending
from secateur.model import Message

CLEARED = "[Old tool result content cleared]"  # what Claude Code sends for a result that a micro-compaction took
_COMMON = ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug")
_COUNTS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def build_entries(made: Appending, last: dict[str, Any]) -> list[dict[str, Any]]:
    """Build the lines. `last` is the newest line that has an ID."""
    common = {name: last[name] for name in _COMMON if name in last}
    metadata = {"trigger": "manual", "preTokens": made.tokens}
    boundary = {
        "parentUuid": None,
        "logicalParentUuid": last.get("uuid"),
        **common,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "timestamp": made.stamp(),
        "uuid": made.make_uuid(0),
        "level": "info",
        "compactMetadata": metadata,
    }
    summary = {
        "parentUuid": made.make_uuid(0),
        **common,
        "type": "user",
        "message": {"role": "user", "content": made.summary},
        "isVisibleInTranscriptOnly": True,
        "isCompactSummary": True,
        "uuid": made.make_uuid(1),
        "timestamp": made.stamp(1),
    }
    chain = _Chain(made, common)
    for item in made.rest:
        if isinstance(item, Message):
            chain.copy(item)
        else:
            chain.say(item.text)
    return [boundary, summary, *chain.lines]


class _Chain:
    """Lines behind the summary, each under the one before."""

    def __init__(self, made: Appending, common: dict[str, Any]) -> None:
        self.lines: list[dict[str, Any]] = []
        self._made = made
        self._common = common
        self._uuids: dict[Any, str] = {}

    def say(self, text: str) -> None:
        """A message that is not in the history: the model reads it, the screen does not show it."""
        said = {"type": "user", "message": {"role": "user", "content": text}, "isMeta": True}
        self._add({**self._common, **said})

    def copy(self, message: Message) -> None:
        """A message that stays, line by line."""
        cleared = {
            one.call_id for one in message.parts if one.kind == "tool_result" and one.pinned and _is_cleared(one.text)
        }
        for line in message.lines:
            entry = self._read_line(line)
            if entry.get("sourceToolAssistantUUID") in self._uuids:
                entry["sourceToolAssistantUUID"] = self._uuids[entry["sourceToolAssistantUUID"]]
            said = entry.get("message")
            if isinstance(said, dict):
                entry["message"] = _copy_with_new_id(said, cleared, self._made.make_id(0, 8))
            old, new = entry.get("uuid"), self._add(entry)
            if old is not None:
                self._uuids[old] = new

    def _read_line(self, line: int) -> dict[str, Any]:
        """A copy of a line; a prompt of the queue, which has no line as a message, becomes one."""
        entry = dict(self._made.element(line))
        if entry.get("type") != "queue-operation":
            return entry
        return {**self._common, "type": "user", "message": {"role": "user", "content": entry.get("content")}}

    def _add(self, entry: dict[str, Any]) -> str:
        number = len(self.lines) + 2
        parent, uuid = self._made.make_uuid(number - 1), self._made.make_uuid(number)
        self.lines.append(entry | {"parentUuid": parent, "uuid": uuid, "timestamp": self._made.stamp(number)})
        return uuid


def _copy_with_new_id(message: dict[str, Any], cleared: set[str], mark: str) -> dict[str, Any]:
    """Copy a line's message under its own ID; results that the host cleared stay cleared."""
    made = dict(message)
    if isinstance(made.get("id"), str) and made["id"]:
        made["id"] = f"{made['id']}_{mark}"
    if isinstance(made.get("usage"), dict):
        made["usage"] = made["usage"] | {name: 0 for name in _COUNTS if name in made["usage"]}
    if cleared and isinstance(made.get("content"), list):
        made["content"] = [_clear(block, cleared) for block in made["content"]]
    return made


def _clear(block: Any, cleared: set[str]) -> Any:
    is_one = isinstance(block, dict) and block.get("type") == "tool_result" and block.get("tool_use_id") in cleared
    return block | {"content": CLEARED} if is_one else block


def _is_cleared(text: str) -> bool:
    return text == CLEARED
