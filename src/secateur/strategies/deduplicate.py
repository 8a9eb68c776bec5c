"""Deduplicate: of one call that gave the same result several times, the newest result stays.

Rule: the same tool, the same arguments, the same text, to the letter; nothing is lost, and so the newest tokens or
results that a policy keeps do not protect here, while its turns, tools, roles, pins and working set do. An older
result says that the same stands below. A result that may not go is no reason to keep the others.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from secateur.acts.fates import Fate
from secateur.acts.known import history_of
from secateur.budget import Budget
from secateur.model import Edit, Transcript
from secateur.protect import Count
from secateur.strategies.stale import replaced


class Deduplicate(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag="deduplicate", tag_field="do"
):
    """Results of at least `min_chars` characters that the same call gave again later become a line that says so."""

    min_chars: Count = 200

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        return replaced(self.fates(transcript, budget), transcript, budget, "deduplicate")

    def since(self, transcript: Transcript, budget: Budget) -> Mapping[str, int]:
        """The same, and the message with which each could go first."""
        return {key: fate.since for key, fate in self.fates(transcript, budget).items()}

    def fates(self, transcript: Transcript, budget: Budget) -> Mapping[str, Fate]:
        """Results that came again, and since when, whether they may go or not."""
        history = history_of(transcript.messages, budget.raw)
        where = history.where
        return {key: fate for key, fate in history.fates(0).same.items() if where[key][1] >= self.min_chars}
