"""The index of a growing history, the token sums of its views, and the two counters of a session (SEEDS S.4).

Rule: everything here follows from the messages, so dropping it changes no answer. New messages are visited once, and
numbers are those of the raw history. What is compared with a window or with money, and what is reported, is counted for
the session's model; sizes of texts that a policy names are counted by the policy's own counter.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import partial
from heapq import nlargest
from itertools import compress
from operator import attrgetter, is_not

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from secateur.bounds import extend_index, find_boundary, find_prunable_messages, get_index, truncate_index
from secateur.model import Derived, Message, MessagePositions, Part, Transcript
from secateur.protect import Protection
from secateur.text.own_text import is_own
from secateur.tokens import Counter, get_factor, get_model_counter, make_cached_counters

Messages = tuple[Message, ...]


class MessageIndex:
    """Where messages and parts are in a history, by role and by key; and which results can still be pruned."""

    def __init__(self) -> None:
        self.positions: MessagePositions | None = None  # of users, turns, answers, prunable results; None: none learned
        self.numbers: dict[str, int] = {"": 0}  # key of a message -> its number, counted from 1
        self.own: set[str] = set()  # keys of results that came as text of ours
        self._size = 0  # messages
        self._found: dict[str, tuple[int, ...]] = {}  # reasoning that says the same in two answers has one key

    def learn(self, messages: Messages, first: int, is_observed: bool = False) -> None:
        """Take the messages from the `first` on; their keys alone if the history is only observed."""
        found, numbers = self._found, self.numbers
        for number in range(first, len(messages)):
            message = messages[number]
            if message.key:
                numbers[message.key] = number + 1
            for part in message.parts:
                key = part.key
                found[key] = (*found[key], number) if key in found else (number,)
                if not is_observed and part.kind == "tool_result" and is_own(part):
                    self.own.add(key)
        self._size = len(messages)
        if not is_observed:
            known = self.positions or MessagePositions(derived=Derived())
            self.positions = extend_index(messages, known, first)

    def forget(self, size: int) -> None:
        """Keep the first `size` messages."""
        if (known := self.positions) is not None:
            self.positions = truncate_index(known, size) if size else MessagePositions(derived=known.derived)
        if size < self._size:
            kept = {key: tuple(number for number in numbers if number < size) for key, numbers in self._found.items()}
            self._found = {key: numbers for key, numbers in kept.items() if numbers}
            self.own &= self._found.keys()
            self.numbers = {key: number for key, number in self.numbers.items() if number <= size}
            self._size = size

    def update_prunable(
        self, read: Transcript, protect: Protection, is_final: Callable[[Part], bool], touched: Iterable[int] | None
    ) -> None:
        """Find the messages with a result that the policy could still prune: check these again, or all with None.

        It follows from the history as received, the protection and the active edits. Of a history that grew, only what
        is new is checked, and what was edited since. Whether a result can be pruned now is decided by `bounds`.
        """
        read = replace(read, index=self.positions)
        index, size = get_index(read), len(read.messages)
        known = None if touched is None else index.prunable
        numbers = range(size) if touched is None or known is None else tuple(touched)
        found = find_prunable_messages(read, protect, is_final, numbers)
        prunable = tuple(sorted({*(known or ())}.difference(numbers).union(found)))
        first = max(index.first_prunable, find_boundary(read, protect).start)
        place = bisect_left(prunable, first)
        spent = prunable[place] if place < len(prunable) else max(first, size)
        self.positions = replace(index, first_prunable=spent, prunable=prunable)

    def reset_prunable(self) -> None:
        """Results that were out of reach may be prunable again: those that were restored, or are protected no more."""
        if self.positions is not None:
            self.positions = replace(self.positions, first_prunable=0)

    def __contains__(self, key: object) -> bool:
        """Whether a message or a part of the history has this key."""
        return key in self.numbers or key in self._found

    def find(self, keys: Iterable[str]) -> list[int]:
        """The messages that hold these parts, in order, each once; keys of other histories name none."""
        found = self._found
        return sorted({number for key in keys for number in found.get(key, ())})


class Tally:
    """The sum of what each message of a view weighs."""

    def __init__(self, weigh: Callable[[Message], int]) -> None:
        self._weigh = weigh
        self._messages: Messages = ()
        self._sizes: list[int] = []
        self._total = 0

    def sum_messages(self, messages: Messages) -> int:
        """The sum over these messages."""
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

    def weigh_each(self, messages: Messages) -> list[int]:
        """The weight of each of these messages."""
        self.sum_messages(messages)
        return self._sizes


class Tallies:
    """One tally for each counter by which someone asks."""

    def __init__(self) -> None:
        self._made: dict[Counter, Tally] = {}
        self._most = Tally(_find_largest_part)
        self._largest: tuple[Messages, tuple[Part, ...]] = (), ()  # of these messages

    def get_tally(self, count: Counter) -> Tally:
        """The tally of a counter; media keep their stated tokens."""
        if count not in self._made:
            self._made[count] = Tally(partial(_count_parts, count))
        return self._made[count]

    def find_largest(self, messages: Messages, count: int) -> tuple[Part, ...]:
        """The largest parts of these messages, the largest first."""
        if messages is not self._largest[0]:
            most = self._most.weigh_each(messages)  # the largest parts are in the messages with the largest parts
            numbers = sorted(nlargest(count, range(len(most)), key=most.__getitem__))
            parts = [part for number in numbers for part in messages[number].parts]
            self._largest = messages, tuple(nlargest(count, parts, key=attrgetter("tokens")))
        return self._largest[1]


def _count_parts(count: Counter, message: Message) -> int:
    parts = message.parts
    if len(parts) == 1 and parts[0].kind != "media":
        return count(parts[0].text)
    return sum([part.tokens if part.kind == "media" else count(part.text) for part in parts])


def _find_largest_part(message: Message) -> int:
    parts = message.parts
    return parts[0].tokens if len(parts) == 1 else max([part.tokens for part in parts], default=-1)


class Counting(Struct, frozen=True):
    """The counters of these names for a model."""

    names: tuple[str, str]
    both: tuple[Counter, Counter]
    model: str = ""
    once: Counter | None = None  # the first of both, for texts that are counted but once; None: that one itself
    is_fixed: bool = False  # these counters whatever the model, as in a replay that counts as its provider did

    @classmethod
    def of(cls, names: tuple[str, str], model: str = "") -> "Counting":
        """They remember the texts they counted last."""
        count, gauge = make_cached_counters(*names)
        if get_factor(model) != 1:
            count = make_cached_counters(names[0], model=model)[0]
        # To remember a text, all of it is hashed: that takes longer than to estimate its tokens.
        return cls(
            names, (count, gauge), model, get_model_counter(names[0], model) if names[0] == "estimate" else count
        )

    @property
    def alike(self) -> bool:
        """Whether the policy counts as the reports do, a model's factor aside."""
        return self.names[0] == self.names[1]

    def get_counter(self, name: str) -> Counter:
        """The counter of a name in the model's own tokens."""
        return self.both[0] if name == self.names[0] else get_model_counter(name, self.model)

    def can_count(self, model: str) -> bool:
        """Whether the existing counts are in this model's tokens too."""
        return self.is_fixed or get_factor(model) == get_factor(self.model)


def count_parts(messages: Iterable[Message], count: Counter) -> tuple[list[int], int | None]:
    """The tokens of each message, whose parts are counted once; and the first of them with bound reasoning."""
    sizes: list[int] = []
    bound: int | None = None
    for message in messages:
        total = 0
        for part in message.parts:
            tokens = part.tokens
            if not tokens and part.text:
                tokens = count(part.text)
                force_setattr(part, "tokens", tokens)
            if part.prefix_bound and bound is None:
                bound = len(sizes)
            total += tokens
        sizes.append(total)
    return sizes, bound
