"""How much of the store one tenant can use.

Rule: a tenant at its limit keeps everything stored, and the views of running sessions stay unchanged; only nothing more
is removed, because it could not be read back. Sizes are checked from time to time, not with each request; if a store
cannot report them, there is no limit.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from secateur.errors import StoreError
from secateur.stores.protocol import Store

_LOGGER = logging.getLogger("secateur.proxy")
_EVERY_S = 60.0
_WAIT_S = 0.25
_TENANTS = 10_000  # whose sizes are remembered


class Quota:
    """Whether tenants may have more removed; for several threads."""

    def __init__(self, store: Store, most_bytes: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._most = most_bytes
        self._clock = clock
        self._known: dict[str, tuple[bool, float]] = {}  # whether a tenant's is spent, and when that was looked up
        self._lock = Lock()

    def is_spent(self, tenant: str) -> bool:
        """Whether a tenant's sessions have removed as many bytes as the store keeps for one tenant."""
        if self._most is None:
            return False
        was, until = self._known.get(tenant, (False, 0.0))
        if self._clock() < until or not self._lock.acquire(blocking=False):
            return was
        try:
            is_spent = self._measure(tenant, was)
            if len(self._known) >= _TENANTS:
                self._known.clear()
            self._known[tenant] = (is_spent, self._clock() + _EVERY_S)
        finally:
            self._lock.release()
        if is_spent and not was:
            _LOGGER.warning("tenant %s has filled its part of the store: nothing more is removed", tenant)
        return is_spent

    def _measure(self, tenant: str, was: bool) -> bool:
        assert self._most is not None
        with suppress(StoreError):
            rows = self._store.with_wait_limit(_WAIT_S).list_sessions(tenant)
            return sum(row.blob_bytes for row in rows) >= self._most
        return was
