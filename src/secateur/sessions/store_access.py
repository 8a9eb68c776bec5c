"""A store as requests use it: bounded waits, a pause after a failure, daily collection, and receipts that waited.

Rule: a request waits a quarter of a second for its store in all. After a failure no engine of this process tries for a
while; then one caller does, and its result decides for all. A refusal (`Rejected`) is a result. Commands do not come
here, since their caller waits. Garbage collection runs at most once a day for a store, after a save; its failure is a
warning. Receipts that could not be saved are stored in order as soon as the store answers again; no request waits for
that, and a session in use stores its own with its next request.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock, local
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary

from secateur import forking
from secateur.chain import Link
from secateur.errors import SecateurError, StoreError
from secateur.receipt import Receipt
from secateur.sessions.cache import CachedSession, SessionCache
from secateur.sessions.receipt_log import link_receipts
from secateur.stores.protocol import (
    Blob,
    BlobRef,
    Conflict,
    FoundSession,
    Freed,
    Manifest,
    Rejected,
    SessionId,
    SessionRow,
    SessionUpdate,
    Sizes,
    State,
    Store,
)

WAIT_S = 0.25  # for one request, whatever it asks
WORK_S = 0.05  # of each call is work; what it takes beyond that was spent waiting
ALONE = "it failed a moment ago and is skipped for a while"

_Answer = TypeVar("_Answer")


class StoreAccess:
    """See `Store` for what the methods promise."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.breaker = find_breaker(store)
        self._clock = time.monotonic
        self._spent = local()  # by the request of this thread
        self._was_away = False  # for requests of this engine, whichever engine found it out
        self.returned = False  # it was unavailable, and has answered since; the caller that makes up for that resets it

    def begin(self) -> None:
        """A request begins in this thread: it has the whole wait before it."""
        self._spent.s = 0.0

    def explain_away(self) -> str:
        """Explain why the store is not used now; "" if it is."""
        why = self.breaker.shut()
        self._was_away = self._was_away or bool(why)
        return f"{ALONE}: {why}" if why else ""

    def load(self, who: SessionId) -> State | None:
        return self._ask(lambda store: store.load(who))

    def save(self, state: State, change: SessionUpdate) -> State:
        return self._ask(lambda store: store.save(state, change))

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        return self._ask(lambda store: store.find(tenant, keys))

    def list_receipts(self, who: SessionId, first: int = 0, last: int | None = None) -> Iterator[Link]:
        return iter(self._ask(lambda store: list(store.list_receipts(who, first, last))))

    def get_blob(self, tenant: str, handle: str) -> Blob | None:
        return self._ask(lambda store: store.get_blob(tenant, handle))

    def list_blobs(self, who: SessionId) -> tuple[BlobRef, ...]:
        return self._ask(lambda store: store.list_blobs(who))

    def get_manifest(self, who: SessionId, sequence: int) -> tuple[str, ...] | None:
        return self._ask(lambda store: store.get_manifest(who, sequence))

    def list_manifests(self, who: SessionId) -> tuple[Manifest, ...]:
        return self._ask(lambda store: store.list_manifests(who))

    def list_sessions(self, tenant: str | None = None) -> tuple[SessionRow, ...]:
        return self._ask(lambda store: store.list_sessions(tenant))

    def purge(self, tenant: str, session: str | None = None) -> Freed:
        return self._ask(lambda store: store.purge(tenant, session))

    def collect_garbage(
        self,
        now: int,
        retention_s: float,
        forget_s: float | None = None,
        every_s: float = 0.0,
        receipts_s: float | None = None,
    ) -> Freed:
        return self._ask(lambda store: store.collect_garbage(now, retention_s, forget_s, every_s, receipts_s))

    def measure_sizes(self) -> Sizes:
        return self._ask(lambda store: store.measure_sizes())

    def snapshot(self) -> AbstractContextManager[Store]:
        return self.store.snapshot()

    def with_wait_limit(self, wait_s: float) -> Store:
        return self.store.with_wait_limit(wait_s)

    def close(self) -> None:
        self.store.close()

    def _ask(self, act: Callable[[Store], _Answer]) -> _Answer:
        why = self.breaker.try_admit()
        if why:
            self._was_away = True
            raise StoreError(f"{ALONE}: {why}")
        spent = getattr(self._spent, "s", 0.0)
        began = self._clock()
        try:
            # the store with a limited wait; as it is if its class predates this method
            within = getattr(self.store, "with_wait_limit", None)
            answer = act(within(max(0.0, WAIT_S - spent)) if within is not None else self.store)
        except Rejected:
            self._record_success()
            raise
        except StoreError as error:
            self.breaker.record_failure(str(error))
            self._was_away = True
            raise
        finally:
            self._spent.s = spent + max(0.0, self._clock() - began - WORK_S)
        self._record_success()
        return answer

    def _record_success(self) -> None:
        self.breaker.record_success()
        if self._was_away:
            self._was_away, self.returned = False, True


