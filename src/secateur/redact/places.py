"""Places in a text that are to be replaced, and the text with them replaced.

Rule: everything outside of the places stays, character by character. Where two places overlap, both go as one.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


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
    """What goes: from `start` to before `end`."""

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
