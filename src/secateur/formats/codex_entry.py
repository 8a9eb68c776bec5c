"""Codex's own compaction, appended: the whole context as it goes on, in `replacement_history`.

Rule: items that stay are the very items, edits of the plan aside; what is new is a message of the user, and what was
put in the system's name one of the developer. Where no user message comes before the first answer that stays, the user
says the summary, so that the conversation still begins with the user (rule L5).
"""

from typing import Any

from secateur.formats.appending import Appending
from secateur.model import Message, NewMessage

Entry = dict[str, Any]
_HISTORY = "replacement_history"


def build_entries(made: Appending) -> list[Entry]:
    """Build the lines: the compaction and the event that reports it to the screen."""
    items: list[Any] = []
    begins = next((item.role for item in made.items if item.role != "system"), "user")
    for item in made.items:
        by_user = isinstance(item, NewMessage) and item.origin == "summary" and begins != "user"
        items += [_make_item(item, by_user)] if isinstance(item, NewMessage) else _list_items(item, made)
    compacted = {"message": made.summary, _HISTORY: items}
    return [
        {"timestamp": made.stamp(), "type": "compacted", "payload": compacted},
        {"timestamp": made.stamp(1), "type": "event_msg", "payload": {"type": "context_compacted"}},
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
