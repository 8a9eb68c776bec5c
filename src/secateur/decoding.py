"""Types of msgspec, made known to it by one thread at a time.

Rule: every type with fields that is read by msgspec (`decode`, `convert`, `Decoder`) passes through `prepare_type`.
At the first use of a type msgspec notes its fields one after the other, and a thread that uses the type meanwhile finds
half a note and crashes the process. The test in `tests/unit/test_decoding.py` finds uses that do not pass here.
"""

from functools import lru_cache
from threading import RLock
from typing import Any, TypeVar

import msgspec

from secateur.forking import WAIT_S, register_forks

T = TypeVar("T")


class _Door:
    """One thread at a time; none is inside while the process forks, else the copy would keep half a note."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._is_paused = False

    def prepare_fork(self) -> None:
        """Wait until no thread is inside, and keep them out."""
        self._is_paused = self.lock.acquire(timeout=WAIT_S)

    def resume_after_fork(self, child: bool) -> None:
        """Let threads in again."""
        if self._is_paused:
            self.lock.release()
        elif child:
            self.lock = RLock()  # the thread that holds it is not here
        self._is_paused = False


_DOOR = _Door()
register_forks(_DOOR)


def prepare_type(of: type[T]) -> type[T]:
    """The type itself, once msgspec knows its fields and those of all types in them."""
    anything: Any = of  # a type that is not a class, such as `list[Raw]`, is hashable as well
    _prepare(anything)
    return of


@lru_cache(maxsize=256)  # policies and plugins bring types of their own
def _prepare(of: Any) -> None:
    with _DOOR.lock:
        msgspec.json.Decoder(of)
