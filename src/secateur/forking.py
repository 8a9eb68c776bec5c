"""Forks: which objects must be idle while their process is copied, and start over in the copy.

Rule: a registered object is asked before a fork and notified after it, in both processes. Registration keeps nothing
alive.
"""

import os
from contextlib import suppress
from threading import Lock
from typing import Protocol
from weakref import WeakSet

WAIT_S = 2.0  # for a thread in the middle of an operation; then the fork proceeds without it


class Forks(Protocol):
    """Something that threads share."""

    def prepare_fork(self) -> None:
        """Quiesce before a fork, and stay quiescent."""

    def resume_after_fork(self, child: bool) -> None:
        """Resume in the parent or in the child, where no other thread exists."""


_listed: "WeakSet[Forks]" = WeakSet()
_door = Lock()


def register_forks(thing: Forks) -> None:
    """Register this object to be called around forks from now on."""
    with _door:
        _listed.add(thing)


def _pause_all() -> None:
    _door.acquire()
    for thing in list(_listed):
        with suppress(Exception):
            thing.prepare_fork()


def _resume_all(child: bool) -> None:
    for thing in list(_listed):
        with suppress(Exception):
            thing.resume_after_fork(child)
    _door.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_pause_all,
        after_in_parent=lambda: _resume_all(child=False),
        after_in_child=lambda: _resume_all(child=True),
    )
