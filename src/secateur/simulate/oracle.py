"""The cheapest schedule there could have been, for one who knows the whole session.

Rule: exact within one form: an event prunes everything that may go by then. What an event costs depends on the one
before it and on nothing earlier, so a table over pairs of requests holds the optimum (Wagner and Whitin's lot sizing).
An event that leaves old items in front alone can be cheaper still, by little. With items that may go once nothing
refers to them any more, it is the best that can be had without losing a reference.
"""

import numpy as np
from msgspec import Struct

from secateur.simulate.lot import Floats, Ints, Lot, compute_cost, lower_bound


class OracleSchedule(Struct, frozen=True):
    """When to prune. `at` goes by item, as `lot.compute_cost` takes it."""

    cost: float
    events: tuple[int, ...]  # requests
    at: Ints


class Ratio(Struct, frozen=True):
    """How a bill compares with the oracle's."""

    total: float  # of the whole bills
    controllable: float  # of what is above the lower bound, which no schedule can touch


def find_optimum(session: Lot) -> OracleSchedule:
    """The cheapest schedule whose events each prune everything eligible. Quadratic in the number of requests."""
    size = session.requests
    table = _Table(session)
    best = np.full(size + 1, np.inf)  # by state: 0 before any event, k + 1 after one at request k
    best[0] = 0.0
    came = np.zeros(size + 1, dtype=np.int64)
    for request in range(size):
        bills = best[: request + 1] + table.compute_quiet_costs(request) + table.compute_event_costs(request)
        came[request + 1] = state = int(bills.argmin())
        best[request + 1] = bills[state]
    ends = best + table.compute_quiet_costs(size)
    state = int(ends.argmin())
    found = float(ends[state]) + session.outside
    events: list[int] = []
    while state:
        events.append(state - 1)
        state = int(came[state])
    at = schedule_events(session, events[::-1])
    return OracleSchedule(
        found, tuple(np.unique(at[at < size]).tolist()), at
    )  # without events that found nothing to do


def schedule_events(session: Lot, events: list[int] | tuple[int, ...]) -> Ints:
    """The schedule of events that each prune everything eligible."""
    times = np.array([*events, session.requests], dtype=np.int64)
    return times[np.searchsorted(times, session.eligible)]


def compute_ratio(session: Lot, at: Ints, best: OracleSchedule | None = None) -> Ratio:
    """Compare a schedule with the oracle of the same session."""
    best = best or find_optimum(session)
    bill, floor = compute_cost(session, at), lower_bound(session)
    above = best.cost - floor
    return Ratio(bill / best.cost if best.cost else 1.0, (bill - floor) / above if above > 1e-9 * bill else 1.0)


class _Table:
    """Sums that make each pair of requests one look-up. Rows are states: what was eligible before request `state`."""

    def __init__(self, session: Lot) -> None:
        self.lot = session
        size, items = session.requests, len(session.gains)
        freed = np.zeros((size + 1, items + 1))
        np.add.at(freed, (session.eligible + 1, np.arange(items) + 1), session.gains)
        self.freed = freed.cumsum(axis=0).cumsum(axis=1)  # state, items before this one → tokens
        self.free = self.freed[:, items]
        self.foremost = np.full(size, items, dtype=np.int64)  # by request: the first item that may go from it on
        np.minimum.at(self.foremost, session.eligible, np.arange(items))
        self.before = np.append(session.before, 0.0)
        sent = np.concatenate(([0.0], session.prompts[:-1]))
        sent[session.cold] = 0.0
        base = session.r * sent + session.w * (session.prompts - sent)
        self.base = np.concatenate(([0.0], base.cumsum()))
        self.rate = np.concatenate(([0.0], np.where(session.cold, session.w, session.r).cumsum()))

    def compute_quiet_costs(self, request: int) -> Floats:
        """By state: the cost of the requests from there to before this one, with nothing more pruned."""
        states = slice(0, request + 1)
        rates = self.rate[request] - self.rate[states]
        return np.asarray(self.base[request] - self.base[states] - self.free[states] * rates)

    def compute_event_costs(self, request: int) -> Floats:
        """By state: the cost of this request with everything eligible pruned."""
        session = self.lot
        states = np.arange(request + 1)
        total = session.prompts[request] - self.free[request + 1]
        if session.cold[request]:
            return np.full(request + 1, session.w * total)
        item = np.minimum.accumulate(self.foremost[: request + 1][::-1])[::-1]
        up_to = self.before[item] - self.freed[states, item]
        all_of_it = session.prompts[request - 1] - self.free[states]
        read = np.where(item < len(session.gains), up_to, all_of_it)
        return np.asarray(session.r * read + session.w * (total - read))
