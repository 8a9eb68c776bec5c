"""Forks: what must not be in the middle of something when its process is copied, and begins anew in the copy.

Rule: who is listed is asked before a fork, and told after it on both sides. Nothing is kept alive by being listed.
"""

import os
from contextlib import suppress
from threading import Lock
from typing import Protocol
from weakref import WeakSet

WAIT_S = 2.0  # for a thread that is in the middle of something; then the fork goes on without it


class Forks(Protocol):
    """Something that threads share."""

    def before_fork(self) -> None:
        """Come to rest, and stay so."""

    def after_fork(self, child: bool) -> None:
        """Go on, in the parent or in the child, where no other thread is."""


_listed: "WeakSet[Forks]" = WeakSet()
_door = Lock()


def listed(thing: Forks) -> None:
    """Ask and tell this one from now on."""
    with _door:
        _listed.add(thing)


def _before() -> None:
    _door.acquire()
    for thing in list(_listed):
        with suppress(Exception):
            thing.before_fork()


def _after(child: bool) -> None:
    for thing in list(_listed):
        with suppress(Exception):
            thing.after_fork(child)
    _door.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=lambda: _after(child=False), after_in_child=lambda: _after(child=True)
    )
