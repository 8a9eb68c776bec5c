"""Places in a text that are to be replaced, and the text with them replaced.

Rule: everything outside of the places stays, character by character. Where two places overlap, both go as one.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


def places(text: str, mark: str) -> Iterator[int]:
    """Where a mark stands in a text."""
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + len(mark))


def branches(words: set[str]) -> str:
    """A pattern that finds any of these words and looks at each character once: words with one beginning share it."""
    if words == {""}:
        return ""
    told = [
        re.escape(first) + branches({word[1:] for word in words if word[:1] == first})
        for first in sorted({word[0] for word in words if word})
    ]
    return f"(?:{'|'.join(told)}){'?' if '' in words else ''}"


class Span(NamedTuple):
    """What goes: from `start` to before `end`."""

    start: int
    end: int
    kind: str


def joined(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one, which is named for the longest."""
    told: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if told and span.start < told[-1].end:
            last = told[-1]
            kind = last.kind if last.end - last.start >= span.end - span.start else span.kind
            told[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            told.append(span)
    return told


def replaced(text: str, spans: Iterable[Span], mark: Callable[[str], str]) -> str:
    """The text with what `mark` says in place of each span."""
    pieces, end = [], 0
    for span in joined(spans):
        pieces += [text[end : span.start], mark(span.kind)]
        end = span.end
    return "".join((*pieces, text[end:])) if end else text
