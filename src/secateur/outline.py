"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings.

Rule: lines are the text's own, in their order, each with its number; a line is chosen by its shape alone, so the same
text gives the same outline, in time linear in its length. A text that defines nothing has none.
"""

import re

MAX_LINE_CHARS = 160  # of one line


def outline(text: str, max_chars: int) -> str:
    """At most so many characters of lines, numbered; less deeply indented ones come first. "" where there are none."""
    found: list[tuple[int, int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) < _LONGEST and (shape := _SHAPE.match(line)):
            depth = len(shape["indent"].expandtabs(4))
            said = line[len(shape["number"] or "") :].strip()[:MAX_LINE_CHARS]
            found.append((depth, number, f"{(shape['number'] or '').strip(' :|→-') or number}: {said}"))
    return "\n".join(line for _, line in sorted(_fitting(found, max_chars)))


_LONGEST = 1_000
_SHAPE = re.compile(
    r"(?P<number>\s*\d{1,6}[:|→\t-])?(?P<indent>[ \t]*)"
    r"(?:#{1,4} \S|@\w+|(?:export|import|from|package|module|namespace|require|use|using|include|#include)\b"
    r"|(?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|override|async|unsafe|default|declare|readonly)\s+)*"
    r"(?:def|class|func|fn|function|interface|type|struct|enum|trait|impl|macro_rules!|const|let|var|val|record|object|protocol|extension)\s+[\w<(*]"
    r"|(?:(?:public|private|protected|static|async|override|get|set|readonly)\s+)+[\w<]+[^;=]*\{\s*$"
    r"|[A-Za-z_]\w*\([^;]*\)\s*(?::\s*[^;{]+)?\{\s*$)"
)
_CONTROL = re.compile(r"\s*(?:if|for|while|switch|catch|return|else)\b")


def _fitting(found: list[tuple[int, int, str]], room: int) -> list[tuple[int, str]]:
    """By depth, as many as fit."""
    kept = []
    for _, number, line in sorted(found):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append((number, line))
    return kept
