"""Receipts that waited for a store that was away: brought to it in order, as soon as it answers again.

Rule: nobody waits for that; a session that somebody is at brings its own with its next request.
"""

from typing import TYPE_CHECKING

from secateur.errors import StoreError
from secateur.receipt import Receipt
from secateur.sessions.cache import CachedSession
from secateur.sessions.receipt_log import link_receipts
from secateur.sessions.store_access import StoreAccess
from secateur.stores.protocol import Conflict, SessionId, SessionUpdate, State, Store

if TYPE_CHECKING:
    from secateur.sessions import SessionManager

FEW = 8  # sessions whose receipts one request brings to a store that was away
TIMES = 16  # that it is tried for a session that others save too


def build_update(cached: CachedSession, state: State, *more: Receipt) -> SessionUpdate:
    """Build an update with the waiting receipts of a session and these."""
    receipts = (*cached.waiting, *more)
    return SessionUpdate(at=receipts[-1].at_ms, receipts=link_receipts(receipts, state))


def flush(sessions: "SessionManager") -> None:
    """Give the store the receipts that waited for it, now that it answers again: a few sessions at a time."""
    reach = sessions.reach
    if reach is None or not reach.returned:
        return
    waiting = sessions.memory.list_waiting()
    left = [who for who in waiting[:FEW] if not _flush_session(sessions, who, reach)]
    reach.returned = bool(left) or len(waiting) > FEW


def settle(sessions: "SessionManager") -> None:
    """Give the store all receipts that wait for it, however long that takes; what it does not take stays here."""
    for who in sessions.memory.list_waiting() if sessions.store is not None else ():
        for _ in range(TIMES):
            if _flush_session(sessions, who, sessions.store):
                break


def _flush_session(sessions: "SessionManager", who: SessionId, store: Store | StoreAccess | None) -> bool:
    """Whether no receipt of a session waits any more, or a user of the session will store them."""
    with sessions.memory.try_check_out(who) as cached:
        if cached is None or not cached.waiting or store is None:
            return True
        state, wrong = sessions.load_state(cached, who, store)
        try:
            if not wrong:
                cached.state, cached.waiting = store.save(state, build_update(cached, state)), ()
        except Conflict:
            sessions.reload(cached)
        except StoreError:
            pass
        return not cached.waiting
