"""Supersede: results that later ones made stale go first.

Rule: stale is what code can tell from calls and results, never from a tool's name: a read of a file that was shown
again, or written to since; a check, a look or a search that was made again; a failure after which the same thing went
well. As what is stale has been replaced, the newest tokens or results that a policy keeps do not protect here, while
its turns, tools, roles, pins and working set do. What ran only once is never stale.
"""

from collections.abc import Iterator, Mapping, Set

from secateur.acts.known import history_of
from secateur.budget import Budget
from secateur.model import Edit, Transcript
from secateur.protect import Count
from secateur.strategies.stale import Stale, replaced
from secateur.strategy import Strategy


class Supersede(Strategy, frozen=True, kw_only=True, tag="supersede"):
    """Stale results become a line that says what they were and why they went."""

    by_age = False
    leaves = "what holds now stands later"

    shown: bool = True  # reads of the same range of a file that was shown again
    written: bool = True  # reads of a file that was written to since
    files: Count = 10  # but not of the files worked with last: edits go on from what was read before them
    asked: bool = True  # checks, looks and searches that were made again
    resolved: bool = True  # failures after which the same thing went well

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        return replaced(self.stale(transcript, budget), transcript, budget, "supersede")

    def stale_since(self, transcript: Transcript, budget: Budget, keys: Set[str]) -> Mapping[str, int]:
        return self.stale(transcript, budget).since(keys)

    def stale(self, transcript: Transcript, budget: Budget) -> Stale:
        """Results that are stale, why and since when, whether they may go or not."""
        history = history_of(transcript.messages, budget.raw, transcript.index)
        found = history.fates(self.files)
        kinds = ((self.written, found.written), (self.resolved, found.resolved), (self.asked, found.run))
        return Stale(tuple(fates for wanted, fates in (*kinds, (self.shown, found.shown)) if wanted), history.where)
