"""Where in its file a shown range begins: `sed -n 240,420p beds.py`, `tail -n +240 beds.py`, a read with an offset.

Rule: only what the call says itself counts, and only where it shows one range of one file and nothing else. A text
whose lines have numbers of their own needs no other ones.
"""

import re
from functools import lru_cache

from msgspec import Struct

from secateur.acts.calls import build_action, normalize_name
from secateur.acts.files import list_command_lines
from secateur.model import Part


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


@lru_cache(maxsize=4_096)
def find_shown_range(call: Part | None, result: Part) -> ShownRange:
    """The range of its file that a result shows."""
    if call is None or not any(word in call.text for word in _WORDS):
        return _WHOLE
    action = build_action(call, result)
    header = _HEADER.match(result.text) if action.role == "run" else None
    first = _find_first_line(list_command_lines(action)) if action.role == "run" else _find_offset(action.given)
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
