"""Condense: an old result becomes a line that says what went, and below it the lines by which to find one's way in it.

Rule: as `hard_clear`, but what a file defines and imports, and the headings of a document, stay by the line number that
they have in their file: later work names a function or a file of a long listing far more often than it quotes its text.
Of a file that was written to since, the line says so.
"""

from collections.abc import Iterator

from secateur.acts.known import get_history
from secateur.acts.ranges import find_shown_range
from secateur.bounds import find_call, find_prunable_results
from secateur.budget import Budget, get_original, handle_for, is_shorter
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.outline import outline, shift_numbers
from secateur.placeholder import INSTEAD, describe_removed
from secateur.protect import Count, Share
from secateur.strategy import Strategy, is_final

_LEAST = 400  # characters that any outline may have
_KEPT = 16_384  # outlines of one session


class Condense(Strategy, frozen=True, kw_only=True, tag="condense"):
    """Results keep an outline of at most `share` of their characters and `max_chars`."""

    leaves = "an outline remains"

    outline_share: Share = 0.1
    max_outline_chars: Count = 4_000

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        found = find_prunable_results(transcript, budget, lambda part: is_final(budget, part))
        derived = transcript.index.derived if transcript.index is not None else None
        known = derived.outlines if derived is not None else {}
        history = get_history(transcript.messages, budget.originals, transcript.index)
        changed = history.get_fates(budget.protect.recent_files).changed
        for number, part in reversed(list(found)):
            raw = get_original(budget, part)
            room = min(self.max_outline_chars, max(_LEAST, int(self.outline_share * len(raw.text))))
            instead = INSTEAD["written"] if raw.key in changed else ""
            name = (
                raw.key,
                raw.is_error,
                instead,
                handle_for(budget, raw),
                room,
            )  # the key names the call and all before it
            text = known.get(name) if raw.key else None
            if text is None:
                text = build_outline(raw, find_call(transcript, number, part), name[3], room, instead)
                if len(known) >= _KEPT:
                    known.clear()
                known[name] = text
            if is_shorter(budget, text, part):
                yield Rewrite(part.key, text, strategy="condense")


def build_outline(raw: Part, call: Part | None, handle: str, room: int, instead: str = "") -> str:
    """The line that says what went, and the lines by which to find one's way in it, where there are any."""
    shown = find_shown_range(call, raw)
    said = describe_removed(raw, call, handle, instead)
    lines = outline(raw.text, room)
    if shown.first_line > 1:
        lines = shift_numbers(lines, shown.first_line, shown.header_lines)
    return f"{said}\n{lines}" if lines else said
