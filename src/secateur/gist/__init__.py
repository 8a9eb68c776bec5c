"""Which lines of a text say how it went, and which only say again what others said.

Rule: two lines are alike if they differ in numbers, names and quoted values alone: a log says the same thing hundreds
of times of hundreds of things. What is said once, or of another state than its neighbors, has a shape of its own. A
hit of a search is like the other hits in its file. What a line tells follows from the text alone; nothing is left out
here.
"""

from secateur.gist.repeats import (
    ALIKE,
    EACH,
    MOSTLY,
    Frame,
    find_frames,
    find_shared_shapes,
    find_shared_shapes_in,
    find_unique_lines,
    is_long,
    limit_per_shape,
)
from secateur.gist.shapes import COMMON, MANY, Memo, get_shape
from secateur.gist.telling import (
    LONGEST,
    STEMS,
    find_candidates,
    find_stems,
    find_telling,
    find_versions,
    is_telling,
    may_tell,
)

__all__ = [
    "ALIKE",
    "COMMON",
    "EACH",
    "LONGEST",
    "MANY",
    "MOSTLY",
    "STEMS",
    "Frame",
    "Memo",
    "find_shared_shapes",
    "find_shared_shapes_in",
    "limit_per_shape",
    "find_frames",
    "find_stems",
    "is_long",
    "may_tell",
    "get_shape",
    "find_unique_lines",
    "find_candidates",
    "find_telling",
    "is_telling",
    "find_versions",
]
