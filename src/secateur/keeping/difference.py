"""What turns one document's bytes back into another's: the few places where they differ.

Rule: putting the pieces in place gives the other bytes exactly, whatever the two are. It reads bytes, never a format:
what stands between two quotes and is there once in each document shows which places belong together.
"""

from bisect import bisect_left

from secateur.patch import Splice
from secateur.session.document import common_prefix

_LEAST = 16  # bytes of a text that shows the place; shorter ones are hardly ever there only once

_Match = tuple[int, int, int]  # where it is in the new bytes and in the old ones, and its length


def difference(old: bytes, new: bytes) -> tuple[Splice, ...]:
    """The splices that turn `new` into `old`, in order."""
    made: list[Splice] = []
    i = j = 0  # everything before these is done
    for at, was, size in (*_anchors(old, new), (len(new), len(old), 0)):
        if old[i:was] != new[j:at]:
            made.append(_trimmed(old[i:was], new[j:at], j))
        i, j = was + size, at + size
    return tuple(made)


def _trimmed(old: bytes, new: bytes, start: int) -> Splice:
    """One splice for what differs, without the bytes that are the same at both ends."""
    head = common_prefix(old, new)
    tail = common_prefix(old[head:][::-1], new[head:][::-1])
    return Splice(start + head, start + len(new) - tail, old[head : len(old) - tail])


def _anchors(old: bytes, new: bytes) -> list[_Match]:
    """Texts that are there once in each, in one order in both: of the most that can be had."""
    known = _once(old)
    pairs = [(at, known[text], len(text)) for text, at in _once(new).items() if text in known]
    return _rising(sorted(pairs))


def _once(data: bytes) -> dict[bytes, int]:
    """Where each text is that is there only once."""
    places: dict[bytes, int] = {}
    again: set[bytes] = set()
    at = 0
    for text in data.split(b'"'):
        if len(text) >= _LEAST:
            if text in places:
                again.add(text)
            places[text] = at
        at += len(text) + 1
    return {text: at for text, at in places.items() if text not in again}


def _rising(pairs: list[_Match]) -> list[_Match]:
    """The longest run of pairs that rises in the old bytes too."""
    ends: list[int] = []  # the smallest old place in which a run of each length ends
    last: list[int] = []  # the number of the pair that it ends with
    before: list[int] = []
    for number, (_, was, _) in enumerate(pairs):
        length = bisect_left(ends, was)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [was]
        last[length : length + 1] = [number]
    run, number = [], last[-1] if last else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]
