"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings, its files,
what went wrong, and versions; of a log what it says but once.

Rule: lines are the text's own, in their order, each with its number; of a search the files in which something was
found. A line is chosen by its shape alone, and by how many others have that shape, so the same text gives the same
outline, in time linear in its length. A text that defines nothing, lists nothing and tells of nothing has none.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.gist import LONGEST, STEMS, few, single, tells, versioned

MAX_LINE_CHARS = 160  # of one line


def outline(text: str, max_chars: int) -> str:
    """At most so many characters of lines, numbered: what went wrong, then what is less deeply indented. "" where there
    are none.
    """
    lines = text.split("\n")
    found = [*_shown(lines, few(lines, _tells), _TOLD), *_shown(lines, few(lines, versioned), _NAMED)]
    ways = list(_ways(lines))
    found += ways or _shown(lines, (at for at, once in enumerate(single(lines)) if once), _ONCE)
    best: dict[int, tuple[int, int, str]] = {}
    for one in sorted(found, reverse=True):
        best[one[1]] = one
    return "\n".join(line for _, line in sorted(_fitting(list(best.values()), max_chars)))


_TOLD, _NAMED, _ONCE = -1, 1, 2  # ranks, beside depths of indentation
_HIT = re.compile(r"(?P<path>(?:[\w.@+-]*/)+[\w.@+-]+|[\w@+-]+\.[A-Za-z]\w{0,5})(?:[:-]\d+[:-]|:|$)")
_MODIFIERS = (
    r"(?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|override|async|unsafe|default"
    r"|declare|readonly|get|set)\s+)"
)
_DEFINES = (
    r"(?:def|class|func|fn|function|interface|type|struct|enum|trait|impl|const|let|var|val|record|object|protocol"
    r"|extension)\s+[\w<(*]"
)
_SHAPE = re.compile(
    r"(?P<number>\s*\d{1,6}[:|→\t-])?(?P<indent>[ \t]*)"
    r"(?:#{1,4} \S|(?:export|import|from|package|module|namespace|require|use|using|include|#include)\b"
    rf"|{_MODIFIERS}*{_DEFINES}|{_MODIFIERS}+[\w<][^;=]*\{{\s*$)"
)


def _ways(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """What is defined and imported, by depth; headings; files in which something was found."""
    files: set[str] = set()
    for number, line in enumerate(lines, 1):
        if len(line) >= LONGEST:
            continue
        hit = _HIT.match(line)
        if hit:
            if hit["path"] not in files:
                files.add(hit["path"])
                yield 0, number, f"{number}: {hit['path']}"
        elif way := _SHAPE.match(line):
            said = line[len(way["number"] or "") :].strip()[:MAX_LINE_CHARS]
            place = (way["number"] or "").strip(" :|→-\t") or number
            yield len(way["indent"].expandtabs(4)), number, f"{place}: {said}"


def _shown(lines: list[str], places: Iterable[int], rank: int) -> Iterator[tuple[int, int, str]]:
    return ((rank, at + 1, f"{at + 1}: {lines[at].strip()[:MAX_LINE_CHARS]}") for at in places)


def _tells(line: str) -> bool:
    return any([stem in line for stem in STEMS]) and tells(line.strip())


def _fitting(found: list[tuple[int, int, str]], room: int) -> list[tuple[int, str]]:
    """By depth, as many as fit."""
    kept = []
    for _, number, line in sorted(found):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append((number, line))
    return kept
