"""Places in a text: where the marks of names and notations are, and the text with places replaced.

Rule: everything outside the places stays, character by character. Where two places overlap, both are replaced as one. A
mark is searched for by its rarest letter and what follows; only then is what precedes compared, since most letters of a
text begin no mark.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_BY_FREQUENCY = " etaoinsrhldcumfpgwybvkxjqz"  # in English, the commonest first; other characters are rarer
_LEAST = 3  # characters of a piece
_ASCII = "".join(map(chr, range(128)))


def find_places(text: str, mark: str) -> Iterator[int]:
    """The places of a mark in a text."""
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + len(mark))


def build_trie_pattern(words: set[str]) -> str:
    """A pattern for any of these words that reads each character once: words share their prefixes."""
    if words == {""}:
        return ""
    told = [
        re.escape(first) + build_trie_pattern({word[1:] for word in words if word[:1] == first})
        for first in sorted({word[0] for word in words if word})
    ]
    return f"(?:{'|'.join(told)}){'?' if '' in words else ''}"


class Span(NamedTuple):
    """What is redacted: from `start` to before `end`."""

    start: int
    end: int
    kind: str


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping ones merged under the kind of the longest."""
    told: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if told and span.start < told[-1].end:
            last = told[-1]
            kind = last.kind if last.end - last.start >= span.end - span.start else span.kind
            told[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            told.append(span)
    return told


def replace_spans(text: str, spans: Iterable[Span], mark: Callable[[str], str]) -> str:
    """The text with each span replaced by what `mark` returns for its kind."""
    pieces, end = [], 0
    for span in merge_spans(spans):
        pieces += [text[end : span.start], mark(span.kind)]
        end = span.end
    return "".join((*pieces, text[end:])) if end else text


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
