"""Condense: an old result becomes a line that says what was removed, and below it the lines by which to navigate it.

Rule: as `hard_clear`, but what a file defines and imports, and the headings of a document, stay with the line numbers
that they have in their file: later work names a function or a file of a long listing far more often than it quotes its
text. The line says if the file was written to since. Line numbers come from the call (`sed -n 240,420p beds.py`, `tail
-n +240 beds.py`, a read with an offset) where it shows one range of one file and nothing else; a text whose lines are
numbered already needs no others.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from secateur.bounds import find_call, find_prunable_results
from secateur.budget import Budget, get_original, handle_for, is_shorter
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.protect import Count, Share
from secateur.strategy import Strategy, is_final
from secateur.text.outline import outline, shift_numbers
from secateur.text.placeholder import INSTEAD, describe_removed
from secateur.toolcalls.actions import build_action, normalize_name
from secateur.toolcalls.file_effects import list_command_lines
from secateur.toolcalls.history import get_history

_LEAST = 400  # characters that any outline may have
_KEPT = 16_384  # outlines of one session


class ShownRange(Struct, frozen=True):
    """A text shows a file from this line on, behind so many lines that a host put first."""

    first_line: int = 1
    header_lines: int = 0


_WHOLE = ShownRange()
_SHOWS = re.compile(
    r"(?:cd [^;&|<>]+ && )?"
    r"(?:sed -n (?P<quote>['\"]?)(?P<from>\d{1,7}),(?:\d{1,7}|\$)p(?P=quote)|tail -n \+(?P<tail>\d{1,7}))"
    r" [^;&|<>*?]+?(?: \| head -(?:n ?)?\d+)?\s*"
)
_OFFSETS = frozenset({"offset", "startline", "linestart", "fromline"})
_HEADER = re.compile(r"(?:[^\n]*\n){0,8}?Output:\n")  # of hosts that say how a command ran
_OWN_NUMBER = re.compile(r"\s*\d{1,7}[:|→\t]")


def find_shown_range(call: Part | None, result: Part) -> ShownRange:
    """The range of its file that a result shows."""
    if call is None or not any(word in call.text for word in _WORDS):
        return _WHOLE
    action = build_action(call, result)
    header = _HEADER.match(result.text) if action.kind == "run" else None
    first = _find_first_line(list_command_lines(action)) if action.kind == "run" else _find_offset(action.given)
    if first <= 1 or _OWN_NUMBER.match(result.text, header.end() if header else 0):
        return _WHOLE
    return ShownRange(first, header[0].count("\n") if header else 0)


_WORDS = ("sed -n", "tail -n", "ffset", "tart", "from", "From")


def _find_first_line(lines: list[str]) -> int:
    found = _SHOWS.fullmatch(lines[0]) if len(lines) == 1 and len(lines[0]) < 2_000 else None
    return int(found["from"] or found["tail"]) if found else 1


def _find_offset(given: dict[str, object]) -> int:
    for name, value in given.items():
        if normalize_name(name) in _OFFSETS and isinstance(value, int) and 1 < value < 10**7:
            return value
    return 1


class Condense(Strategy, frozen=True, kw_only=True, tag="condense"):
    """Results keep an outline: at most `outline_share` of their characters, and `max_outline_chars`."""

    leaves = "an outline remains"

    outline_share: Share = 0.1
    max_outline_chars: Count = 4_000

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        found = find_prunable_results(transcript, budget, lambda part: is_final(budget, part))
        derived = transcript.index.derived if transcript.index is not None else None
        known = derived.outlines if derived is not None else {}
        history = get_history(transcript.messages, budget.originals, transcript.index)
        changed = history.get_staleness(budget.protect.recent_files).changed
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


def build_outline(raw: Part, call: Part | None, handle: str, room: int, instead: str) -> str:
    """The line that says what went, and the lines by which to find one's way in it, where there are any."""
    shown = find_shown_range(call, raw)
    said = describe_removed(raw, call, handle, instead)
    lines = outline(raw.text, room)
    if shown.first_line > 1:
        lines = shift_numbers(lines, shown.first_line, shown.header_lines)
    return f"{said}\n{lines}" if lines else said
