"""Which items of a Codex log are the model's context at its end: compactions and rollbacks applied.

A fork begins with its parent's lines, so one file may hold several `session_meta`. Nothing here reads what the model
is given but for one question: which messages begin a turn of the user.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur.formats.logs import Log, moment, text_of
from secateur.model import Origin, Path

_HARNESS = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
)
_SUMMARY = "Another language model started to solve this problem"  # how Codex opens a summary of its own
_NEVER_SENT = "ghost_snapshot"


class Item(Struct, frozen=True):
    """One item of the model's context and where it stands."""

    value: dict[str, Any]
    path: Path
    at: int

    @property
    def whole(self) -> Path:
        """Where all of it stands: its line, which goes with it, or its place in a list."""
        return self.path[:1] if self.path[1:] == ("payload",) else self.path

    @property
    def kind(self) -> str:
        """The item's type; older items of the API leave `message` unsaid."""
        return str(self.value.get("type") or ("message" if "role" in self.value else ""))

    @property
    def spoken(self) -> bool:
        """Whether the model said it."""
        if self.kind == "message":
            return self.value.get("role") == "assistant"
        return self.kind == "reasoning" or self.kind.endswith("_call")


class History:
    """The context after all lines, and the settings of the newest turn."""

    def __init__(self, log: Log) -> None:
        self.items: list[Item] = []
        self.model = ""
        self.provider = "openai"
        for line, entry in log.entries.items():
            payload = entry.get("payload")
            if isinstance(payload, dict):
                self._line(line, entry, payload)

    def _line(self, line: int, entry: dict[str, Any], payload: dict[str, Any]) -> None:
        at = moment(entry.get("timestamp"))
        match entry.get("type"):
            case "response_item" if payload.get("type") != _NEVER_SENT:
                self.items.append(Item(payload, (line, "payload"), at))
            case "compacted":
                self._compact(line, payload, at)
            case "event_msg" if payload.get("type") == "thread_rolled_back":
                self._roll_back(payload.get("num_turns"))
            case "turn_context":
                self.model = str(payload.get("model") or self.model)
            case "session_meta":
                self.provider = str(payload.get("model_provider") or self.provider)

    def _compact(self, line: int, payload: dict[str, Any], at: int) -> None:
        """The list that a compaction gives; the oldest form gives a summary only, behind what users said."""
        items = payload.get("replacement_history")
        if isinstance(items, list):
            path = (line, "payload", "replacement_history")
            kept = [(number, item) for number, item in enumerate(items) if isinstance(item, dict)]
            self.items = [Item(item, (*path, number), at) for number, item in kept if item.get("type") != _NEVER_SENT]
            return
        self.items = [item for item in self.items if _begins_turn(item)]
        self.items.append(Item({"type": "compacted", "message": payload.get("message")}, (line, "payload"), at))

    def _roll_back(self, turns: Any) -> None:
        """The newest turns were taken back, down to what stood before the first of them."""
        starts = [number for number, item in enumerate(self.items) if _begins_turn(item)]
        if isinstance(turns, int) and turns > 0 and starts:
            del self.items[starts[-min(turns, len(starts))] :]


def steps(items: list[Item]) -> Iterator[list[Item]]:
    """What the model said in one go together, everything else alone."""
    step: list[Item] = []
    for item in items:
        if step and not (item.spoken and step[-1].spoken):
            yield step
            step = []
        step.append(item)
    if step:
        yield step


def _begins_turn(item: Item) -> bool:
    return item.kind == "message" and item.value.get("role") == "user" and speaker(texts_of(item.value)) == "user"


def speaker(texts: list[str]) -> Origin:
    """Who speaks in a message of role user: a human, Codex, or a summary."""
    if texts and texts[0].startswith(_SUMMARY):
        return "summary"
    return "harness" if texts and all(text.lstrip().startswith(_HARNESS) for text in texts) else "user"


def texts_of(item: dict[str, Any]) -> list[str]:
    """The texts of a message."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    found = [text_of(block) for block in content] if isinstance(content, list) else []
    return [text for text in found if text is not None]
