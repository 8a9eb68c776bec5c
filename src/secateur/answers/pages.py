"""A long text in pages: whole lines where they fit, a longer line in pieces.

Rule: the pages one after the other are the text, character for character. The same text has the same pages.
"""

from msgspec import Struct

LINES = 200  # of a page: a few screens
CHARS = 20_000  # about 5,000 tokens


class Page(Struct, frozen=True):
    """A piece of a text. Lines count from 1."""

    text: str
    number: int  # from 1
    pages: int
    first: int  # its first line
    last: int
    lines: int  # of the whole text


def page(text: str, number: int = 1, lines: int = LINES, chars: int = CHARS) -> Page:
    """Page `number` of a text; the last one for numbers beyond it."""
    cuts = _find_page_breaks(text, lines, chars)
    at = min(max(number, 1), len(cuts) - 1)
    start, end = cuts[at - 1], cuts[at]
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, max(start, end - 1))
    return Page(text[start:end], at, len(cuts) - 1, first, last, count_lines(text))


def slice_lines(text: str, first: int, last: int | None) -> str:
    """Return lines `first` to `last` of a text, inclusive, from 1, with their line ends."""
    return "".join(_split_lines(text)[max(first, 1) - 1 : last])


def count_lines(text: str) -> int:
    """Return how many lines a text has."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def _find_page_breaks(text: str, lines: int, chars: int) -> list[int]:
    """Return where pages begin and end."""
    cuts, held, at = [0], 0, 0
    for line in _split_lines(text):
        if held and (held == lines or at + len(line) - cuts[-1] > chars):
            cuts.append(at)
            held = 0
        at += len(line)
        held += 1
        while at - cuts[-1] > chars:
            cuts.append(cuts[-1] + chars)
    if at > cuts[-1] or len(cuts) == 1:
        cuts.append(at)
    return cuts


def _split_lines(text: str) -> list[str]:
    """Split a text into lines with their ends, at line feeds only."""
    pieces = text.split("\n")
    ended = [f"{piece}\n" for piece in pieces[:-1]]
    return [*ended, pieces[-1]] if pieces[-1] else ended
