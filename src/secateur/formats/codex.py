"""Codex rollout logs: `response_item` lines are the model's context, in order; a fork begins with its parent's lines.

The transcript is that context with compactions (`compacted`) and rollbacks applied. What the model says in one step
(reasoning, texts, calls) is one assistant message, up to the next result or input. `event_msg` lines repeat the same
things for the screen, outputs up to three times; the model does not see them, and they are left alone. One file may
have several `session_meta`.

Codex's own compaction has the whole context as it continues, in `replacement_history`. Kept items are unchanged, apart
from the plan's edits; a new message is one of the user, and one put in the system's name is one of the developer. Where
no user message precedes the first kept answer, the user says the summary, so that the conversation still begins with
the user (rule L5). Newer versions number their lines and resume no file whose last line has no number (`ordinal`).
"""

from collections.abc import Iterable
from typing import Any

from secateur.formats.format import Appending, Format
from secateur.formats.item_outputs import make_output_body
from secateur.formats.items import Item, detect_speaker, group_steps, list_texts, read_step
from secateur.formats.logs import CODEX, Log, open_log, parse_timestamp, read_first_lines, refuse_new_message
from secateur.formats.native import Calls
from secateur.model import Message, NewMessage, Part, Transcript

_NEVER_SENT = "ghost_snapshot"
_SIZED = ("token_count", "task_started")

Entry = dict[str, Any]
_HISTORY = "replacement_history"


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
        """The list that a compaction leaves; the oldest form has only a summary, after the user messages."""
        items = payload.get("replacement_history")
        if isinstance(items, list):
            path = (line, "payload", "replacement_history")
            kept = [(number, item) for number, item in enumerate(items) if isinstance(item, dict)]
            self.items = [Item(item, (*path, number), at) for number, item in kept if item.get("type") != _NEVER_SENT]
            return
        self.items = [item for item in self.items if _is_turn_start(item)]
        self.items.append(Item({"type": "compacted", "message": payload.get("message")}, (line, "payload"), at))

    def _roll_back(self, turns: Any) -> None:
        """Remove the newest turns, down to the beginning of the first of them."""
        starts = [number for number, item in enumerate(self.items) if _is_turn_start(item)]
        if isinstance(turns, int) and turns > 0 and starts:
            del self.items[starts[-min(turns, len(starts))] :]


def _is_turn_start(item: Item) -> bool:
    return (
        item.kind == "message" and item.value.get("role") == "user" and detect_speaker(list_texts(item.value)) == "user"
    )


def build_entries(made: Appending, lines: Iterable[Entry]) -> list[Entry]:
    """Build the lines: the compaction and the event that reports it to the screen. `lines` are those of the file."""
    items: list[Any] = []
    begins = next((item.role for item in made.items if item.role != "system"), "user")
    for item in made.items:
        by_user = isinstance(item, NewMessage) and item.origin == "summary" and begins != "user"
        items += [_make_item(item, by_user)] if isinstance(item, NewMessage) else _list_items(item, made)
    compacted = {"message": made.summary, _HISTORY: items}
    numbers = [line["ordinal"] for line in lines if isinstance(line.get("ordinal"), int)]
    new: list[tuple[str, Entry]] = [("compacted", compacted), ("event_msg", {"type": "context_compacted"})]
    return [
        {
            "timestamp": made.stamp(number),
            **({"ordinal": max(numbers) + 1 + number} if numbers else {}),
            "type": kind,
            "payload": payload,
        }
        for number, (kind, payload) in enumerate(new)
    ]


def _make_item(new: NewMessage, by_user: bool) -> Entry:
    role = "user" if by_user else {"system": "developer", "assistant": "assistant"}.get(new.role, "user")
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": new.text}]}


def _list_items(message: Message, made: Appending) -> list[Any]:
    """Return the items of a message: lines, or elements of an earlier compaction's list."""
    places = dict.fromkeys(
        part.path[:4] if _HISTORY in part.path[:3] else (part.path[0], "payload") for part in message.parts
    )
    found = []
    for place in places:
        line = place[0]
        value = made.element(line) if isinstance(line, int) else {}
        for step in place[1:]:
            value = value[step]
        found.append(value)
    return found


class Codex(Format):
    """Reader of Codex's session files."""

    name = "codex"
    log = True
    has_host_entry = True

    def recognize(self, native: Any) -> str:
        """The envelope of every line."""
        for entry in read_first_lines(native):
            if entry.get("type") in CODEX and isinstance(entry.get("payload"), dict):
                return f"lines have type ({entry['type']}) and payload"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the context as it is at the end; `known` is of no use here."""
        log = open_log(native, self.name)
        history = CodexHistory(log)
        calls = Calls()
        messages = [read_step(step, calls, logged=True) for step in group_steps(history.items)]
        messages = [one for one in messages if one.parts]
        window = history.window if model in ("", history.model) else 0  # of another model it says nothing
        return log.make_transcript(messages, model=model or history.model, provider=history.provider, window=window)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as outputs, freeform inputs and arguments (JSON in a string) are; a medium becomes a text."""
        return {"type": "input_text", "text": text} if part.kind == "media" else make_output_body(part, text)

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The lines that are Codex's own compaction (`build_entries`)."""
        return build_entries(made, open_log(native, self.name).entries.values())

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Codex")
