"""A session as numbers: what was sent when, what can be removed from when on, and what reading and writing cost.

Rule: nothing here knows a format. A request finds in the cache what the one before it sent, unless it comes too late;
an edit rewrites everything after it. Minimum lengths, price tiers and failed lookups are left to the cache model;
schedules made here can be priced there.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]
Item: TypeAlias = tuple[float, float, int, int]  # tokens before it, tokens freed, first request, eligible from


class SessionArrays(Struct, frozen=True):
    """One session. Items (results that can be removed) are in their order in the history; requests are numbered from 0.

    Tokens in any unit, costs in tokens of plain input. An item can be removed from request `eligible` on, which is
    later than its `first`; if that is the number of requests, never.
    """

    prompts: Floats  # by request: tokens of the whole prompt, nothing pruned
    cold: Flags  # by request: the cache of the one before is gone; the first is always cold
    before: Floats  # by item: tokens before it, nothing pruned
    gains: Floats  # by item: tokens freed, its placeholder deducted
    first: Ints  # by item: the first request that held it
    eligible: Ints  # by item
    r: float = 0.1  # a read of the cache
    w: float = 1.25  # a write
    outside: float = 0.0  # what no schedule changes: output

    @property
    def requests(self) -> int:
        """The number of requests."""
        return len(self.prompts)

    @property
    def kept(self) -> Ints:
        """The schedule that prunes nothing."""
        return np.full(len(self.gains), self.requests, dtype=np.int64)


def make_session_arrays(
    prompts: Sequence[float], cold: Sequence[bool], items: Iterable[Item], *, r: float, w: float
) -> SessionArrays:
    """Make a SessionArrays from plain lists.

    Items that free nothing, or may never go, are left out. Raises ValueError where an item may be removed before it is
    there.
    """
    size = len(prompts)
    some = sorted((one for one in items if one[1] > 0 and one[3] < size), key=lambda one: one[0])
    if any(first >= eligible for _, _, first, eligible in some):
        raise ValueError("an item can be removed after its first request at the earliest")
    columns = list(zip(*some, strict=True)) or [(), (), (), ()]
    return SessionArrays(
        np.array(prompts, dtype=np.float64),
        np.array([True, *cold[1:]], dtype=np.bool_)[:size],
        np.array(columns[0], dtype=np.float64),
        np.array(columns[1], dtype=np.float64),
        np.array(columns[2], dtype=np.int64),
        np.array(columns[3], dtype=np.int64),
        r,
        w,
    )


def compute_cost(session: SessionArrays, at: Ints) -> float:
    """The cost of a schedule: item i is pruned at request `at[i]`, never if that is the request count."""
    return float(compute_costs(session, at).sum()) + session.outside


def compute_costs(session: SessionArrays, at: Ints) -> Floats:
    """The same per request, without the outside cost."""
    size = session.requests
    freed = np.bincount(np.minimum(at, size), weights=session.gains, minlength=size + 1)[:size].cumsum()
    total = session.prompts - freed
    read = np.concatenate(([0.0], total[:-1]))  # all that the request before sent
    for request in np.unique(at[at < size]):
        item = int(np.flatnonzero(at == request)[0])
        earlier = at[:item] < request
        read[request] = session.before[item] - session.gains[:item][earlier].sum()
    read[session.cold] = 0.0
    return np.asarray(session.r * read + session.w * (total - read))


def lower_bound(session: SessionArrays) -> float:
    """The cost if items were removed as soon as they are eligible, and edits broke no cache. No schedule costs less."""
    size = session.requests
    freed = np.bincount(np.minimum(session.eligible, size), weights=session.gains, minlength=size + 1)[:size].cumsum()
    total = session.prompts - freed
    read = np.concatenate(([0.0], session.prompts[:-1])) - freed
    read[session.cold] = 0.0
    return float((session.r * read + session.w * (total - read)).sum()) + session.outside