FIRST_REST_S = 1.0  # a store that was slow once is soon back, and what is sent without it misses the prompt cache
REST_S = 10.0  # long enough that a request a second waits for a broken store in one of ten, short enough to come back


class Breaker:
    """Shut from a failure on until the rest is over; the first caller after that is let through alone.

    Each of its failures doubles the rest, up to `rest_s`; requests that failed together count once.
    """

    def __init__(self, clock: Callable[[], float], rest_s: float = REST_S) -> None:
        self.clock = clock
        self.rest_s = rest_s
        self._rest_s: float | None = None  # the one that is kept now; None: all is well
        self._until = 0.0
        self._is_tried = False  # by the caller who was let through
        self._why = ""
        self._lock = Lock()
        forking.register_forks(self)

    def prepare_fork(self) -> None:
        """Hold the lock, so that no state changes."""
        self._lock.acquire()

    def resume_after_fork(self, child: bool) -> None:
        """Release the lock; the child keeps the parent's state."""
        self._lock.release()

    def shut(self) -> str:
        """The error, while nothing may try again; "" otherwise."""
        with self._lock:
            return self._why if self.clock() < self._until else ""

    def try_admit(self) -> str:
        """Like `shut`, for a caller who tries now: after "" no other caller may, until the outcome is reported."""
        with self._lock:
            now = self.clock()
            if now < self._until:
                return self._why
            if self._rest_s is not None:
                self._is_tried, self._until = True, now + self.rest_s
            return ""

    def record_failure(self, why: str) -> None:
        """Record that an attempt failed."""
        with self._lock:
            if self._rest_s is None or self._is_tried:
                self._rest_s = min(self.rest_s, FIRST_REST_S if self._rest_s is None else 2 * self._rest_s)
                self._until = self.clock() + self._rest_s
            self._why, self._is_tried = why, False

    def record_success(self) -> bool:
        """Record that an attempt succeeded; whether the store had been left alone before."""
        with self._lock:
            was = self._rest_s is not None
            self._why, self._rest_s, self._until, self._is_tried = "", None, 0.0, False
            return was


_BREAKERS: "WeakValueDictionary[Path | int, Breaker]" = WeakValueDictionary()


def find_breaker(store: Store) -> Breaker:
    """The breaker of a store: one for all engines of this process that use the same store, or the same file."""
    path = getattr(store, "path", None)
    return _BREAKERS.setdefault(path if isinstance(path, Path) else id(store), Breaker(time.monotonic))


EVERY_S = 86_400.0  # a day: retention is counted in days
ASKED_MS = 3_600_000  # how often one process asks the store at most


class Retention:
    """Remembers when this process asked last."""

    def __init__(self) -> None:
        self._next = 0

    def tidy(self, store: Store, now: int) -> str:
        """Collect old data in the store if it is time; the error, or "". `now` is in ms since 1970."""
        now = min(now, int(time.time() * 1000))  # a caller whose time runs ahead must not make others' sessions old
        if now < self._next:
            return ""
        self._next = now + ASKED_MS
        from secateur.stores import get_receipt_retention_s, get_retention_s

        try:
            store.collect_garbage(now, get_retention_s(), every_s=EVERY_S, receipts_s=get_receipt_retention_s())
        except SecateurError as error:
            return f"expired data stays in the store for now: {error}"
        return ""


FEW = 8  # sessions whose receipts one request brings to a store that was away
TIMES = 16  # that it is tried for a session that others save too


def build_update(cached: CachedSession, state: State, *more: Receipt) -> SessionUpdate:
    """Build an update with the waiting receipts of a session and these."""
    receipts = (*cached.waiting, *more)
    return SessionUpdate(at=receipts[-1].at_ms, receipts=link_receipts(receipts, state))


class Sessions(Protocol):
    """What is asked here of the sessions of an engine."""

    store: Store | None
    reach: StoreAccess | None
    memory: SessionCache

    def load_state(
        self, cached: CachedSession, who: SessionId, store: Store | StoreAccess | None
    ) -> tuple[State, str]: ...

    def reload(self, cached: CachedSession) -> None: ...


def flush(sessions: Sessions) -> None:
    """Give the store the receipts that waited for it, now that it answers again: a few sessions at a time."""
    reach = sessions.reach
    if reach is None or not reach.returned:
        return
    waiting = sessions.memory.list_waiting()
    left = [who for who in waiting[:FEW] if not _flush_session(sessions, who, reach)]
    reach.returned = bool(left) or len(waiting) > FEW


def settle(sessions: Sessions) -> None:
    """Give the store all receipts that wait for it, however long that takes; what it does not take stays here."""
    for who in sessions.memory.list_waiting() if sessions.store is not None else ():
        for _ in range(TIMES):
            if _flush_session(sessions, who, sessions.store):
                break


def _flush_session(sessions: Sessions, who: SessionId, store: Store | StoreAccess | None) -> bool:
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
