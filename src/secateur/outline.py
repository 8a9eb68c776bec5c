"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings, its files.

Rule: lines are the text's own, in their order, each with its number; of a search the files in which something was
found. A line is chosen by its shape alone, so the same text gives the same outline, in time linear in its length. A
text that defines nothing and lists nothing has none.
"""

import re

MAX_LINE_CHARS = 160  # of one line


def outline(text: str, max_chars: int) -> str:
    """At most so many characters of lines, numbered; less deeply indented ones come first. "" where there are none."""
    found: list[tuple[int, int, str]] = []
    files: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) >= _LONGEST:
            continue
        hit = _HIT.match(line)
        if hit:
            if hit["path"] not in files:
                files.add(hit["path"])
                found.append((0, number, f"{number}: {hit['path']}"))
        elif shape := _SHAPE.match(line):
            said = line[len(shape["number"] or "") :].strip()[:MAX_LINE_CHARS]
            place = (shape["number"] or "").strip(" :|→-\t") or number
            found.append((len(shape["indent"].expandtabs(4)), number, f"{place}: {said}"))
    return "\n".join(line for _, line in sorted(_fitting(found, max_chars)))


_LONGEST = 1_000
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


def _fitting(found: list[tuple[int, int, str]], room: int) -> list[tuple[int, str]]:
    """By depth, as many as fit."""
    kept = []
    for _, number, line in sorted(found):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append((number, line))
    return kept
