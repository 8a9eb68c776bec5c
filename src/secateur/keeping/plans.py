"""Where a view's plan stands in the plan of its session, which may say more than it.

Rule: values only.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.model import Epoch
from secateur.plan import Plan


class Base(Struct, frozen=True):
    """The plan that a view is to be made with, and where it stands in the session's own."""

    plan: Plan
    saved: int  # its first so many epochs are in the store
    offset: int  # as the session's epochs from this number on

    def range_of(self, plan: Plan) -> tuple[int, int]:
        """The epochs [first, last) that a plan which goes on from this one is in the session's own."""
        return self.offset, self.offset + len(plan.epochs)


def shifted(epochs: tuple[Epoch, ...], by: int) -> tuple[Epoch, ...]:
    """The epochs as part of a plan in which they stand `by` places later."""
    if not by:
        return epochs
    return tuple(one if one.undoes is None else replace(one, undoes=one.undoes + by) for one in epochs)
