"""A store as requests ask it: they wait a quarter of a second for it in all, and leave it alone a while once it fails.

Rule: what is asked and answered is the store's own affair. An answer that is a refusal (`Rejected`) is an answer.
Commands do not come here: who asks for something to be kept may wait for it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from threading import local
from typing import TypeVar

from secateur.chain import Link
from secateur.errors import StoreError
from secateur.keeping.breaker import Breaker
from secateur.stores.protocol import Blob, Change, Found, Freed, Held, Manifest, Rejected, Row, Sizes, State, Store, Who

WAIT_S = 0.25  # for one request, whatever it asks
WORK_S = 0.05  # of each call is work; what it takes beyond that was spent waiting
ALONE = "it failed a moment ago and is left alone for a while"

_Answer = TypeVar("_Answer")


class Reach:
    """See `Store` for what the methods promise."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.store = store
        self.breaker = Breaker(clock)
        self._clock = clock
        self._spent = local()  # by the request of this thread
        self.returned = False  # it was away, and answered since; whoever makes up for that says so

    def begin(self) -> None:
        """A request begins in this thread: it has the whole wait before it."""
        self._spent.s = 0.0

    def away(self) -> str:
        """Why the store is not asked now; "" if it is."""
        why = self.breaker.shut()
        return f"{ALONE}: {why}" if why else ""

    def load(self, who: Who) -> State | None:
        return self._ask(lambda store: store.load(who))

    def save(self, state: State, change: Change) -> State:
        return self._ask(lambda store: store.save(state, change))

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[Found, ...]:
        return self._ask(lambda store: store.find(tenant, keys))

    def receipts(self, who: Who, first: int = 0, last: int | None = None) -> Iterator[Link]:
        return iter(self._ask(lambda store: list(store.receipts(who, first, last))))

    def blob(self, tenant: str, handle: str) -> Blob | None:
        return self._ask(lambda store: store.blob(tenant, handle))

    def blobs(self, who: Who) -> tuple[Held, ...]:
        return self._ask(lambda store: store.blobs(who))

    def manifest(self, who: Who, sequence: int) -> tuple[str, ...] | None:
        return self._ask(lambda store: store.manifest(who, sequence))

    def manifests(self, who: Who) -> tuple[Manifest, ...]:
        return self._ask(lambda store: store.manifests(who))

    def sessions(self, tenant: str | None = None) -> tuple[Row, ...]:
        return self._ask(lambda store: store.sessions(tenant))

    def purge(self, tenant: str, session: str | None = None) -> Freed:
        return self._ask(lambda store: store.purge(tenant, session))

    def gc(
        self,
        now: int,
        retention_s: float,
        forget_s: float | None = None,
        every_s: float = 0.0,
        receipts_s: float | None = None,
    ) -> Freed:
        return self._ask(lambda store: store.gc(now, retention_s, forget_s, every_s, receipts_s))

    def sizes(self) -> Sizes:
        return self._ask(lambda store: store.sizes())

    def snapshot(self) -> AbstractContextManager[Store]:
        return self.store.snapshot()

    def within(self, wait_s: float) -> Store:
        return self.store.within(wait_s)

    def close(self) -> None:
        self.store.close()

    def _ask(self, act: Callable[[Store], _Answer]) -> _Answer:
        why = self.breaker.admitted()
        if why:
            raise StoreError(f"{ALONE}: {why}")
        spent = getattr(self._spent, "s", 0.0)
        began = self._clock()
        try:
            answer = act(_within(self.store, max(0.0, WAIT_S - spent)))
        except Rejected:
            self._answered()
            raise
        except StoreError as error:
            self.breaker.failed(str(error))
            raise
        finally:
            self._spent.s = spent + max(0.0, self._clock() - began - WORK_S)
        self._answered()
        return answer

    def _answered(self) -> None:
        self.returned = self.breaker.answered() or self.returned


def _within(store: Store, wait_s: float) -> Store:
    """The store for one who cannot wait; as it is where it was written before stores were asked for that."""
    within = getattr(store, "within", None)
    return within(wait_s) if within is not None else store
