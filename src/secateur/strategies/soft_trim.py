"""Soft trim: long results keep their ends.

Rule: a trimmed result is made from the result as received, on code-point boundaries. Form "excerpt", ours, keeps error
lines and the exit status too and is never longer than what it replaces; form "ends" is OpenClaw's to the letter
(SEEDS 3.5), which may be longer (SEEDS S.6).
"""

from collections.abc import Iterator
from typing import Literal

from secateur.bounds import find_prunable_results
from secateur.budget import Budget, get_original, handle_for
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.protect import Count
from secateur.strategy import Strategy
from secateur.text.excerpt import excerpt, trim_text

_ON_ARRIVAL = ("excerpt", "reduce_output")  # strategies whose texts may be trimmed later, from the result as received


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
        for part in self._list_long(transcript, budget):
            raw = get_original(budget, part)
            text = self._trim_text(raw.text, handle_for(budget, raw))
            if text != part.text:
                yield Rewrite(part.key, text, strategy="soft_trim")

    def _list_long(self, transcript: Transcript, budget: Budget) -> list[Part]:
        """Oldest first; an excerpt counts at its own size (SEEDS S.7), trimmed results are excluded."""
        found = find_prunable_results(transcript, budget, lambda part: _is_trimmed(budget, part))
        return [part for _, part in found if len(part.text) > self.max_chars][::-1]

    def _trim_text(self, text: str, handle: str) -> str:
        if self.form == "excerpt":
            return excerpt(text, min(self.max_chars, self.head_chars + self.tail_chars), handle)
        if self.head_chars + self.tail_chars >= len(text):
            return text
        return trim_text(text, self.head_chars, self.tail_chars)


def _is_trimmed(budget: Budget, part: Part) -> bool:
    return part.key in budget.own_keys or budget.edited_by.get(part.key, "excerpt") not in _ON_ARRIVAL
