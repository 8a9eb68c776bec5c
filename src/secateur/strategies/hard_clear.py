"""Hard clear: a placeholder replaces old results.

Rule: a result is cleared once; its placeholder describes the result as received, even if an excerpt had replaced it
(SEEDS S.7). Which results stay is the policy's `protect`; whether it pays now is its schedule. The fields distinguish
the systems: a fixed text or a description of what was removed, all at once or only until the messages are light enough.
"""

from collections.abc import Iterator

from secateur.bounds import find_call, find_prunable_results
from secateur.budget import CHARS_PER_TOKEN, Budget, get_original, handle_for, weigh_transcript
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.protect import Count
from secateur.strategy import Strategy, is_final
from secateur.text import placeholder


class HardClear(Strategy, frozen=True, kw_only=True, tag="hard_clear"):
    """Results become a placeholder: `text`, a template, or without one a line that says what went."""

    leaves = "a placeholder remains"

    placeholder: str = ""  # fields: placeholder.FIELDS
    error_placeholder: str = ""  # for error results; empty: as the others
    never_longer: bool = True  # a result is left alone where its placeholder would be longer (SEEDS S.6)
    stop_at_cleared: bool = False  # the walk ends at a result cleared before, and at a summary (opencode's walk)
    min_char_share: float | None = (
        None  # only while the messages' weight is at least this share of the window (SEEDS 3.5)
    )
    min_total_chars: Count = 0  # only if all removable results together have at least so many characters (SEEDS 3.5)

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        weighs = self._weigh_messages(transcript)
        if self._is_light(weighs, budget):
            return
        found = list(
            find_prunable_results(transcript, budget, lambda part: self._is_done(budget, part), self.stop_at_cleared)
        )
        if sum(len(part.text) for _, part in found) < self.min_total_chars:
            return
        for number, part in reversed(found):
            if self._is_light(weighs, budget):
                return
            text = self._make_placeholder(transcript, number, part, budget)
            if text is not None:
                weighs += len(text) - len(part.text)
                yield Rewrite(part.key, text, strategy="hard_clear")

    def _weigh_messages(self, transcript: Transcript) -> int:
        return 0 if self.min_char_share is None else weigh_transcript(transcript)

    def _is_light(self, weighs: int, budget: Budget) -> bool:
        """Whether the messages are few enough characters to stay unchanged."""
        if self.min_char_share is None:
            return False
        return budget.window <= 0 or weighs / (budget.window * CHARS_PER_TOKEN) < self.min_char_share

    def _is_done(self, budget: Budget, part: Part) -> bool:
        """Whether it is a placeholder already: from this plan, or from a view that came back as history."""
        return is_final(budget, part) or placeholder.is_any_placeholder(
            part.text, self.placeholder, self.error_placeholder
        )

    def _make_placeholder(self, transcript: Transcript, number: int, part: Part, budget: Budget) -> str | None:
        raw = get_original(budget, part)
        template = self.error_placeholder if raw.is_error and self.error_placeholder else self.placeholder
        if template:
            text = placeholder.fill_template(template, raw)
        elif self.never_longer and len(part.text) <= placeholder.LEAST_CHARS:
            return None
        else:
            within = len(part.text) if self.never_longer else None
            call, handle = find_call(transcript, number, part), handle_for(budget, raw)
            text = placeholder.describe_removed(raw, call, handle, within=within)
            if not text:
                return None
        longer = len(text) >= len(part.text) or budget.count(text) > budget.count(part.text)
        return None if self.never_longer and longer else text
