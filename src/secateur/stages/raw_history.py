"""Back to the raw history, where the provider would reject a view for an edit that earlier views had.

Rule: each step is an epoch of the plan, so the record shows what happened. Replaced messages come back with the epochs
that replaced them, and texts with one more epoch.
"""

from collections.abc import Iterator

from secateur.model import Edit, Epoch, Replace, Restore
from secateur.plan import Plan, list_active_epochs, with_dependents
from secateur.projection import Projection


def restore_raw(projection: Projection, now_ms: int, reason: str) -> Iterator[Epoch]:
    """The epochs that lead back, each to be applied before the next is asked for.

    Going back is an edit like any other, with its dependents.
    """
    messages = projection.document.transcript.messages
    head = messages[-1].key
    ranges = tuple(edit for edit, _ in projection.fold.ranges)
    for number in _list_range_epochs(projection.plan):
        yield Epoch(now_ms, head, reason, (), reverts=number)
    back: tuple[Edit, ...] = tuple(Restore(key, strategy="gate") for key in sorted(projection.fold.parts))
    if projection.binds:
        back = with_dependents(messages, (*back, *ranges), projection.fold.removed)
    yield Epoch(now_ms, head, reason, tuple(edit for edit in back if not isinstance(edit, Replace)))


def _list_range_epochs(plan: Plan) -> list[int]:
    """The numbers of the active epochs that replaced messages, the newest first."""
    active = set(map(id, list_active_epochs(plan)))
    made = (number for number, epoch in enumerate(plan.epochs) if id(epoch) in active and _has_range(epoch))
    return sorted(made, reverse=True)


def _has_range(epoch: Epoch) -> bool:
    return any(isinstance(edit, Replace) for edit in epoch.edits)
