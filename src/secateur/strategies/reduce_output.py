"""On arrival: what the model has just asked for reaches it whole, unless less says the same.

Rule: lossless first, by content: JSON that no file holds as tables, logs as templates with what differs, hits of a
search by file, runs of equal lines counted. Of checks, builds and installations the steps that went well go; verdicts,
failures, warnings and totals stay. Nothing else, unless one result alone fills a share of the window. Source,
documents, diffs and data that was asked for stay as they are, and so does what would save little. Where characters are
lost (white space, spelling, colors, steps), the result must be readable back. A result reads the same whatever stands
around it.
"""

import re
from collections.abc import Iterator

from secateur.budget import Budget
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.protect import Count, Share
from secateur.strategies.new_results import NewResult, find_new_results
from secateur.strategy import Strategy
from secateur.text.dedupe_lines import PASSED, leave_out
from secateur.text.excerpt import excerpt
from secateur.text.lossless import (
    add_note,
    clean,
    fold_repeats,
    fold_templates,
    group_hits,
    is_log,
    write_json_as_tables,
)
from secateur.toolcalls.commands import is_search
from secateur.toolcalls.completed_calls import is_file_access
from secateur.toolcalls.steps import find_passed, has_steps

_LEAST_SHARE = 0.1  # of its characters: what saves less is not worth reading in another form


class ReduceOutput(Strategy, frozen=True, kw_only=True, tag="reduce_output"):
    """New results of which at least `min_tokens_saved` tokens can go without harm."""

    is_partial = True
    leaves = "all but repetition and steps that went well remains"

    min_tokens_saved: Count = 1_000
    max_window_share: Share = 0.5  # of the window: what alone is longer becomes an excerpt of half of that
    lossless_only: bool = False  # only forms that say all of it: no step is left out, and nothing becomes an excerpt

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        for new in find_new_results(transcript, budget, self.min_tokens_saved):
            if new.holds_media or new.tokens < self.min_tokens_saved:
                continue
            text = self._reduce(new)
            if len(text) < len(new.part.text):
                yield Rewrite(new.part.key, text, strategy="reduce_output")

    def _is_too_large(self, new: NewResult, tokens: int) -> bool:
        """Whether so many tokens of a result are too large a share of the window, and the rest can be read back."""
        most = 0 if self.lossless_only else self.max_window_share * new.budget.window
        return 0 < most < new.budget.scale_to_reported(tokens) and bool(new.handle)

    def _reduce(self, new: NewResult) -> str:
        """The text of the result: unchanged, shortened without loss, or cut if it fills the window."""
        whole, budget, tokens = new.part.text, new.budget, new.tokens
        form = "lossless" if self.lossless_only else "reduced"
        text = new.remember(form, lambda: _shorten(new.call, new.part, new.handle, self.lossless_only))
        left = budget.count(text) if text is not whole else tokens
        if tokens - left < self.min_tokens_saved:
            text, left = whole, tokens
        if self._is_too_large(new, left):
            room = int(self.max_window_share * budget.window / 2 * len(whole) / budget.scale_to_reported(tokens))
            return excerpt(whole, room, new.handle, new.find_names())
        return text


_JSON_FILE = re.compile(r"\.(?:json[5cl]?|jsonl|ndjson|geojson|ipynb|har)\b")


def _shorten(call: Part | None, result: Part, handle: str, lossless_only: bool) -> str:
    """The shortest of the forms that this result may have; its own text where none is much shorter."""
    text = result.text
    files = call is not None and is_file_access(call, result)
    forms = [text]
    if handle and not files and not (call is not None and _JSON_FILE.search(call.text)):
        forms.append(write_json_as_tables(text, handle))
    logs, search = is_log(text), call is not None and is_search(call)
    if search:
        forms.append(group_hits(text))
    elif logs or not files:
        shown = clean(text) if handle else text
        form = fold_templates(shown) if logs else fold_repeats(shown)
        forms.append(form if shown == text else add_note(form, handle))
        if handle and not lossless_only and call is not None and has_steps(call):
            forms.append(_leave_out_passed(shown, handle))
    shortest = min(forms, key=len)
    return shortest if len(shortest) <= (1 - _LEAST_SHARE) * len(text) else text


def _leave_out_passed(text: str, handle: str) -> str:
    """The text without its steps that went well; the first of each stretch shows what they look like."""
    lines = text.split("\n")
    stays: list[bool] = []
    before = False
    for line, passed in zip(lines, find_passed(lines), strict=True):
        if line.strip():
            stays.append(not (passed and before))
            before = passed
        else:
            stays.append(not before)
    return leave_out(text, lines, stays, handle, PASSED)
