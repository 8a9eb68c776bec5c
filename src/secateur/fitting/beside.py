"""A request served beside a running event loop.

Rule: the loop goes on; a cancelled request calls its summary off, and nothing of it is kept.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from secateur.summarizers.driving import Stop

T = TypeVar("T")


async def served_beside(work: Callable[[Stop], T]) -> T:
    """What this function gives, in a thread of its own; it is handed what calls it off."""
    stop = Stop()
    try:
        return await asyncio.to_thread(work, stop)
    except asyncio.CancelledError:
        stop.now()
        raise
