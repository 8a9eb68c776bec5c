"""Which lines of a text say how it went, and which only say again what others said.

Rule: two lines are alike if they differ in numbers, names and quoted values alone: a log says the same thing hundreds
of times of hundreds of things. What is said once, or of another state than its neighbors, has a shape of its own. A
hit of a search is like the other hits in its file. What a line tells follows from the text alone; nothing is left out
here.
"""

from secateur.gist.shapes import (
    ALIKE,
    COMMON,
    EACH,
    MANY,
    MOSTLY,
    Frame,
    Memo,
    alike,
    alike_in,
    few,
    find_frames,
    may_be_listed,
    shape,
    single,
)
from secateur.gist.telling import LONGEST, STEMS, held_stems, may_tell, sounding, telling, tells, versioned

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
    "alike",
    "alike_in",
    "few",
    "find_frames",
    "held_stems",
    "may_be_listed",
    "may_tell",
    "shape",
    "single",
    "sounding",
    "telling",
    "tells",
    "versioned",
]
