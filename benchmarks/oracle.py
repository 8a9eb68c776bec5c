"""How close the balance rule comes to the optimum on made-up sessions, and how long the optimum takes.

    python benchmarks/oracle.py [--sessions 1500] [--beta 0.5]

For each price (write and read, in units of plain input): the rule's bill over the oracle's, on the whole bill and on
what any schedule could change, and over the unpruned bill. Bar: no session above 1.45 times the oracle. The optimum of
500 requests must take less than a second.
"""

import argparse
import time
from random import Random
from statistics import mean

from secateur.simulate.oracle import compute_ratio, find_optimum, generate_session, generate_sessions, schedule_balance
from secateur.simulate.session_arrays import compute_cost

PRICES = ((1.25, 0.1), (1.25, 0.05), (1.25, 0.025), (1.0, 0.5))
BAR, SECONDS = 1.45, 1.0


def main() -> int:
    """Print the table; 1 if a bar is missed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sessions", type=int, default=1_500)
    asked.add_argument("--beta", type=float, default=0.5)
    given = asked.parse_args()
    print("write  read  | bill / oracle: mean    max | regret_ratio: mean | bill / unpruned: mean    max")
    worst = max(row(given.sessions, given.beta, w, r) for w, r in PRICES)
    long = generate_session(Random("long"), 500, 0.1, 1.25)
    start = time.process_time()
    find_optimum(long)
    spent = time.process_time() - start
    print(f"500 requests, {len(long.gains)} results: the optimum took {spent:.2f} s")
    return int(worst > BAR or spent > SECONDS)


def row(count: int, beta: float, w: float, r: float) -> float:
    """One line of the table; the largest ratio in it."""
    totals, regret_ratio, unpruned = [], [], []
    for one in generate_sessions(count, r, w):
        at = schedule_balance(one, beta)
        found = compute_ratio(one, at, find_optimum(one))
        totals.append(found.total)
        regret_ratio.append(found.regret_ratio)
        unpruned.append(compute_cost(one, at) / compute_cost(one, one.kept))
    print(
        f"{w:5} {r:6} | {mean(totals):19.3f} {max(totals):6.3f} | {mean(regret_ratio):19.3f}"
        f" | {mean(unpruned):21.3f} {max(unpruned):6.3f}"
    )
    return max(totals)


if __name__ == "__main__":
    raise SystemExit(main())
