"""Trees of requests, at length: how often a branch of a session moves what another one has sent.

    python benchmarks/trees.py [--trees 2000] [--seed 0] [--jobs 2]

Each tree (main line, forks, side calls, retries, rewinds and returns under one session name) is played in the words of
five APIs, under the presets balance, kilocode, opencode and anthropic, with and without a store. Prints by policy:
requests, epochs, views whose beginning is not what was sent before, those of them that no receipt tells of (none may
be), results that the model had not answered and that went (none may by ours; of the others each has to be told in the
receipt), excerpts of such, and requests that nothing made short enough. The recipe is that of tests/laws.
"""

import argparse
import gc
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from laws.shapes import SHAPES
from laws.trees import PRESETS, Outcome, Player, tree, write_requests

WHAT = (
    "requests",
    "epochs",
    "moves",
    "unrecorded moves",
    "results lost unread",
    "untold",
    "excerpts of unread results",
    "too long",
)
BATCH = 10  # trees of one task


def settle_memory() -> None:
    """Take what is imported out of the collector's rounds, and make these rarer: they took a quarter of the time."""
    gc.freeze()
    gc.set_threshold(50_000)


def played(seeds: tuple[int, ...]) -> Outcome:
    """Each of these trees, in every API's words, under every policy, with and without a store."""
    outcome = Outcome()
    for seed in seeds:
        asked = tree(seed)
        for shape in SHAPES:
            requests = write_requests(seed, shape, asked)
            for policy in PRESETS:
                for kept in (False, True):
                    Player(seed, shape, policy, kept).play(requests, outcome)
    return outcome


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--trees", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=0, help="the seed of the first tree")
    options.add_argument("--jobs", type=int, default=1, help="processes")
    given = options.parse_args()
    last = given.seed + given.trees
    seeds = [tuple(range(first, min(first + BATCH, last))) for first in range(given.seed, last, BATCH)]
    outcome, start, done = Outcome(), time.monotonic(), 0
    with ProcessPoolExecutor(given.jobs, initializer=settle_memory) as pool:
        for number, one in enumerate(pool.map(played, seeds)):
            outcome.add(one)
            done += len(seeds[number])
            print(f"{done:,} trees, {len(outcome.findings):,} findings, {time.monotonic() - start:.0f} s", flush=True)
    print(f"  {'':<28}" + "".join(f"{policy:>12}" for policy in PRESETS))
    for what in WHAT:
        print(f"  {what:<28}" + "".join(f"{outcome.counts[what, policy]:>12,}" for policy in PRESETS))
    for text in outcome.findings[:50]:
        print(f"  {text}")
    return 1 if outcome.findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
