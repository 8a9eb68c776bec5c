"""States of tickets that something showed: a tracker's own listing, a screen that quotes it, the agent's words.

Rule: a state that was seen counts for a ticket that calls of the session opened or took, and makes none known. Of a
screen and of the agent's words only an end is taken, or that a ticket was opened again; of a listing every state.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Ticket
from secateur.compaction.ledger.said import get_agent_text
from secateur.model import Message
from secateur.toolcalls.commands import ExecutedCommand

TICKET_ID = r"[a-z][\w-]{0,40}-[a-z0-9]{2,8}(?:\.\d+)*"
MOST_SHOWN = 40
_SEARCHED = 20_000  # characters of a text


def list_shown(messages: Sequence[Message], ran: Iterable[ExecutedCommand]) -> Iterator[Ticket]:
    """Yield the states of tickets that were seen, in the order of the messages."""
    listed = {run.action.call.key for run in ran if any(map(_is_listing, run.does))}
    calls: dict[str, str] = {}  # of listings, by what their results answer
    for message in messages:
        if "losed" in (text := get_agent_text(message)) or "eopened" in text:
            key = message.parts[-1].key
            for hit in _TOLD.finditer(text[:_SEARCHED]):
                yield _make(hit["id"] or hit["number"], hit["verb"].lower() == "closed", key)
        for part in message.parts:
            if part.kind == "tool_call" and part.key in listed:
                calls[part.call_id] = part.key
            elif part.kind == "tool_result":
                is_listing = part.call_id in calls
                yield from _read_output(part.text[:_SEARCHED], is_listing, part.key)


def mark_shown(tickets: Iterable[Ticket], shown: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """Return the tickets in the states that were seen of them last."""
    states: dict[str, Literal["open", "done"]] = {one.id: one.state for one in shown}
    return tuple(
        replace(one, state=states.get(one.id) or states.get(one.id.rpartition("/issues/")[2]) or one.state)
        for one in tickets
    )


def merge_shown(shown: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """Return the newest state of each ticket."""
    return tuple({one.id: one for one in shown}.values())[-MOST_SHOWN:]


def _is_listing(words: tuple[str, ...]) -> bool:
    verbs = [word for word in words[1:] if not word.startswith("-")]
    return words[0] in ("bd", "tk") and verbs[:1] in (["show"], ["list"], ["ready"])


def _read_output(text: str, is_listing: bool, key: str) -> Iterator[Ticket]:
    if "CLOSED" in text or (is_listing and _MARKS.search(text)):
        for row in _ROW.finditer(text):
            is_closed = row["state"] == "CLOSED"
            if is_listing or is_closed:
                yield _make(row["id"], is_closed or (row["mark"] == "✓" and not row["state"]), key)
    if is_listing and '"status"' in text:
        named = ""
        for field, value in _FIELDS.findall(text):
            if field == "id":
                named = value
            elif named:
                yield _make(named, value == "closed", key)
                named = ""


def _make(id: str, is_closed: bool, key: str) -> Ticket:
    return Ticket(id, state="done" if is_closed else "open", key=key)


_MARKS = re.compile("[✓○◐●]")
_ROW = re.compile(
    rf"^[^\w\n✓○◐●]{{0,8}}(?P<mark>[✓○◐●]) (?P<id>{TICKET_ID})(?![\w-])"
    r"(?:[^\n]{0,300}· (?P<state>[A-Z_]{4,12})\])?",
    re.M,
)
_FIELDS = re.compile(r'"(id|status)": ?"([^"\n]{1,60})"')
_TOLD = re.compile(
    r"(?:^[^\w\n]{0,8}|\bI (?:have )?|\bI['’]ve )(?P<verb>closed|reopened)(?: (?:the )?(?:issue|ticket|bead|task))?"
    rf" (?:#(?P<number>\d{{1,7}})|[`*]{{0,3}}(?P<id>{TICKET_ID}))(?![\w-])",
    re.M | re.I,
)
