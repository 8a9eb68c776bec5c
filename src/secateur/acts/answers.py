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


def held_by(message: Message) -> MessageFacts:
    """What this message holds."""
    kept: dict[int, MessageFacts] = _kept.__dict__.setdefault("held", {})
    found = kept.get(id(message))
    if found is None:
        if len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        found = kept[id(message)] = MessageFacts(message)  # which keeps the message, and so its id, alive
    return found


def answered(messages: Sequence[Message], number: int, result: Part) -> Part | None:
    """The call that a result of message `number` answers; None where its round has none."""
    back = spoken(messages, number)
    while back >= 0 and messages[back].role == "assistant":
        if found := held_by(messages[back]).calls.get(result.call_id):
            return found[0]
        back -= 1
    return None


def spoken(messages: Sequence[Message], number: int) -> int:
    """The last message before this one in which the assistant or the user speaks, results left out; -1: none."""
    back = number - 1
    while back >= 0 and messages[back].role not in _SPEAKERS:
        if number - back > _NEAR:
            return _far(messages, back)
        back -= 1
    return back


_kept = local()
_SPEAKERS = ("assistant", "user")


def _far(messages: Sequence[Message], number: int) -> int:
    """The same for a message that is none of them, where the way is long."""
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
