"""A strategy: runs of blank lines in old results become one blank line.

Rule: a line with something on it is never changed, so nothing that was said is lost.
"""

import re
from collections.abc import Iterator

from secateur.plugins import Budget, Count, Edit, Rewrite, Strategy, Transcript, find_prunable_results, is_shorter

_BLANK = re.compile(r"\n(?:[ \t\r]*\n)+")


class SqueezeBlankLines(Strategy, frozen=True, kw_only=True, tag="squeeze_blank_lines"):
    """Results of at least `min_chars` characters keep at most one blank line in a row."""

    is_partial = True  # a later strategy may still clear the result as a whole
    leaves = "every line that says something stays"

    min_chars: Count = 200

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        found = find_prunable_results(transcript, budget, lambda part: part.key in budget.edited_by)
        for _, part in reversed(list(found)):
            text = _BLANK.sub("\n\n", part.text)
            if len(part.text) >= self.min_chars and is_shorter(budget, text, part):
                yield Rewrite(part.key, text, strategy="squeeze_blank_lines")
