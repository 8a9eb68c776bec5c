"""Where the marks of names and notations stand in a text: each character is looked at once, in C.

Rule: a mark is sought by its rarest letter and what follows, and only then is what stands before compared: most letters
of a text begin no such piece.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.redact.places import build_trie_pattern

_BY_FREQUENCY = " etaoinsrhldcumfpgwybvkxjqz"  # in English, the commonest first; other characters are rarer
_LEAST = 3  # characters of a piece
_ASCII = "".join(map(chr, range(128)))


class Marks:
    """A set of marks, in lower case."""

    def __init__(self, marks: Iterable[str]) -> None:
        told = frozenset(marks)
        self._ascii = _compile_marks(mark for mark in told if mark.isascii())
        self._all = _compile_marks(told)
        self._leads = tuple({mark.lstrip(_ASCII).encode()[:1] for mark in told if not mark.isascii()})

    def find_places(self, text: str, data: bytes) -> list[tuple[int, str]]:
        """The marks in a text with their places, in order. `data` is the text in UTF-8."""
        pattern, marks = self._all if any(lead in data for lead in self._leads) else self._ascii
        lowered = text.replace("İ", "I").lower()  # that letter alone is longer in lower case
        return list(_verify_matches(pattern, marks, lowered))


def _compile_marks(marks: Iterable[str]) -> tuple[re.Pattern[str], dict[str, list[tuple[str, str]]]]:
    """A pattern of pieces, and for each piece the prefixes of its marks."""
    pieces: dict[str, list[tuple[str, str]]] = {}
    for mark in marks:
        at = max(range(max(len(mark) - _LEAST, 0) + 1), key=lambda place: _rank_rarity(mark[place]))
        pieces.setdefault(mark[at:], []).append((mark[:at], mark))
    return re.compile(build_trie_pattern(set(pieces))), pieces


def _rank_rarity(sign: str) -> int:
    return _BY_FREQUENCY.find(sign) if sign in _BY_FREQUENCY else len(_BY_FREQUENCY)


def _verify_matches(
    pattern: re.Pattern[str], pieces: dict[str, list[tuple[str, str]]], lowered: str
) -> Iterator[tuple[int, str]]:
    for found in pattern.finditer(lowered):
        start = found.start()
        for before, mark in pieces[found[0]]:
            if not before or lowered.endswith(before, 0, start):
                yield start - len(before), mark
