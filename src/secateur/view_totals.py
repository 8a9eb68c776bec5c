"""What walking over a view's messages finds, kept: of the next view only what is new or reads otherwise is walked.

Rule: everything here is a sum or a list over the messages taken last, so that dropping it changes no answer. Messages
that are the same objects read as they did; one of the same key, role and time was edited at most. Nothing is decided
here.
"""

from itertools import accumulate, compress
from operator import is_not
from typing import Any

from secateur.model import Message

Messages = tuple[Message, ...]
_Own = tuple[int, int, int, int, int]  # of one message, summed up below


class ViewTotals:
    """Of one view that grows. The lists of sums have one entry more than there are messages: the first is 0."""

    def __init__(self) -> None:
        self.messages: Messages = ()
        self.tokens: list[int] = [0]  # before each message
        self.thought: list[int] = [0]  # of these, in reasoning
        self.bound: list[int] = [0]  # of these, in what is bound to its prefix
        self.thoughts: list[int] = [0]  # parts of reasoning before each message
        self.blocks: list[int] = [0]  # all parts, but media inside results: blocks as a prompt cache counts them
        self.results: list[int] = []  # the message of each result, in order
        self.order: dict[str, int] = {}  # key of a result -> its place among them
        self.at: dict[str, int] = {}  # key of a message -> its number
        self._own: list[_Own] = []
        self._kept: dict[Any, tuple[Any, int, bool]] = {}

    def take(self, messages: Messages) -> "ViewTotals":
        """Continue with these messages; those that are the same objects are not visited again."""
        known = self.messages
        if messages is known:
            return self
        size = min(len(known), len(messages))
        changed = list(compress(range(size), map(is_not, known, messages)))
        other = next((number for number in changed if _is_other(known[number], messages[number])), size)
        self.messages = messages
        if other < len(known):
            self._cut(other)
        for number in changed:
            if number < other:
                self._own[number] = _count_own(messages[number])
        self._learn(len(self._own))
        self._sum(changed[0] if changed else size)
        first = changed[0] if changed else size
        self._kept = {name: one for name, one in self._kept.items() if one[1] <= (other if one[2] else first)}
        return self

    def keep(self, name: Any, value: Any, size: int, shape: bool = False) -> Any:
        """Keep what follows from the first `size` messages; with `shape` from their keys, roles and times alone."""
        self._kept[name] = value, size, shape
        return value

    def recall(self, name: Any) -> Any:
        """What was kept under a name, if it still holds; else None."""
        found = self._kept.get(name)
        return None if found is None else found[0]

    def _cut(self, size: int) -> None:
        """Forget the messages from this one on."""
        del self._own[size:]
        self.results = [number for number in self.results if number < size]
        self.order = {key: place for key, place in self.order.items() if place < len(self.results)}
        self.at = {key: number for key, number in self.at.items() if number < size}

    def _learn(self, first: int) -> None:
        """Take the messages from this one on."""
        for number in range(first, len(self.messages)):
            message = self.messages[number]
            self._own.append(_count_own(message))
            self.at[message.key] = number
            for part in message.parts:
                if part.kind == "tool_result":
                    self.order[part.key] = len(self.results)
                    self.results.append(number)

    def _sum(self, first: int) -> None:
        """Sum up from this message on."""
        sums = (self.tokens, self.thought, self.bound, self.thoughts, self.blocks)
        for some, own in zip(sums, zip(*self._own[first:], strict=True), strict=False):
            some[first:] = accumulate(own, initial=some[first])
        for some in sums:
            del some[len(self.messages) + 1 :]


def _count_own(message: Message) -> _Own:
    tokens = thought = bound = thoughts = blocks = 0
    for part in message.parts:
        tokens += part.tokens
        blocks += not part.container_key
        if part.kind == "reasoning":
            thought += part.tokens
            thoughts += 1
        if part.prefix_bound:
            bound += part.tokens
    return tokens, thought, bound, thoughts, blocks


def _is_other(one: Message, other: Message) -> bool:
    """Whether these are two messages, not one that was edited."""
    return one.key != other.key or one.role != other.role or one.recorded_ms != other.recorded_ms or not one.key
