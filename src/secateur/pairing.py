"""Matches tool results to the calls that they answer, by id, within one round.

Rule: a result answers the oldest open call under its key, and a call has one result. What a round is differs from API
to API, so the caller ends rounds; what a key is (an id, a type and an id, a name) is the caller's decision, too.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Call = TypeVar("Call")
Result = TypeVar("Result")


class Pairing(Generic[Call, Result]):
    """The calls and results of one round after another.

    Calls wait in one queue per key. A result takes the first call of its queue. Where the queue is empty, the result
    is a double if a call under its key was answered in this round, and an orphan otherwise. Calls that still wait when
    their round ends are unanswered.

    With `unique`, a key stands for one call: another call under it takes the place of the first, which is then never
    reported as unanswered. Most APIs reject the repeated id itself, and one mistake should be reported once.
    """

    __slots__ = ("_answered", "_open", "_queued", "_unique", "doubles", "matched", "orphans", "unanswered")

    def __init__(self, unique: bool = False) -> None:
        self.matched: list[tuple[Call, Result]] = []
        self.unanswered: list[Call] = []  # calls of rounds that ended
        self.orphans: list[Result] = []  # results without a call in their round
        self.doubles: list[Result] = []  # second results of one call
        self._unique = unique
        self._open: dict[Hashable, Call] = {}  # the first call of each queue
        self._queued: dict[Hashable, list[Call]] = {}  # those behind it: rare, so most keys have no list
        self._answered: set[Hashable] = set()

    @property
    def open_calls(self) -> list[Call]:
        """The calls of this round that have no result yet."""
        return [call for key, first in self._open.items() for call in (first, *self._queued.get(key, ()))]

    @property
    def has_results(self) -> bool:
        """Whether a call of this round has its result."""
        return bool(self._answered)

    def is_waiting(self, key: Hashable) -> bool:
        """Whether a call under this key has no result yet."""
        return key in self._open

    def add_call(self, key: Hashable, call: Call) -> bool:
        """Open a call. Returns whether the key is new among the open calls of this round."""
        if key not in self._open:
            self._open[key] = call
            return True
        if self._unique:
            self._open[key] = call
        else:
            self._queued.setdefault(key, []).append(call)
        return False

    def add_result(self, key: Hashable, result: Result) -> Call | None:
        """Match a result and record it: as matched, a double or an orphan. Returns the call that it answers."""
        if key not in self._open:
            (self.doubles if key in self._answered else self.orphans).append(result)
            return None
        call = self._close(key)
        self.matched.append((call, result))
        return call

    def take(self, key: Hashable, accepts: Callable[[Call], bool] | None = None) -> Call | None:
        """Close the oldest open call under this key, or the oldest of those that are accepted; None if there is none.

        For callers that keep their own record of results.
        """
        if key not in self._open:
            return None
        if accepts is None or accepts(self._open[key]):
            return self._close(key)
        queue = self._queued.get(key, [])
        at = next((at for at, call in enumerate(queue) if accepts(call)), None)
        if at is None:
            return None
        self._answered.add(key)
        return queue.pop(at)

    def take_any(self) -> Call | None:
        """Close the first open call under any key, for a result that has none; None if no call is open."""
        return self._close(next(iter(self._open))) if self._open else None

    def end_round(self) -> None:
        """Abandon the open calls; what follows is another round."""
        if self._open:
            self.unanswered += self.open_calls
            self._open, self._queued = {}, {}
        if self._answered:
            self._answered = set()

    def _close(self, key: Hashable) -> Call:
        self._answered.add(key)
        queue = self._queued.get(key) if self._queued else None
        if not queue:
            return self._open.pop(key)
        call, self._open[key] = self._open[key], queue.pop(0)
        return call


def match_by_name(calls: Sequence[tuple[str, str]], results: Sequence[tuple[str, str]]) -> list[int | None]:
    """The number of the call that each result answers, or None. Both are given by id, which may be "", and by name.

    Gemini sends ids since its newer models only. So a first pass matches ids where both sides have one. A second pass
    matches the rest by name, in order; there, an id on both sides that differs is a contradiction and never a match.
    """
    by_id: Pairing[int, int] = Pairing()
    for number, (id, _) in enumerate(calls):
        if id:
            by_id.add_call(id, number)
    found = [by_id.take(id) if id else None for id, _ in results]
    by_name: Pairing[int, int] = Pairing()
    taken = set(found)
    for number, (_, name) in enumerate(calls):
        if number not in taken:
            by_name.add_call(name, number)
    for number, (id, name) in enumerate(results):
        if found[number] is None:
            found[number] = by_name.take(name, (lambda call: not calls[call][0]) if id else None)
    return found
