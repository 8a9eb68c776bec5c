"""Which items of a Codex log are the model's context at its end: compactions and rollbacks applied.

A fork begins with its parent's lines, so one file may hold several `session_meta`. Nothing here reads what the model
is given but for one question: which messages begin a turn of the user.
"""

from typing import Any

from secateur.formats.items import Item, detect_speaker, list_texts
from secateur.formats.logs import Log, parse_timestamp

_NEVER_SENT = "ghost_snapshot"
_SIZED = ("token_count", "task_started")


class CodexHistory:
    """The context after all lines, and the settings of the newest turn."""

    def __init__(self, log: Log) -> None:
        self.items: list[Item] = []
        self.model = ""
        self.provider = "openai"
        self.window = 0  # tokens, as the newest turn or count of tokens has it
        for line, entry in log.entries.items():
            payload = entry.get("payload")
            if isinstance(payload, dict):
                self._read_line(line, entry, payload)

    def _read_line(self, line: int, entry: dict[str, Any], payload: dict[str, Any]) -> None:
        at = parse_timestamp(entry.get("timestamp"))
        match entry.get("type"):
            case "response_item" if payload.get("type") != _NEVER_SENT:
                self.items.append(Item(payload, (line, "payload"), at))
            case "compacted":
                self._compact(line, payload, at)
            case "event_msg" if payload.get("type") == "thread_rolled_back":
                self._roll_back(payload.get("num_turns"))
            case "event_msg" if payload.get("type") in _SIZED:
                self._size(payload)
            case "turn_context":
                self.model = str(payload.get("model") or self.model)
            case "session_meta":
                self.provider = str(payload.get("model_provider") or self.provider)

    def _size(self, payload: dict[str, Any]) -> None:
        """Both events say how large the window is; older versions did in one of them, or in none."""
        info = payload.get("info")
        for table in (payload, info if isinstance(info, dict) else {}):
            tokens = table.get("model_context_window")
            if isinstance(tokens, int) and tokens > 0:
                self.window = tokens

    def _compact(self, line: int, payload: dict[str, Any], at: int) -> None:
        """The list that a compaction gives; the oldest form gives a summary only, behind what users said."""
        items = payload.get("replacement_history")
        if isinstance(items, list):
            path = (line, "payload", "replacement_history")
            kept = [(number, item) for number, item in enumerate(items) if isinstance(item, dict)]
            self.items = [Item(item, (*path, number), at) for number, item in kept if item.get("type") != _NEVER_SENT]
            return
        self.items = [item for item in self.items if _is_turn_start(item)]
        self.items.append(Item({"type": "compacted", "message": payload.get("message")}, (line, "payload"), at))

    def _roll_back(self, turns: Any) -> None:
        """The newest turns were taken back, down to what stood before the first of them."""
        starts = [number for number, item in enumerate(self.items) if _is_turn_start(item)]
        if isinstance(turns, int) and turns > 0 and starts:
            del self.items[starts[-min(turns, len(starts))] :]


def _is_turn_start(item: Item) -> bool:
    return (
        item.kind == "message" and item.value.get("role") == "user" and detect_speaker(list_texts(item.value)) == "user"
    )
