"""Which lines of a text say how it ended, which are unique, and which only repeat others.

Rule: two lines are alike if they differ in numbers, names and quoted values alone: a log repeats one message hundreds
of times about hundreds of things. A line that is unique, or of another state than its neighbors, has a shape of its
own. A search hit is like the other hits in its file. What a line tells follows from the text alone and is computed
before its shape, because it is cheaper and often enough. Nothing is left out here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from secateur.text.gist.shapes import (
    COMMON,
    LONG_SHAPE,
    MANY,
    Memo,
    compute_shapes,
    get_shape,
    merge_shapes,
)
from secateur.text.gist.telling import (
    LONGEST,
    STEMS,
    find_candidates,
    find_stems,
    find_versions,
    is_telling,
)

__all__ = [
    "ALIKE",
    "COMMON",
    "EACH",
    "LONGEST",
    "MANY",
    "MOSTLY",
    "STEMS",
    "Memo",
    "find_shared_shapes",
    "limit_per_shape",
    "find_stems",
    "get_shape",
    "find_unique_lines",
    "find_candidates",
    "is_telling",
    "find_versions",
]

ALIKE = 4  # lines of one shape from which on they are repetitions
EACH = 3  # lines of one shape that are shown of the telling ones
MOSTLY = 0.5  # of the lines of a log that are like others


def find_shared_shapes(lines: Sequence[str]) -> list[str]:
    """Of each line the shape that it shares with others, `ALIKE` of them at least; "" where it is like none.

    An empty line is like the line before it. The shape of a hit, and of an entry in a list of files, begins with a zero
    character. In a list of more than `MANY` lines the paths of one folder are alike, and so are the names of folders.
    """
    shapes = compute_shapes(lines)
    times = Counter(shapes)
    wider = merge_shapes(times)
    if not wider and max(times.values(), default=0) < ALIKE:
        return [""] * len(shapes)
    wide = [wider.get(said, said) for said in shapes] if wider else list(shapes)
    alone = {said for said, count in Counter(wide).items() if count < ALIKE} | {LONG_SHAPE}
    found: list[str] = []
    last = ""
    for said in wide:
        if said or not found:
            last = said if said not in alone else ""
        found.append(last)
    return found


def find_unique_lines(lines: Sequence[str]) -> list[bool]:
    """Of each line whether it is like no other, where most are like others; of another text none is."""
    if len(lines) < ALIKE:
        return [False] * len(lines)
    shapes = find_shared_shapes(lines)
    if len(shapes) - shapes.count("") < MOSTLY * len(lines):
        return [False] * len(lines)
    return [not shape and bool(line.strip()) for line, shape in zip(lines, shapes, strict=True)]


def limit_per_shape(lines: Sequence[str], places: Iterable[int]) -> Iterator[int]:
    """Those of these places where the line is one of the first `EACH` of its shape."""
    seen: Counter[str] = Counter()
    pending: list[str] = []  # the first lines, whose shapes are asked about only as far as they matter
    for number, place in enumerate(places):
        if number < EACH:
            pending.append(lines[place])
            yield place
            continue
        said = get_shape(lines[place])
        while pending and seen[said] < EACH <= seen[said] + len(pending):
            seen[get_shape(pending.pop())] += 1
        if seen[said] < EACH:
            yield place
        seen[said] += 1
