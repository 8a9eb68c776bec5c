"""Which lines of a project's file make one rule: a bullet with what it goes on over, a head with its list.

Rule: what means nothing alone stays together: the items of a list with the head that forbids them, and commands with
the heading that requires them. Where such a list is clipped its head stays.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.said import CODE, strip_code
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.compaction.ledger.user.demands import HARD


def split_rules(text: str) -> Iterator[str]:
    """Yield each bullet or line whole, with the lines on which it goes on and the list that it forbids or requires."""
    lines = strip_code(text).split("\n")
    at = 0
    while at < len(lines):
        held = [lines[at].strip()]
        at += 1
        if _REQUIRES.match(held[0]):
            held, at = _join_commands(held[0], lines, at)
        while at < len(lines) and _is_continued(held, lines[at]):
            code, end = _take_code(lines, at)
            if len(code) > 1:  # in one line they would read as one command
                held, at = [*held, *code], end
            else:
                held[-1] = f"{held[-1]} {lines[at].removeprefix(CODE).strip()}"
                at += 1
        if len(held) == 1 and _is_head(held[0]):
            items, at = _take_items(lines, at, indent=_measure_indent(lines[at - 1]), is_bullet=_is_bullet(held[0]))
            held += items
        at = _join_paragraph(held, lines, at)
        yield "\n".join(held)


def clip_block(text: str, max_chars: int) -> str:
    """Return the head of a list with as many of its items as have room."""
    head, *items = text.split("\n")
    kept = [head]
    for item in items:
        if sum(map(len, kept)) + len(item) > max_chars:
            return "\n".join((*kept, GAP)) if len(kept) > 1 else ""
        kept.append(item)
    return "\n".join(kept)


def _is_continued(held: Sequence[str], line: str) -> bool:
    if not held[-1] or len(held) > 1:
        return False
    return line.startswith(CODE) or (_INDENTED.match(line) is not None and not _OPENS.search(held[-1]))


def _join_paragraph(held: list[str], lines: Sequence[str], at: int) -> int:
    """Add to a line of prose the lines on which its sentence goes on, and behind it those that name its parts."""
    while len(held[0]) and at < len(lines) and _PROSE.match(held[0]) and _PROSE.match(lines[at]):
        if _PART.match(lines[at]) and _ENDS.search(held[-1]):
            held.append(lines[at].strip())
        elif len(held) == 1 and not _ENDS.search(held[-1]):
            held[-1] = f"{held[-1]} {lines[at].strip()}"
        else:
            break
        at += 1
    return at


def _is_head(line: str) -> bool:
    """Whether a line opens a list of what it forbids or requires."""
    return _OPENS.search(line) is not None and HARD.search(line) is not None


def _take_items(lines: Sequence[str], at: int, indent: int, is_bullet: bool) -> tuple[list[str], int]:
    """Return the bullets that stand below a head, and where the first line behind them is."""
    items: list[str] = []
    end = at
    while at < len(lines):
        line = lines[at]
        if line.strip() and not (_is_bullet(line) and (not is_bullet or _measure_indent(line) > indent)):
            break
        at += 1
        if line.strip():
            items.append(line.strip())
            end = at
    return items, end


def _join_commands(heading: str, lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return a heading that requires something with the commands below it, if these are what it requires."""
    below = [n for n in range(at, min(len(lines), at + _LINES_BELOW)) if lines[n].strip()]
    first = next((n for n in below if lines[n].startswith(CODE)), None)
    if first is None or any(lines[n].startswith("#") for n in below if n < first):
        return [heading], at
    commands, end = _take_code(lines, first)
    return [heading.lstrip("# "), *commands], end


def _take_code(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return the lines of code from here on, and where the first line behind them is."""
    end = at
    while end < len(lines) and lines[end].startswith(CODE):
        end += 1
    return [line.removeprefix(CODE).strip() for line in lines[at:end]], end


def _is_bullet(line: str) -> bool:
    return _BULLET.match(line) is not None


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_PROSE = re.compile(r"(?!\s*(?:[-*•+]|\d{1,2}[.)])\s)\s{0,3}[^\s#>|<{}[\]/\\=⁣]")
_PART = re.compile(r"[^\W\d_][\w ]{1,20}: +\S")  # "Format: `type: what`"
_ENDS = re.compile(r"[.!?:;。！？：][\s*_`\")]*\Z|[>`]\s*\Z")
_LINES_BELOW = 5  # a heading, in which its commands begin
_REQUIRES = re.compile(
    r"#{1,6}\s(?=[^\n]*(?:\b(?:REQUIRED|MANDATORY|MUST|ALWAYS)\b|(?i:\b(?:before|after)\s+(?:each|every)\b)))"
)
_OPENS = re.compile(r"[:：][*_]*\Z")
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+\S")
_INDENTED = re.compile(r"\s{2,}(?![-*•+]\s|\d{1,2}[.)]\s)\S")
