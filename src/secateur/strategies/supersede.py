"""Supersede: results that later ones made stale are removed first.

Rule: staleness follows from calls and results, never from a tool's name: a read of a file that was shown again, or
written since; a repeated check, look or search; a failure after which the same thing succeeded. Since a stale result
has been replaced, a policy's newest tokens or results do not protect it, while its turns, tools, roles, pins and
working set do. A result of a call made only once is never stale.
"""

from collections.abc import Iterator, Mapping, Set

from secateur.budget import Budget
from secateur.model import Edit, Transcript
from secateur.protect import Count
from secateur.strategies.stale import Stale, replace_stale
from secateur.strategy import Strategy
from secateur.toolcalls.history import get_history


class Supersede(Strategy, frozen=True, kw_only=True, tag="supersede"):
    """Stale results become a line that says what they were and why they went."""

    by_age = False
    leaves = "a newer result replaces it"

    reread_files: bool = True  # reads of the same range of a file that was shown again
    modified_files: bool = True  # reads of a file that was written to since
    recent_files: Count = 10  # but not of the files worked with last: edits continue from what was read before them
    repeated_commands: bool = True  # checks, looks and searches that were made again
    resolved_errors: bool = True  # failures after which the same thing succeeded

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        return replace_stale(self.find_stale(transcript, budget), transcript, budget, "supersede")

    def stale_since(self, transcript: Transcript, budget: Budget, keys: Set[str]) -> Mapping[str, int]:
        return self.find_stale(transcript, budget).find_since(keys)

    def find_stale(self, transcript: Transcript, budget: Budget) -> Stale:
        """Stale results, why and since when, whether or not they may be removed."""
        history = get_history(transcript.messages, budget.originals, transcript.index)
        found = history.get_staleness(self.recent_files)
        kinds = (
            (self.modified_files, found.written),
            (self.resolved_errors, found.repeats.resolved),
            (self.repeated_commands, found.repeats.run),
        )
        return Stale(
            tuple(staleness for wanted, staleness in (*kinds, (self.reread_files, found.shown)) if wanted),
            history.where,
        )
