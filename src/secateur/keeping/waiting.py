"""Receipts that waited for a store that was away: brought to it in order, as soon as it answers again.

Rule: nobody waits for that; a session that somebody is at brings its own with its next request.
"""

from typing import TYPE_CHECKING

from secateur.errors import StoreError
from secateur.keeping.memory import Desk
from secateur.keeping.reach import Reach
from secateur.keeping.record import recorded
from secateur.receipt import Receipt
from secateur.stores.protocol import Change, Conflict, State, Store, Who

if TYPE_CHECKING:
    from secateur.keeping import Keeping

FEW = 8  # sessions whose receipts one request brings to a store that was away
TIMES = 16  # that it is tried for a session that others save too


def waited(desk: Desk, state: State, *more: Receipt) -> Change:
    """The receipts of a session that waited, and these."""
    receipts = (*desk.waiting, *more)
    return Change(at=receipts[-1].at, receipts=recorded(receipts, state))


def flush(keeping: "Keeping") -> None:
    """Give the store the receipts that waited for it, now that it answers again: a few sessions at a time."""
    reach = keeping.reach
    if reach is None or not reach.returned:
        return
    waiting = keeping.memory.waiting()
    left = [who for who in waiting[:FEW] if not _flushed(keeping, who, reach)]
    reach.returned = bool(left) or len(waiting) > FEW


def settle(keeping: "Keeping") -> None:
    """Give the store all receipts that wait for it, however long that takes; what it does not take stays here."""
    for who in keeping.memory.waiting() if keeping.store is not None else ():
        for _ in range(TIMES):
            if _flushed(keeping, who, keeping.store):
                break


def _flushed(keeping: "Keeping", who: Who, store: Store | Reach | None) -> bool:
    """Whether nothing of a session waits any more, or somebody is at it, who will see to that."""
    with keeping.memory.free(who) as desk:
        if desk is None or not desk.waiting or store is None:
            return True
        state, wrong = keeping.opened(desk, who, store)
        try:
            if not wrong:
                desk.state, desk.waiting = store.save(state, waited(desk, state)), ()
        except Conflict:
            keeping.again(desk)
        except StoreError:
            pass
        return not desk.waiting
