"""Which call a result answers, and what else its message holds, however many stand side by side.

Rule: a result answers a call of its own round, never one looked up over the whole history. A message with thousands of
calls or results is gone through once, not once for each: the last few messages that were asked about are kept, for one
thread each. Nothing is decided here.
"""

from collections.abc import Sequence
from functools import cached_property
from threading import local

from secateur.model import Message, Part

_KEPT = 8  # messages
_FEW = 8  # parts
_NEAR = 8  # messages behind an answer that are walked over each time; of longer ways it is kept where they lead


class MessageFacts:
    """What a message holds, by ids and keys."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.names: tuple[object, tuple[str, ...]] | None = None  # what its calls name, and beside which edited parts

    @cached_property
    def called(self) -> list[Part]:
        """Its calls in their order."""
        return [part for part in self.message.parts if part.kind == "tool_call"]

    @cached_property
    def calls(self) -> dict[str, list[Part]]:
        """Its calls by their ids, in their order."""
        found: dict[str, list[Part]] = {}
        for part in self.called:
            found.setdefault(part.call_id, []).append(part)
        return found

    @cached_property
    def within(self) -> frozenset[str]:
        """Keys of the results inside of which others stand."""
        return frozenset([part.container_key for part in self.message.parts])


def get_held(message: Message) -> MessageFacts:
    """Return what this message contains."""
    kept: dict[int, MessageFacts] = _kept.__dict__.setdefault("held", {})
    found = kept.get(id(message))
    if found is None:
        if len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        found = kept[id(message)] = MessageFacts(message)  # which keeps the message, and so its id, alive
    return found


def has_media_inside(message: Message, result: Part) -> bool:
    """Whether media, or other parts, stand inside this result of a message."""
    if len(message.parts) > _FEW:
        return result.key in get_held(message).within
    return any([part.container_key == result.key for part in message.parts])


def find_call_of_result(messages: Sequence[Message], number: int, result: Part) -> Part | None:
    """Return the call that a result of message `number` answers, or None if its round has none."""
    back = find_last_spoken(messages, number)
    while back >= 0 and messages[back].role == "assistant":
        if (found := _find_call(messages[back], result.call_id)) is not None:
            return found
        back -= 1
    return None


def _find_call(message: Message, call_id: str) -> Part | None:
    """The first call of this id in a message: of few parts each is looked at, of more they are kept by id."""
    if len(message.parts) > _FEW:
        found = get_held(message).calls.get(call_id)
        return found[0] if found else None
    for part in message.parts:
        if part.call_id == call_id and part.kind == "tool_call":
            return part
    return None


def find_last_spoken(messages: Sequence[Message], number: int) -> int:
    """Return the last earlier assistant or user message that is not a result, or -1 if there is none."""
    back = number - 1
    while back >= 0 and messages[back].role not in _SPEAKERS:
        if number - back > _NEAR:
            return _find_last_spoken_cached(messages, back)
        back -= 1
    return back


_kept = local()
_SPEAKERS = ("assistant", "user")


def _find_last_spoken_cached(messages: Sequence[Message], number: int) -> int:
    """Find the last spoken message with a cache, for long runs of other messages."""
    of, ways = _kept.__dict__.setdefault("ways", ((), {}))
    if of is not messages:
        ways = {}
        _kept.__dict__["ways"] = messages, ways
    back, passed = number, list[int]()
    while back >= 0 and messages[back].role not in _SPEAKERS:
        if back in ways:
            back = ways[back]
            break
        passed.append(back)
        back -= 1
    ways.update(dict.fromkeys(passed, back))
    return back
