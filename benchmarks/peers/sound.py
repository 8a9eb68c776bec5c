"""Which views an API would refuse: each as the body of an Anthropic request, held against the wire rules.

Rule: results and what the user says after them go into one message, as every client sends them; reasoning and notes of
the host are left out for everyone. Only requests that were sound as recorded count.
"""

from collections.abc import Sequence
from typing import Any

from peers.pieces import pieces

from secateur.model import Message
from secateur.rules import check
from secateur.simulate.replay import Turn


def sound(messages: Sequence[Message]) -> bool:
    """Whether the API would take it."""
    return not any(one.severity == "error" for one in check("anthropic", body(messages)))


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


def refused(turns: Sequence[Turn], as_it_was: Sequence[Turn], fine: Sequence[bool]) -> int:
    """How many requests the API would refuse that it took as they were recorded (`fine`)."""
    count = 0
    last: tuple[Sequence[Message], Sequence[Message]] | None = None  # a sound view, and the history it was made of
    for turn, raw, took in zip(turns, as_it_was, fine, strict=True):
        grows = last is not None and _goes_on(*last, turn.seen, raw.seen)
        if took and not grows and not sound(turn.seen):
            count += 1
            last = None
        else:
            last = (turn.seen, raw.seen) if took else None
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
