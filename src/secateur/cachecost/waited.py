"""How long results have been waiting to go: the message with which each left the protected places.

Rule: the answer follows from the history alone, whoever asks and whenever: it is the first message with which the
policy's protection would have let the result go. Conditions that look at the whole view (its weight, a window's share)
are taken as they are now.
"""

from bisect import bisect_right
from itertools import accumulate

from secateur.bounds import eligible, get_index, working_set
from secateur.budget import Budget
from secateur.model import Part, Transcript
from secateur.protect import Protection, protected_tokens
from secateur.view_totals import Walked


class Waited:
    """Asks for parts at or behind message `first`."""

    def __init__(self, transcript: Transcript, budget: Budget, walked: Walked, first: int) -> None:
        self._protect = protect = budget.protect
        index, messages = get_index(transcript), transcript.messages
        self._turns = index.user_messages
        kept = (
            (index.user_messages if protect.count_all_user_messages else index.user_turns, protect.last_turns),
            (index.assistant_messages, protect.last_assistant_messages),
            (_calling(transcript, first) if protect.last_rounds else [], protect.last_rounds),
        )
        self._kept = [(places, count) for places, count in kept if count]
        reach = protected_tokens(protect, budget.window)
        self._left = working_set(transcript, protect, budget.originals).left
        self._results, self._order = walked.results, walked.order
        self._line: dict[str, int] = {}
        if reach:
            parts = [
                (number, part)
                for number in range(first, len(messages))
                for part in messages[number].parts
                if part.kind == "tool_result"
            ]
            self._line = _lines(transcript, budget, parts, reach)

    def since(self, number: int, part: Part) -> int:
        """The number of the message with which a part of message `number` could go first."""
        protect = self._protect
        found = max(number + protect.last_messages, self._left.get(part.key, 0))
        for places, count in self._kept:
            found = max(found, _nth_behind(places, number, count))
        if part.kind != "tool_result":
            found = max(found, _nth_behind(self._turns, number, 1))  # the turn that runs keeps what the model said
        if protect.last_results and part.key in self._order:
            place = self._order[part.key] + 1
            newer = self._results[place : place + protect.last_results]
            found = max(found, newer[-1] if newer else number)
        return max(found, self._line.get(part.key, number))


def _nth_behind(places: tuple[int, ...] | list[int], number: int, count: int) -> int:
    """Where the `count`-th place behind message `number` stands; the last one where there are fewer."""
    first = bisect_right(places, number)
    some = places[first : first + count]
    return some[-1] if some else number


def _calling(transcript: Transcript, first: int) -> list[int]:
    messages = transcript.messages
    said = (number for number in get_index(transcript).assistant_messages if number >= first)
    return [number for number in said if any(part.kind == "tool_call" for part in messages[number].parts)]


def _lines(transcript: Transcript, budget: Budget, parts: list[tuple[int, Part]], reach: int) -> dict[str, int]:
    """By part: the message with which the newest results came to hold more than `reach` tokens with it."""
    counted = [(number, part) for number, part in parts if _counts(transcript, number, part, budget.protect)]
    ends = list(accumulate(budget.count(part.text) for _, part in counted))
    found: dict[str, int] = {}
    before = 0
    for (_, part), end in zip(counted, ends, strict=True):
        place = bisect_right(ends, before + reach)
        found[part.key] = counted[min(place, len(counted) - 1)][0]
        before = end
    return found


def _counts(transcript: Transcript, number: int, part: Part, protect: Protection) -> bool:
    return eligible(transcript, number, part, protect)
