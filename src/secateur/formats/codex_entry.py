"""Codex's own compaction, appended: the whole context as it goes on, in `replacement_history`.

Rule: kept items are unchanged, apart from the plan's edits; a new message is one of the user, and one put in the
system's name is one of the developer. Where no user message precedes the first kept answer, the user says the summary,
so that the conversation still begins with the user (rule L5). Newer versions number their lines and resume no file
whose last line has no number (`ordinal`).
"""

from collections.abc import Iterable
from typing import Any

from secateur.formats.appending import Appending
from secateur.model import Message, NewMessage

Entry = dict[str, Any]
_HISTORY = "replacement_history"


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
