"""Whether a store that failed is tried again: not for a while, then by one caller, whose answer decides for all.

Rule: time comes from the clock that it is given, in seconds. It knows nothing of stores.
"""

from collections.abc import Callable
from threading import Lock

from secateur import forking

REST_S = 10.0  # long enough that a request a second waits for a broken store in one of ten, short enough to come back


class Breaker:
    """Shut from a failure on until the rest is over; the first caller after that is let through alone."""

    def __init__(self, clock: Callable[[], float], rest_s: float = REST_S) -> None:
        self.clock = clock
        self.rest_s = rest_s
        self._until: float | None = None  # None: all is well
        self._why = ""
        self._lock = Lock()
        forking.listed(self)

    def before_fork(self) -> None:
        """Nobody is being told."""
        self._lock.acquire()

    def after_fork(self, child: bool) -> None:
        """The child knows what the parent knew."""
        self._lock.release()

    def shut(self) -> str:
        """What went wrong, while nobody may try again; "" otherwise."""
        with self._lock:
            return self._why if self._until is not None and self.clock() < self._until else ""

    def admitted(self) -> str:
        """The same for one who tries now: if it is "", nobody else may until he has said what came of it."""
        with self._lock:
            now = self.clock()
            if self._until is None:
                return ""
            if now < self._until:
                return self._why
            self._until = now + self.rest_s
            return ""

    def failed(self, why: str) -> None:
        """It was tried, and it failed."""
        with self._lock:
            self._why, self._until = why, self.clock() + self.rest_s

    def answered(self) -> bool:
        """It was tried, and it answered; whether it had been left alone before."""
        with self._lock:
            was = self._until is not None
            self._why, self._until = "", None
            return was
