"""Shared by strategies that know later results: which results can be removed for one, and the line that remains.

Rule: a strategy says which results were replaced, how and since when; this module applies the policy's protection and
writes the line, which names the call, its size and where the newer text is. A line is never longer than the result.
"""

from collections.abc import Iterator, Mapping, Set
from functools import lru_cache, partial

from msgspec import Struct

from secateur.bounds import find_call, find_superseded_results
from secateur.budget import Budget, get_original, handle_for, is_shorter
from secateur.model import Edit, Rewrite, Transcript
from secateur.strategy import is_final, is_partial
from secateur.text.placeholder import INSTEAD, describe_removed
from secateur.toolcalls.staleness import Staleness


class Stale(Struct, frozen=True):
    """Stale results by key, in kinds of which the last one counts; `least`: the shortest result that may be stale."""

    kinds: tuple[Mapping[str, Staleness], ...]
    where: Mapping[str, tuple[int, int]]  # key of a result -> its message, and its characters
    least: int = 0

    def find_staleness(self, key: str) -> Staleness | None:
        """Return why a result is stale and since when; None if it is not stale."""
        found = next((staleness[key] for staleness in reversed(self.kinds) if key in staleness), None)
        return found if found is not None and self.where[key][1] >= self.least else None

    def list_remaining(self, edited: Mapping[str, str]) -> set[str]:
        """Keys of stale results without a final edit, except those shorter than any replacement line."""
        keys: set[str] = set()
        for staleness in self.kinds:
            keys |= staleness.keys() - edited.keys()
            keys.update(key for key in staleness.keys() & edited.keys() if is_partial(edited[key]))
        least = max(self.least, _LINE_CHARS)
        return {key for key in keys if self.where[key][1] >= least}

    def find_since(self, keys: Set[str]) -> dict[str, int]:
        """The stale ones of these results, with the message that made them stale."""
        found: dict[str, int] = {}
        for staleness in self.kinds:
            found |= {key: staleness[key].since for key in staleness.keys() & keys if self.where[key][1] >= self.least}
        return found


def replace_stale(stale: Stale, transcript: Transcript, budget: Budget, by: str) -> Iterator[Edit]:
    """Edits for the stale results that may be replaced, oldest first."""
    keys = stale.list_remaining(budget.edited_by)
    for number, part in find_superseded_results(transcript, budget, partial(is_final, budget), keys) if keys else ():
        raw, staleness = get_original(budget, part), stale.find_staleness(part.key)
        call = find_call(transcript, number, part)
        text = _line(raw, call, handle_for(budget, raw), INSTEAD[staleness.why]) if staleness is not None else part.text
        if is_shorter(budget, text, part):
            yield Rewrite(part.key, text, strategy=by)


_LINE_CHARS = 40  # no line is shorter
_line = lru_cache(maxsize=4_096)(describe_removed)
