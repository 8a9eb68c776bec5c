"""What strategies that know of later results share: who may go for one, and the line that is left.

Rule: a strategy says which results were replaced, how and since when; here the policy's protection is asked and the
line is written, which names the call, its size and where the like stands now. A line is never longer than the result.
"""

from collections.abc import Iterator, Mapping, Set
from functools import lru_cache, partial

from msgspec import Struct

from secateur.acts.fates import Fate
from secateur.bounds import find_call, find_superseded_results
from secateur.budget import Budget, get_original, handle_for, is_shorter
from secateur.model import Edit, Rewrite, Transcript
from secateur.strategy import is_final, is_partial
from secateur.text.placeholder import INSTEAD, describe_removed


class Stale(Struct, frozen=True):
    """Fates by the keys of results, of kinds of which the last counts; `least`: characters of a result that has one."""

    kinds: tuple[Mapping[str, Fate], ...]
    where: Mapping[str, tuple[int, int]]  # key of a result -> its message, and its characters
    least: int = 0

    def find_fate(self, key: str) -> Fate | None:
        """The fate of a result; None if it is not stale."""
        found = next((fates[key] for fates in reversed(self.kinds) if key in fates), None)
        return found if found is not None and self.where[key][1] >= self.least else None

    def list_remaining(self, edited: Mapping[str, str]) -> set[str]:
        """Keys of stale results without a final edit, except those shorter than any replacement line."""
        keys: set[str] = set()
        for fates in self.kinds:
            keys |= fates.keys() - edited.keys()
            keys.update(key for key in fates.keys() & edited.keys() if is_partial(edited[key]))
        least = max(self.least, _LINE_CHARS)
        return {key for key in keys if self.where[key][1] >= least}

    def find_since(self, keys: Set[str]) -> dict[str, int]:
        """The stale ones of these results, with the message that made them stale."""
        found: dict[str, int] = {}
        for fates in self.kinds:
            found |= {key: fates[key].since for key in fates.keys() & keys if self.where[key][1] >= self.least}
        return found


def replace_stale(stale: Stale, transcript: Transcript, budget: Budget, by: str) -> Iterator[Edit]:
    """Edits for the stale results that may be replaced, oldest first."""
    keys = stale.list_remaining(budget.edited_by)
    for number, part in find_superseded_results(transcript, budget, partial(is_final, budget), keys) if keys else ():
        raw, fate = get_original(budget, part), stale.find_fate(part.key)
        call = find_call(transcript, number, part)
        text = _line(raw, call, handle_for(budget, raw), INSTEAD[fate.why]) if fate is not None else part.text
        if is_shorter(budget, text, part):
            yield Rewrite(part.key, text, strategy=by)


_LINE_CHARS = 40  # no line is shorter
_line = lru_cache(maxsize=4_096)(describe_removed)
