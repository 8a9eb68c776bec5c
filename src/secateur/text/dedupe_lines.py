"""A long text without the lines that say again what others said: what happened once stays, in its place.

Rule: what is shown is the text's own lines in their order; where some are left out a note stands, with their numbers.
Lines that tell of an error stay, and lines that hold a name that is asked for. Short stretches stay too, and so source
keeps its text: it seldom says the like for many lines. The same text gives the same fold, in time linear in its length.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from secateur.text.gist import find_candidates, find_shared_shapes, is_telling
from secateur.text.readback import describe_way_back

ALIKE, PASSED = "more of the like", "steps that went well"  # why lines are left out
LEAST_LINES, LEAST_CHARS = 5, 250  # of a stretch that is left out
_EACH, _HITS = 2, 3  # lines of one shape, and hits in one file, that stay
_NAMED = 3  # and such that hold a name
_LAST = 3  # lines at the end
_LEAST_FOLDED = _EACH + LEAST_LINES + _LAST  # lines of a text that can be folded
_NUMBER, _NO_DIGITS = re.compile(r"\d+"), dict.fromkeys(map(ord, "0123456789"))


def fold(text: str, handle: str = "", about: Iterable[str] = ()) -> str:
    """The text without repetitions; the text itself where there are too few to be worth a note.

    The names `about` are gone through only where some lines are left out.
    """
    lines = text.split("\n")
    if len(lines) < _LEAST_FOLDED:
        return text
    return leave_out(text, lines, _find_kept_lines(text, lines, about), handle)


def leave_out(text: str, lines: list[str], stays: list[bool], handle: str = "", reason: str = ALIKE) -> str:
    """The text without the lines that do not stay, and notes in their place; itself where no stretch is worth one."""
    made: list[str] = []
    done = 0
    for start, end in _find_stretches(lines, stays):
        made += lines[done:start]
        made.append(
            _note(start, end, 0 if done else len(lines), f"{reason}, {describe_way_back(handle)}" if handle else reason)
        )
        done = end
    return "\n".join((*made, *lines[done:])) if done else text


def _find_kept_lines(text: str, lines: list[str], about: Iterable[str]) -> list[bool]:
    shapes = find_shared_shapes(lines)
    if not any(shapes):
        return [True] * len(lines)
    sounds: set[int] | None = None  # asked only where something is said again
    seen: Counter[str] = Counter()
    found: list[bool] = []
    for number, (line, shape) in enumerate(zip(lines, shapes, strict=True)):
        seen[shape] += 1
        stays = not shape or seen[shape] <= (_HITS if shape[0] == "\0" else _EACH)
        if not stays:
            sounds = set(find_candidates(text, lines)) if sounds is None else sounds
            if number in sounds and is_telling(line.strip()):
                said = (
                    line.translate(_NO_DIGITS) if line.isascii() else _NUMBER.sub("", line)
                )  # the same error in another place is the same, in another file it is not
                seen[said] += 1
                stays = seen[said] <= _EACH
        found.append(stays)
    for name in about if False in found else ():
        if name not in text:
            continue
        for number in islice((n for n, line in enumerate(lines) if name in line), _NAMED):
            found[number] = True
    found[-_LAST:] = [True] * len(found[-_LAST:])
    return found


def _find_stretches(lines: list[str], stays: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield where lines are left out; empty lines go with the lines around them."""
    start = 0
    for number, kept in enumerate((*stays, True)):
        if not kept:
            continue
        if number - start >= LEAST_LINES and sum(map(len, lines[start:number])) >= LEAST_CHARS:
            yield start, number
        start = number + 1


def _note(start: int, end: int, total: int, why: str) -> str:
    """The first note of a text says how many lines it has, and how to read them."""
    first = f" of {total} left out: {why}" if total else " left out"
    return f"[secateur: lines {start + 1}-{end}{first}]"
