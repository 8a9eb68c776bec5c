"""Condense: an old result becomes a line that says what went, and below it the lines by which to find one's way in it.

Rule: as `hard_clear`, but what a file defines and imports, and the headings of a document, stay by line number: later
work names a function or a file of a long listing far more often than it quotes its text.
"""

from collections.abc import Iterator

from secateur.bounds import find_call, find_prunable_results
from secateur.budget import Budget, get_original, handle_for, is_shorter
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.outline import outline
from secateur.placeholder import describe_removed
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
        for number, part in reversed(list(found)):
            raw = get_original(budget, part)
            room = min(self.max_outline_chars, max(_LEAST, int(self.outline_share * len(raw.text))))
            name = raw.key, raw.is_error, handle_for(budget, raw), room  # the key names the call and all before it
            text = known.get(name) if raw.key else None
            if text is None:
                text = build_outline(raw, find_call(transcript, number, part), name[2], room)
                if len(known) >= _KEPT:
                    known.clear()
                known[name] = text
            if is_shorter(budget, text, part):
                yield Rewrite(part.key, text, strategy="condense")


def build_outline(raw: Part, call: Part | None, handle: str, room: int) -> str:
    """The line that says what went, and the lines by which to find one's way in it, where there are any."""
    said, lines = describe_removed(raw, call, handle), outline(raw.text, room)
    return f"{said}\n{lines}" if lines else said
