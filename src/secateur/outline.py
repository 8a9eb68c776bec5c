"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings, its files,
what went wrong, and versions; of a log what it says but once.

Rule: lines are the text's own, in their order, each with its number; of a search the files in which something was
found. A line is chosen by its shape alone, and by how many others have that shape, so the same text gives the same
outline, in time linear in its length. A text that defines nothing, lists nothing and tells of nothing has none.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import compress, count, repeat

from secateur.gist import LONGEST, find_telling, find_unique_lines, find_versions, limit_per_shape

MAX_LINE_CHARS = 160  # of one line


def outline(text: str, max_chars: int) -> str:
    """At most so many characters of lines, numbered: what went wrong, then what is less deeply indented. "" where there
    are none.
    """
    lines = text.split("\n")
    best: dict[int, tuple[int, int, str]] = {}
    room = max_chars
    for one in _format_lines(lines, limit_per_shape(lines, find_telling(text, lines)), _TOLD):
        best[one[1]] = one
        room -= len(one[2]) + 1
        if room < 0:  # these come first, so nothing else has a place
            return _join_lines(best, max_chars)
    found = list(_format_lines(lines, limit_per_shape(lines, find_versions(text, lines)), _NAMED))
    ways = list(_find_entries(lines))
    found += ways or _format_lines(lines, (at for at, once in enumerate(find_unique_lines(lines, text)) if once), _ONCE)
    for one in sorted(found):
        best.setdefault(one[1], one)
    return _join_lines(best, max_chars)


def shift_numbers(outlined: str, first_line: int, header_lines: int) -> str:
    """An outline with the numbers of a file of which the text shows a range from `first_line` on, behind so many lines
    of a host."""
    shift, made = first_line - header_lines - 1, []
    for line in outlined.split("\n") if outlined else ():
        number, colon, rest = line.partition(": ")
        made.append(f"{int(number) + shift}{colon}{rest}" if int(number) > header_lines else line)
    return "\n".join(made)


def _join_lines(best: dict[int, tuple[int, int, str]], max_chars: int) -> str:
    return "\n".join(line for _, line in sorted(_fit_lines(list(best.values()), max_chars)))


_TOLD, _NAMED, _ONCE = -1, 1, 2  # ranks, beside depths of indentation
_B = r"[^\S\n]"  # a blank within a line: the patterns look through a whole text
_HIT = r"(?P<path>(?:[\w.@+-]*+/)+[\w.@+-]+|[\w@+-]++\.[A-Za-z]\w{0,5})(?:[:-]\d+[:-]|:|$)"
_MODIFIERS = (
    r"(?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|override|async|unsafe|default"
    rf"|declare|readonly|get|set){_B}+)"
)
_DEFINES = (
    r"(?:def|class|func|fn|function|interface|type|struct|enum|trait|impl|const|let|var|val|record|object|protocol"
    rf"|extension){_B}+[\w<(*]"
)
_WAY = re.compile(  # of a line, in lines that follow one another
    rf"\n(?:{_HIT}|(?P<number>{_B}*+\d{{1,6}}[:|→\t-])?(?P<indent>[ \t]*+)"
    r"(?:#{1,4} \S|(?:export|import|from|package|module|namespace|require|use|using|include|#include)\b"
    rf"|{_MODIFIERS}*{_DEFINES}|{_MODIFIERS}+[\w<][^;=\n]*\{{{_B}*$))",
    re.MULTILINE,
)


def _find_entries(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Definitions and imports by depth, headings, and files with search hits."""
    files: set[str] = set()
    ways = _look_up(lines)
    for number, way in zip(compress(count(1), ways), filter(None, ways), strict=True):  # most lines are none
        depth, place, said = way
        if depth < 0:
            if said not in files:
                files.add(said)
                yield 0, number, f"{number}: {said}"
        else:
            yield depth, number, f"{place or number}: {said}"


_Way = tuple[int, str, str]  # depth, number and text of a line that defines something; -1, "" and the path for a hit
_MOST_KEPT, _KEPT_CHARS = 20_000, 200  # lines, and characters of each
_UNKNOWN: _Way = (-2, "", "")
_known: dict[str, _Way | None] = {}  # of the lines that were looked at last: a file is read again and again


def _look_up(lines: list[str]) -> list[_Way | None]:
    """Parse the lines that define something or are hits; None for the others."""
    found = list(map(_known.get, lines, repeat(_UNKNOWN)))
    if _UNKNOWN not in found:
        return found
    new = [line for line, way in zip(lines, found, strict=True) if way is _UNKNOWN]
    fresh: dict[str, _Way | None] = dict.fromkeys(new)
    text = "\n".join(["", *[line for line in fresh if len(line) < LONGEST]])
    for way in _WAY.finditer(text):
        start, end = way.start() + 1, text.find("\n", way.start() + 1)
        line = text[start:end] if end >= 0 else text[start:]
        fresh[line] = _parse_entry(line, way)
    if len(_known) + len(fresh) > _MOST_KEPT:
        _known.clear()
    _known.update({line: way for line, way in fresh.items() if len(line) <= _KEPT_CHARS})
    return [fresh[line] if way is _UNKNOWN else way for line, way in zip(lines, found, strict=True)]


def _parse_entry(line: str, way: re.Match[str]) -> _Way:
    if path := way["path"]:
        return -1, "", path
    said = line[len(way["number"] or "") :].strip()[:MAX_LINE_CHARS]
    return len(way["indent"].expandtabs(4)), (way["number"] or "").strip(" :|→\t-"), said


def _format_lines(lines: list[str], places: Iterable[int], rank: int) -> Iterator[tuple[int, int, str]]:
    return ((rank, at + 1, f"{at + 1}: {lines[at].strip()[:MAX_LINE_CHARS]}") for at in places)


def _fit_lines(found: list[tuple[int, int, str]], room: int) -> list[tuple[int, str]]:
    """As many entries as fit, by depth."""
    kept = []
    for _, number, line in sorted(found):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append((number, line))
    return kept
