"""Recall against cost, over sessions and over the settings of a policy: no figure of one session, and none alone.

    points = [Point(0.49, 0.99), Point(0.44, 0.95)]    # one for each setting, or policy
    frontier(points), area(points)
    interval([0.98, 0.99, 0.9], seed=1)

Rule: every session counts alike, since in sums the long ones outvote the others; how sure a mean is follows from
drawing sessions, not requests, since those of one session hang together. A cost is a share of the unpruned bill.
Nothing here reads a recording.
"""

from collections.abc import Iterable, Sequence
from random import Random
from statistics import fmean

from msgspec import Struct

DRAWS = 2_000  # of sessions, with replacement
SURE = 0.95


class Point(Struct, frozen=True, order=True):
    """One setting: what it costs, as a share of the unpruned bill, and what it keeps."""

    cost: float
    recall: float


class Interval(Struct, frozen=True):
    """A mean over sessions, and where it lies in 95 of 100 draws of as many sessions."""

    mean: float
    low: float
    high: float
    sessions: int


UNPRUNED = Point(1.0, 1.0)  # to do nothing is always possible


def find_frontier(points: Iterable[Point]) -> list[Point]:
    """The points not dominated on both counts, cheapest first; doing nothing is one of the candidates."""
    found: list[Point] = []
    for one in sorted([*points, UNPRUNED], key=lambda point: (point.cost, -point.recall)):
        if not found or one.recall > found[-1].recall:
            found.append(one)
    return found


def compute_area(points: Iterable[Point]) -> float:
    """Recall kept, integrated over costs from nothing to the unpruned bill: 0 to 1, more is better.

    At each cost the best recall counts that some point has for no more; below the cheapest one there is none. So a
    policy that keeps everything at half the bill has 0.5, and so has one that costs nothing and keeps half.
    """
    best = [one for one in find_frontier(points) if one.cost < 1.0]
    ends = [one.cost for one in best[1:]] + [1.0] * bool(best)
    return sum(one.recall * (end - one.cost) for one, end in zip(best, ends, strict=True))


def compute_interval(values: Sequence[float], *, seed: int = 0, draws: int = DRAWS) -> Interval:
    """The mean of one figure per session, and its interval under resampling of sessions.

    The same values and seed give the same interval. Raises ValueError without a session.
    """
    if not values:
        raise ValueError("no session, no mean")
    chance = Random(seed)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(draws))
    out = round((1 - SURE) / 2 * draws)
    return Interval(fmean(values), means[out], means[-1 - out], len(values))
