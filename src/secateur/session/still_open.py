"""Which messages of a history hold a result that the policy could still edit, so that nobody walks past the others.

Rule: told from the history as it came, the policy's protection and the edits in force. Of a history that goes on only
what is new is asked, and what was edited since. Whether a result may go now is decided elsewhere (`bounds`).
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from secateur.bounds import boundary, holding, index_of
from secateur.model import Index, Part, Transcript
from secateur.protect import Protect


def still_open(
    read: Transcript, protect: Protect, settled: Callable[[Part], bool], touched: Iterable[int] | None
) -> Index:
    """The index of what was read, with these messages asked anew; None: all."""
    index, size = index_of(read), len(read.messages)
    known = None if touched is None else index.open
    numbers = range(size) if touched is None or known is None else tuple(touched)
    found = holding(read, protect, settled, numbers)
    may = tuple(sorted({*(known or ())}.difference(numbers).union(found)))
    first = max(index.spent, boundary(read, protect).start)
    place = bisect_left(may, first)
    return replace(index, spent=may[place] if place < len(may) else max(first, size), open=may)
