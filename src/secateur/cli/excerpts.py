"""The first lines of a difference between two texts, as a person reads it.

Rule: bounded, whatever the size of the texts: long runs and long lines are cut, and what was cut is counted.
"""

from collections.abc import Iterator
from difflib import unified_diff
from itertools import groupby

_LINES = 1000  # lines of each text that are compared: beyond that nobody reads, and comparing takes long
_CHARS = 200  # of a line


def excerpt(before: str, after: str, run: int) -> Iterator[str]:
    """Lines that begin with `-`, `+` or a blank; of a run of one sign at most `run`, and then how many more."""
    old, new = _head(before), _head(after)
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    for sign, group in groupby(lines, key=lambda line: line[0]):
        told = list(group)
        if sign == "@":
            continue
        yield from told[:run]
        if len(told) > run:
            yield f"{sign} … {_lines(len(told) - run)}"
    if rest := max(_beyond(before), _beyond(after)):
        yield f"  … {_lines(rest)}, not compared"


def _head(text: str) -> list[str]:
    """The first lines; a line that is not shown whole ends in what its rest hashes to nothing: its length."""
    lines = text.split("\n", _LINES)[:_LINES]
    return [line if len(line) <= _CHARS else f"{line[:_CHARS]}… ({len(line):,} characters)" for line in lines]


def _beyond(text: str) -> int:
    return max(0, text.count("\n") + 1 - _LINES)


def _lines(count: int) -> str:
    return f"{count:,} more line{'s' if count > 1 else ''}"
