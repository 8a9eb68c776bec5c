"""What a piece of work calls, as Python's profiler sees it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def profiled(note: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Call `note(frame, event, argument)` for all that is called inside; the profiler before it is put back."""
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)
