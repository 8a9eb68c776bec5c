"""What an engine does for its store now and then: let go of the bytes of sessions long untouched, and of old receipts.

Rule: at most once a day for a store, whichever process is first, after something was saved; a bounded part at a time.
It never stops a request: what goes wrong is a warning. How long bytes and receipts are kept, stores say.
"""

import time

from secateur.errors import SecateurError
from secateur.stores.protocol import Store

EVERY_S = 86_400.0  # a day: retention is counted in days
ASKED_MS = 3_600_000  # how often one process asks the store at most


class Tidying:
    """Remembers when this process asked last."""

    def __init__(self) -> None:
        self._next = 0

    def tidied(self, store: Store, now: int) -> str:
        """Ask the store to let go of what is old, if it is time. `now` is in ms since 1970; what went wrong, or ""."""
        now = min(now, int(time.time() * 1000))  # a caller whose time runs ahead must not make others' sessions old
        if now < self._next:
            return ""
        self._next = now + ASKED_MS
        from secateur.stores import receipts_s, retention_s

        try:
            store.gc(now, retention_s(), every_s=EVERY_S, receipts_s=receipts_s())
        except SecateurError as error:
            return f"what is old stays in the store for now: {error}"
        return ""
