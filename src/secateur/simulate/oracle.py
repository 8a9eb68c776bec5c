"""The cheapest schedule possible with the whole session known, and the online rule to compare with it, on numbers
alone.

Rule: exact within one form: an event prunes everything that may be removed by then. The cost of an event depends only
on the one before it, so a table over pairs of requests has the optimum (Wagner and Whitin's lot sizing). An event that
leaves only the oldest items can be slightly cheaper still. With items that may be removed once nothing refers to them,
it is the best without losing a reference. The online rule knows only the past: once the carrying cost behind some place
exceeds the cost of rewriting from there, everything eligible behind it is removed; a cold request prunes for free.

`generate_sessions` makes the same sessions from the same seed on every machine, with heavy-tailed sizes, for ratios
that must hold beyond recorded sessions.
"""

from collections.abc import Iterator
from random import Random

import numpy as np
from msgspec import Struct

from secateur.simulate.session_arrays import (
    Flags,
    Floats,
    Ints,
    SessionArrays,
    compute_cost,
    lower_bound,
    make_session_arrays,
)

_SHORTEST, _LONGEST = 10, 400  # requests
_PLACEHOLDER = 12.0  # tokens


class OracleSchedule(Struct, frozen=True):
    """When to prune. `at` goes by item, as `lot.compute_cost` takes it."""

    cost: float
    events: tuple[int, ...]  # requests
    at: Ints


class Ratio(Struct, frozen=True):
    """A bill relative to the oracle's."""

    total: float  # of the whole bills
    regret_ratio: float  # of what is above the lower bound, which no schedule can touch


def find_optimum(session: SessionArrays) -> OracleSchedule:
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


def schedule_events(session: SessionArrays, events: list[int] | tuple[int, ...]) -> Ints:
    """The schedule of events that each prune everything eligible."""
    times = np.array([*events, session.requests], dtype=np.int64)
    return times[np.searchsorted(times, session.eligible)]


def compute_ratio(session: SessionArrays, at: Ints, best: OracleSchedule | None = None) -> Ratio:
    """Compare a schedule with the oracle of the same session."""
    best = best or find_optimum(session)
    bill, floor = compute_cost(session, at), lower_bound(session)
    above = best.cost - floor
    return Ratio(bill / best.cost if best.cost else 1.0, (bill - floor) / above if above > 1e-9 * bill else 1.0)


class _Table:
    """Sums that make each pair of requests one look-up. Rows are states: what was eligible before request `state`."""

    def __init__(self, session: SessionArrays) -> None:
        self.lot = session
        size, items = session.requests, len(session.gains)
        freed = np.zeros((size + 1, items + 1))
        np.add.at(freed, (session.eligible + 1, np.arange(items) + 1), session.gains)
        self.freed = freed.cumsum(axis=0).cumsum(axis=1)  # state, items before this one → tokens
        self.free = self.freed[:, items]
        self.foremost = np.full(size, items, dtype=np.int64)  # by request: the first item removable from then on
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


def schedule_balance(session: SessionArrays, beta: float = 1.0) -> Ints:
    """The schedule of the balance rule. `beta` is the share of the penalty at which it fires."""
    at = session.kept
    rent = np.zeros(len(at))
    for request in range(session.requests):
        open_ = (session.eligible <= request) & (at > request)
        if not open_.any():
            continue
        if session.cold[request]:
            at[open_] = request
            continue
        rent[open_] += session.r * session.gains[open_]
        margin = _sum_behind(np.where(open_, rent, 0.0)) - beta * _compute_rewrite_cost(session, at, request, open_)
        place = int(np.where(open_, margin, -np.inf).argmax())
        if margin[place] >= 0:
            at[place:][open_[place:]] = request
    return at


def _sum_behind(values: Floats) -> Floats:
    """By item: the sum from it on."""
    return np.asarray(values[::-1].cumsum()[::-1])


def _compute_rewrite_cost(session: SessionArrays, at: Ints, request: int, open_: Flags) -> Floats:
    """By item: the cost of rewriting the cache from it on, with everything open after it pruned."""
    gone = np.where(at < request, session.gains, 0.0)
    cached = session.prompts[request - 1] - gone.sum()
    before = session.before - (gone.cumsum() - gone)
    return np.asarray((session.w - session.r) * (cached - before - _sum_behind(np.where(open_, session.gains, 0.0))))


def generate_sessions(count: int, r: float, w: float, seed: int = 0) -> Iterator[SessionArrays]:
    """Generate this many sessions at these prices."""
    for number in range(count):
        chance = Random(f"{seed}.{number}")
        yield generate_session(chance, round(_SHORTEST * (_LONGEST / _SHORTEST) ** chance.random()), r, w)


def generate_session(chance: Random, size: int, r: float, w: float) -> SessionArrays:
    """Generate one session of this many requests."""
    keep = chance.choice((1, 3, 5, 10, 20))  # results that a newer one must push out of use
    pauses = chance.choice((0.0, 0.0, 0.005, 0.02, 0.08))  # share of requests that come too late
    typical, spread = 80 * 30 ** chance.random(), chance.uniform(0.4, 1.8)  # tokens of a result, its logarithm's sigma
    parallel, spoken = chance.choice((0.0, 0.1, 0.4)), chance.choice((60.0, 150.0, 400.0))
    tokens = chance.choice((500.0, 3_000.0, 15_000.0))
    prompts, cold = [], []
    results: list[tuple[float, float, int]] = []  # tokens before it, its own, its first request
    for request in range(size):
        tokens += spoken * chance.expovariate(1.0)
        for _ in range(1 + (chance.random() < parallel) * chance.randint(1, 4) if request else 0):
            own = min(typical * chance.lognormvariate(0.0, spread), 50_000.0)
            results.append((tokens, own, request))
            tokens += own
        prompts.append(tokens)
        cold.append(chance.random() < pauses)
    return make_session_arrays(prompts, cold, list(_iterate_items(results, keep, size)), r=r, w=w)


def _iterate_items(
    results: list[tuple[float, float, int]], keep: int, size: int
) -> Iterator[tuple[float, float, int, int]]:
    """Each result becomes eligible once this many newer ones exist."""
    for number, (before, own, first) in enumerate(results):
        pushed = results[number + keep][2] if number + keep < len(results) else size
        yield before, own - _PLACEHOLDER, first, max(pushed, first + 1)
