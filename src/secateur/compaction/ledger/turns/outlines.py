"""The outline of what the agent wrote at length: a plan, a review, an analysis.

Rule: first and last line, headings and numbered points come before other items of its lists, and these before what
stands below them; what a review praises goes last. Long lines keep their first sentence. Code, and headings that
nothing is left of, are left out; nothing is made up, and what has no room is not marked, since it is an outline.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from secateur.compaction.ledger.said import FENCED, STOP
from secateur.toolcalls.actions import clip_text

LONG_LINE = 200  # characters; a longer line keeps its first sentence
_SEARCHED = 20_000  # characters of a text


class OutlineLine(Struct, frozen=True):
    """One line of a text, and how much it tells of the whole."""

    text: str
    rank: int
    is_heading: bool


def outline_words(text: str, max_chars: int) -> str:
    """Return a text that has room as it is, else its outline of at most so many characters."""
    if len(text) <= max_chars:
        return text
    lines = list(_rank_lines(FENCED.sub("", text[:_SEARCHED])))
    kept: set[int] = set()
    for at in sorted(range(len(lines)), key=lambda at: (-lines[at].rank, at)):
        if len(lines[at].text) < max_chars:
            kept.add(at)
            max_chars -= len(lines[at].text) + 1
    return "\n".join(_drop_bare_headings([lines[at] for at in sorted(kept)])) or clip_text(text, max_chars)


def _rank_lines(text: str) -> Iterator[OutlineLine]:
    lines = [line.rstrip() for line in text.split("\n") if _WORD.search(line) and not _CODE.search(line)]
    is_praise = False
    for at, line in enumerate(lines):
        is_heading = _HEADING.match(line) is not None
        if is_heading:
            is_praise = _PRAISES.search(line) is not None
        is_end = at in (0, len(lines) - 1)
        rank = 0 if is_praise and not is_end else _rank(line, is_heading or is_end)
        told = _cut_line(line) if len(line) > LONG_LINE else line
        yield OutlineLine(clip_text(told, 2 * LONG_LINE), rank, is_heading)


def _cut_line(line: str) -> str:
    """Return the first sentence of a line, with the number that it may have."""
    begin = _NUMBERED.match(line)
    number = begin[0] if begin else ""
    return number + STOP.split(line[len(number) :])[0]


def _rank(line: str, is_end: bool) -> int:
    if is_end or _POINT.match(line):
        return 3
    return 2 if _ITEM.match(line) else 1 if _NESTED.match(line) else 0


def _drop_bare_headings(lines: Sequence[OutlineLine]) -> Iterator[str]:
    """Yield the lines without headings that only stand above others, and of which nothing is left."""
    for line, after in zip(lines, (*lines[1:], None), strict=False):
        is_bare = line.is_heading and (after is None or after.is_heading or after.rank > line.rank)
        if not is_bare or _NUMBERED.match(line.text):
            yield line.text


_HEADING = re.compile(r"#{1,6}\s|\*\*[^*\n]{1,120}\*\*:?\s*$")
_NUMBERED = re.compile(r"[#*\s]*(?:\d{1,2}|[A-Z])[.):]\s")  # tells something by itself
_POINT = re.compile(r"(?:\d{1,2}[.)]|[A-Z][.)])\s+\S|[-*•]\s+\*\*")
_ITEM = re.compile(r"[-*•+]\s+\S|\|")
_NESTED = re.compile(r"\s{1,12}(?:[-*•+]|\d{1,2}[.)])\s+\S")
_CODE = re.compile(r"[{};]\s*$")  # that is left of a block within another
_WORD = re.compile(r"[^\W\d_]{2}")
_PRAISES = re.compile(
    r"(?i)\b(?:work(?:s|ing) well|strengths?|positives?|good (?:parts|points|practices)|(?:strong )?alignment"
    r"|what works|well done|looks good|no issues?)\b|[✓✔✅]"
)
