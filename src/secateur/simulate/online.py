"""The balance rule on numbers alone: an online schedule to hold against the oracle, without an engine around it.

Rule: at each request only what was known by then counts. Items pay rent while they lie in the cache and may go; once
the rent behind some place is worth the rewriting from there on, everything eligible behind it goes. A cold request
prunes for nothing.
"""

import numpy as np

from secateur.simulate.lot import Flags, Floats, Ints, Lot


def schedule_balance(session: Lot, beta: float = 1.0) -> Ints:
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
        margin = _sum_behind(np.where(open_, rent, 0.0)) - beta * _compute_penalty(session, at, request, open_)
        place = int(np.where(open_, margin, -np.inf).argmax())
        if margin[place] >= 0:
            at[place:][open_[place:]] = request
    return at


def _sum_behind(values: Floats) -> Floats:
    """By item: the sum from it on."""
    return np.asarray(values[::-1].cumsum()[::-1])


def _compute_penalty(session: Lot, at: Ints, request: int, open_: Flags) -> Floats:
    """By item: the cost of rewriting the cache from it on, with everything open after it pruned."""
    gone = np.where(at < request, session.gains, 0.0)
    cached = session.prompts[request - 1] - gone.sum()
    before = session.before - (gone.cumsum() - gone)
    return np.asarray((session.w - session.r) * (cached - before - _sum_behind(np.where(open_, session.gains, 0.0))))
