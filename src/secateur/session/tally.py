"""Tokens of a view, summed up: of the next view only what is new or reads otherwise is counted.

Rule: a message that is the same object holds what it held, so dropping all this changes no sum.
"""

from collections.abc import Callable
from itertools import compress
from operator import is_not

from secateur.model import Message
from secateur.tokens import Counter

Messages = tuple[Message, ...]


class Tally:
    """The sum of what each message of a view weighs."""

    def __init__(self, weigh: Callable[[Message], int]) -> None:
        self._weigh = weigh
        self._messages: Messages = ()
        self._sizes: list[int] = []
        self._total = 0

    def of(self, messages: Messages) -> int:
        """The sum of these."""
        known = self._messages
        if messages is not known:
            for number in compress(range(len(messages)), map(is_not, known, messages)):
                size = self._weigh(messages[number])
                self._total += size - self._sizes[number]
                self._sizes[number] = size
            self._total -= sum(self._sizes[len(messages) :])
            del self._sizes[len(messages) :]
            more = [self._weigh(message) for message in messages[len(known) :]]
            self._total += sum(more)
            self._sizes += more
            self._messages = messages
        return self._total


class Tallies:
    """One tally for each counter by which somebody asks."""

    def __init__(self) -> None:
        self._made: dict[Counter, Tally] = {}

    def by(self, count: Counter) -> Tally:
        """The tally of a counter; media hold what they were said to."""
        if count not in self._made:
            self._made[count] = Tally(
                lambda message: sum([one.tokens if one.kind == "media" else count(one.text) for one in message.parts])
            )
        return self._made[count]
