"""Which views an API would refuse: each as the body of an Anthropic request, checked against the API rules.

Rule: results and what the user says after them go into one message, as every client sends them; reasoning and notes of
the host are left out for everyone. What the request had as it was recorded (an interrupted call) counts for no one.
"""

from collections.abc import Sequence
from typing import Any

from pieces import pieces

from secateur.api import check
from secateur.model import Message
from secateur.simulate.replay import ReplayedTurn

Problems = frozenset[tuple[str, str]]  # a rule, and what it says: calls are named by their ids


def problems(messages: Sequence[Message]) -> Problems:
    """What the API would refuse of a view."""
    found = check("anthropic", body(messages))
    return frozenset((one.rule, one.text) for one in found if one.severity == "error")


def body(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The `messages` of a request."""
    found: list[dict[str, Any]] = []
    for piece in pieces(messages).pieces:
        role = "assistant" if piece["role"] == "assistant" else "user"
        blocks = _blocks(piece)
        if found and found[-1]["role"] == role:
            found[-1]["content"] += blocks
        else:
            found.append({"role": role, "content": blocks})
    return found


def refused(turns: Sequence[ReplayedTurn], as_it_was: Sequence[ReplayedTurn], known: Sequence[Problems]) -> int:
    """How many requests the API would refuse for something that they did not have when recorded (`known`)."""
    count = 0
    last: tuple[Sequence[Message], Sequence[Message]] | None = None  # a sound view, and the history it was made of
    for turn, raw, had in zip(turns, as_it_was, known, strict=True):
        grows = last is not None and _goes_on(*last, turn.seen, raw.seen)
        if not grows and problems(turn.seen) - had:
            count += 1
            last = None
        else:
            last = (turn.seen, raw.seen)
    return count


def _goes_on(
    view: Sequence[Message], history: Sequence[Message], seen: Sequence[Message], grown: Sequence[Message]
) -> bool:
    """Whether a view only grew, and by what the history grew by: then it is sound as the history is."""
    tail = grown[len(history) :]
    return len(seen) == len(view) + len(tail) and all(map(_is, seen, (*view, *tail)))


def _is(one: Message, other: Message) -> bool:
    return one is other


def _blocks(piece: dict[str, Any]) -> list[dict[str, Any]]:
    if piece["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": piece["call"], "content": piece["text"]}]
    text = [{"type": "text", "text": piece["text"]}] if piece["text"] else []
    calls = [
        {"type": "tool_use", "id": one["id"], "name": one["name"] or "tool", "input": one["args"]}
        for one in piece.get("calls", ())
    ]
    return [*text, *calls]
