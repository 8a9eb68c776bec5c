"""Deduplicate: if one call gave the same result several times, the newest result stays.

Rule: the same tool, the same arguments, the same text, to the letter; nothing is lost, and so the newest tokens or
results that a policy keeps do not protect here, while its turns, tools, roles, pins and working set do. An older result
says that the same text is below. A result that cannot be removed is no reason to keep the others.
"""

from collections.abc import Iterator, Mapping, Set

from secateur.budget import Budget
from secateur.model import Edit, Transcript
from secateur.protect import Count
from secateur.strategies.stale import Stale, replace_stale
from secateur.strategy import Strategy
from secateur.toolcalls.history import get_history


class Deduplicate(Strategy, frozen=True, kw_only=True, tag="deduplicate"):
    """Results of at least `min_result_chars` characters that the same call gave again later become one line."""

    by_age = False
    leaves = "a later copy remains"

    min_result_chars: Count = 200

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        return replace_stale(self.find_stale(transcript, budget), transcript, budget, "deduplicate")

    def stale_since(self, transcript: Transcript, budget: Budget, keys: Set[str]) -> Mapping[str, int]:
        return self.find_stale(transcript, budget).find_since(keys)

    def find_stale(self, transcript: Transcript, budget: Budget) -> Stale:
        """Results that were repeated later, and since when, whether or not they may be removed."""
        history = get_history(transcript.messages, budget.originals, transcript.index)
        return Stale((history.get_repeats().same,), history.where, self.min_result_chars)
