"""A summary that was made beside the requests of a session, waiting to be swapped in.

Rule: a value; whether it still holds is asked when it is to be used.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

from secateur.fitting.epoch import Range

if TYPE_CHECKING:
    from secateur.compacting import Made


class Ready(Struct, frozen=True):
    """What was made, and the ranges that stood replaced when it was begun."""

    made: "Made"
    known: frozenset[Range]
