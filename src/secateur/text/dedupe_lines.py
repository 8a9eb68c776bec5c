"""A long text without the lines that say again what others said: what happened once stays, in its place.

Rule: what is shown is the text's own lines in their order; where some are left out a note stands, with their numbers.
Lines that tell of an error stay, and lines that hold a name that is asked for. Short stretches stay too, and so source
keeps its text: it seldom says the like for many lines. The same text gives the same fold, in time linear in its length.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from secateur.text.gist import (
    Frame,
    find_candidates,
    find_frames,
    find_shared_shapes_in,
    find_stems,
    is_long,
    is_telling,
    may_tell,
)
from secateur.text.readback import describe_way_back

ALIKE, PASSED = "more of the like", "steps that went well"  # why lines are left out
LEAST_LINES, LEAST_CHARS = 5, 250  # of a stretch that is left out
_EACH, _HITS = 2, 3  # lines of one shape, and hits in one file, that stay
_NAMED = 3  # and such that hold a name
_LAST = 3  # lines at the end
_LEAST_FOLDED = _EACH + LEAST_LINES + _LAST  # lines of a text that can be folded
_LOOKED_AT = 40  # lines
_ASCII = bytes(range(128))
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


def is_long_folded(text: str, chars: int) -> bool:
    """Whether a few lines show that any fold of the text has at least so many characters; False: they do not.

    Its first two lines stay, its last ones, the first lines of each shape, and each line that tells of an error like no
    other does. The latter is certain only of a line with a word that digits interrupt: then the line without digits is
    no shape of any line.
    """
    lines = text.split("\n")
    left = chars - sum(map(len, lines[:_EACH])) - sum(map(len, lines[_EACH:][-_LAST:]))
    if left <= 0 or len(lines) < _LEAST_FOLDED:
        return left <= 0 or len(text) >= chars
    return _has_telling(text, lines, left) or _count_distinct(text, lines) >= chars


def _has_telling(text: str, lines: list[str], chars: int) -> bool:
    """Whether some lines that tell of an error like no other have so many characters."""
    stems = find_stems(text)
    last = min(_LOOKED_AT, len(lines) - _LAST)
    telling = [number for number in range(_EACH, last) if may_tell(lines[number], stems)] if stems else []
    if sum([len(lines[number]) for number in telling]) < chars:
        return False
    bare = _without_digits(text)
    times = Counter(bare)
    for number in telling if bare else ():
        line, said = lines[number], bare[number]
        if times[said] == 1 and _has_odd_word(line, said, text) and is_telling(line.strip()):
            chars -= len(line)
        if chars <= 0:
            return True
    return False


def _count_distinct(text: str, lines: list[str]) -> int:
    """Characters of lines that certainly stay: of each frame the two shortest ones, since lines of other frames have
    other shapes, and the first ones of each shape stay.
    """
    seen: Counter[Frame] = Counter()
    total = 0
    for chars, frame in sorted(zip(map(len, lines), find_frames(text, lines), strict=True)):
        if seen[frame] < _EACH or is_long(frame):
            seen[frame] += 1
            total += chars
    return total


def _without_digits(text: str) -> list[str]:
    """The lines of a text without digits; none where it has digits of other scripts."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > len(text) and any(
        map(str.isdecimal, {*data.translate(None, _ASCII).decode("utf-8", "surrogatepass")})
    ):
        return []
    return data.translate(None, b"0123456789").decode("utf-8", "surrogatepass").split("\n")


def _has_odd_word(line: str, said: str, text: str) -> bool:
    """Whether a line without digits has a word that is nowhere in the text."""
    changed = {*said.split()}.difference(line.split())
    return any([len(word) > 1 and word.isalpha() and word not in text for word in changed])


def _find_kept_lines(text: str, lines: list[str], about: Iterable[str]) -> list[bool]:
    shapes = find_shared_shapes_in(text, lines)
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
