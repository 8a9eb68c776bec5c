"""Runs of equal lines: the line once, and a note with the numbers of the others.

Rule: `expand_repeats(fold_repeats(text)) == text`. Only lines that are equal to the last character are a run.
"""

import re
from itertools import groupby

LEAST = 5  # lines of a run
_NOTE = re.compile(r"\[secateur: lines (\d{1,12})-(\d{1,12})(?: of \d{1,12})? repeat line (\d{1,12})\]")


def fold_repeats(text: str) -> str:
    """The text with its runs of equal lines shortened."""
    if _NOTE.search(text):
        return text
    lines = text.split("\n")
    total, number = f" of {len(lines)}", 0  # the first note says how many lines there were
    made: list[str] = []
    for line, run in groupby(lines):
        count = sum(1 for _ in run)
        note = f"[secateur: lines {number + 2}-{number + count}{total} repeat line {number + 1}]"
        if count >= LEAST and (count - 1) * (len(line) + 1) > len(note):
            made += (line, note)
            total = ""
        else:
            made += [line] * count
        number += count
    return "\n".join(made)


def expand_repeats(text: str) -> str:
    """The text that `fold_repeats` made this of."""
    made: list[str] = []
    for line in text.split("\n"):
        note = _NOTE.fullmatch(line)
        if note is not None and made and int(note[1]) == len(made) + 1 and int(note[3]) == len(made):
            made += [made[-1]] * (int(note[2]) - len(made))
        else:
            made.append(line)
    return "\n".join(made)
