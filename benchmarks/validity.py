"""Never break a session, at length: how many of many made-up sessions would have been refused because of us.

    python benchmarks/validity.py [--cases 100000] [--first 0] [--jobs 2]

Prints, by format and by policy: cases, requests, requests beside the main line (retries, forks, side calls, compactions
that were asked for), requests that the API's rules accept as received, views that were edited, views with a summary,
views still too long, violations (none may be), and how often the gate took edits back. The recipe is that of
tests/laws; what a seed comes to does not hang on the number of jobs.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from laws.validity import Outcome, case, play

WHAT = ("cases", "requests", "aside", "sound", "edited", "compacted", "too long", "violations", "taken back")
EVERY = 5_000  # cases between two lines that tell how far it is
CHUNK = 250  # cases that one job plays at a time


def table(outcome: Outcome, place: int) -> None:
    """Counts by format (1) or by policy (2)."""
    names = sorted({key[place] for key in outcome.counts})
    print(f"  {'':<22}" + "".join(f"{what:>12}" for what in WHAT))
    for name in names:
        counts = [sum(n for key, n in outcome.counts.items() if key[0] == what and key[place] == name) for what in WHAT]
        print(f"  {name:<22}" + "".join(f"{count:>12,}" for count in counts))


def played(seeds: range) -> Outcome:
    """What these seeds come to."""
    outcome = Outcome()
    for seed in seeds:
        play(case(seed), outcome)
    return outcome


def outcomes(seeds: range, jobs: int) -> Iterator[Outcome]:
    """What chunks of the seeds come to, in their order."""
    chunks = [seeds[at : at + CHUNK] for at in range(0, len(seeds), CHUNK)]
    if jobs == 1:
        yield from map(played, chunks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(played, chunks)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--first", type=int, default=0, help="the seed to begin with")
    options.add_argument("--jobs", type=int, default=1, help="processes that play cases side by side")
    given = options.parse_args()
    outcome, start, number = Outcome(), time.monotonic(), 0
    for some in outcomes(range(given.first, given.first + given.cases), given.jobs):
        outcome.add(some)
        before, number = number, number + some.total("cases")
        if number // EVERY > before // EVERY or number == given.cases:
            found = f"{outcome.total('violations'):,} violations, {outcome.total('taken back'):,} taken back"
            passed = time.monotonic() - start
            print(f"{number:,} cases, {found}, {passed:.0f} s, {number / passed:.0f} cases a second", flush=True)
    for place in (1, 2):
        table(outcome, place)
    print(", ".join(f"{what} {outcome.total(what):,}" for what in WHAT))
    for text in [*outcome.findings, *outcome.taken_back][:50]:
        print(f"  {text[:300]}")
    return 1 if outcome.findings or outcome.taken_back else 0


if __name__ == "__main__":
    raise SystemExit(main())
