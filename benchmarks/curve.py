"""Recall against cost over the knob of a policy, on several recorded sessions: curves, areas under them, and how sure.

    SECATEUR_CORPUS=DIR python benchmarks/curve.py [--kappa 24] [--sessions 12]

The knob is how many of the newest results stay (3 to 60): under `balance`, under the same strategies whenever anything
may be removed (every request), and under a threshold of 100,000 tokens as in Anthropic's context editing. Each session
counts alike; the intervals are drawn by session. Sessions are the longest of each format.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from corpus import find_corpus
from msgspec.structs import replace

from secateur.policy import Policy, load
from secateur.schedule import EveryRequest, Threshold
from secateur.simulate.recall import Recall, compare_views, compute_refetch_cost, recall_of
from secateur.simulate.recall.score import Point, compute_area, compute_interval
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run, simulate

sys.path.insert(0, str(Path(__file__).parent))
from balance import priced, sessions

KNOB = (3, 5, 10, 20, 40, 60)
LEAST = 60  # requests
WINDOW = 1_000_000


def family(keep: int) -> Iterator[tuple[str, Policy]]:
    """The policies at one setting of the knob."""
    base = replace(load("balance"), compaction=None)
    base = replace(base, protect=replace(base.protect, last_results=keep))
    yield "balance", base
    yield "every request", replace(base, schedule=EveryRequest())
    yield "threshold", replace(base, schedule=Threshold(over_tokens=100_000), on_arrival=None)


def chosen(corpus: Path, most: int) -> list[tuple[str, Recording]]:
    """The longest sessions, of each format in turn."""
    by_format: dict[str, list[tuple[str, Recording]]] = defaultdict(list)
    for name, one in sessions(corpus):
        if len(one.requests) >= LEAST and len(one.segments) == 1:
            by_format[one.document.format.name].append((name, one))
    for some in by_format.values():
        some.sort(key=lambda pair: -len(pair[1].requests))
    rows = [some[place] for place in range(most) for some in by_format.values() if place < len(some)]
    return rows[:most]


def figures(recording: Recording, recall: Recall, run: Run, plain: Run) -> tuple[float, float, float, float]:
    """Bill, refetch-adjusted bill, hard recall, intact requests."""
    score = recall.score(compare_views((recording.get_context(one.request), one.seen) for one in run.turns))
    base, whole = run.price.base, plain.bill.units
    again = compute_refetch_cost(score.lost, [row.prompt for row in run.rows], r=base.r, w=base.w, o=base.o)
    return run.bill.units / whole, (run.bill.units + again) / whole, score.hard, score.complete_requests


def main() -> int:
    """Print the tables; 1 if `balance` has not the largest area, 2 without sessions."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kappa", type=float, default=24.0, choices=(11.5, 24.0, 49.0))
    asked.add_argument("--sessions", type=int, default=12)
    given = asked.parse_args()
    found: dict[tuple[str, int], list[tuple[float, float, float, float]]] = defaultdict(list)
    wanted = chosen(find_corpus(), given.sessions)
    for _, recording in wanted:
        price, caching = priced(recording, given.kappa)
        recall, plain = recall_of(recording), simulate(recording, None, price, caching=caching)
        for keep in KNOB:
            for name, policy in family(keep):
                run = simulate(recording, policy, price, caching=caching, window=WINDOW)
                found[name, keep].append(figures(recording, recall, run, plain))
    print(f"{len(wanted)} sessions, {sum(len(one.requests) for _, one in wanted):,} requests, kappa {given.kappa:g}")
    return int(not told(found))


def told(found: dict[tuple[str, int], list[tuple[float, float, float, float]]]) -> bool:
    """Print what was found; whether the first policy has the largest area."""
    areas: dict[str, float] = {}
    print("policy          keeps   bill [95 % of draws]    adjusted    hard [95 % of draws]    intact")
    for (name, keep), rows in sorted(found.items(), key=lambda pair: (pair[0][0], pair[0][1])):
        bill, hard = compute_interval([row[0] for row in rows]), compute_interval([row[2] for row in rows])
        adjusted, intact = fmean(row[1] for row in rows), fmean(row[3] for row in rows)
        print(f"{name:15} {keep:5}  {bill.mean:.3f} [{bill.low:.3f} {bill.high:.3f}]", end="")
        print(f"     {adjusted:.3f}      {hard.mean:.3f} [{hard.low:.3f} {hard.high:.3f}]     {intact:.3f}")
    for name in dict.fromkeys(name for name, _ in found):
        count = len(next(iter(found.values())))
        curves = [[Point(*found[name, keep][at][0:3:2]) for keep in KNOB] for at in range(count)]
        shares = compute_interval([compute_area(one) for one in curves])
        areas[name] = shares.mean
        print(f"area under the curve, {name}: {shares.mean:.3f} [{shares.low:.3f} {shares.high:.3f}]")
    return max(areas.values()) == areas["balance"]


if __name__ == "__main__":
    raise SystemExit(main())
