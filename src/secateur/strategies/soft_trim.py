"""Soft trim: long results keep their ends.

Rule: a trimmed result is made from the result as it came, on code-point boundaries. Form "excerpt", ours, keeps error
lines and the exit status too and is never longer than what it replaces; form "ends" is OpenClaw's to the letter
(SEEDS 3.5), which may be longer (SEEDS S.6).
"""

from collections.abc import Iterator
from typing import Literal

from secateur.bounds import find_prunable_results
from secateur.budget import Budget, handle_for, original
from secateur.excerpt import excerpt, trimmed
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.protect import Count
from secateur.strategy import Strategy


class SoftTrim(Strategy, frozen=True, kw_only=True, tag="soft_trim"):
    """Results longer than `max_chars` keep their first `head_chars` and last `tail_chars` characters."""

    is_partial = True
    leaves = "its start and end remain"

    form: Literal["excerpt", "ends"] = "excerpt"
    max_chars: Count = 4_000
    head_chars: Count = 1_500
    tail_chars: Count = 1_500

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        if budget.window <= 0 and self.form == "ends":
            return  # SEEDS 3.4 compares with the window; without one nothing is done
        for part in self._long(transcript, budget):
            raw = original(budget, part)
            text = self._trimmed(raw.text, handle_for(budget, raw))
            if text != part.text:
                yield Rewrite(part.key, text, strategy="soft_trim")

    def _long(self, transcript: Transcript, budget: Budget) -> list[Part]:
        """Oldest first; an excerpt counts at its own size (SEEDS S.7), a trimmed result is done with."""
        found = find_prunable_results(transcript, budget, lambda part: _trimmed_before(budget, part))
        return [part for _, part in found if len(part.text) > self.max_chars][::-1]

    def _trimmed(self, text: str, handle: str) -> str:
        if self.form == "excerpt":
            return excerpt(text, min(self.max_chars, self.head_chars + self.tail_chars), handle)
        if self.head_chars + self.tail_chars >= len(text):
            return text
        return trimmed(text, self.head_chars, self.tail_chars)


def _trimmed_before(budget: Budget, part: Part) -> bool:
    return part.key in budget.own_keys or budget.edited_by.get(part.key, "excerpt") != "excerpt"
