"""Never break a session, at length: how many of many made-up sessions would have been refused because of us.

    python benchmarks/validity.py [--cases 100000] [--first 0]

Prints, by format and by policy: cases, requests, requests that the API's rules accept as they came, views that were
edited, views with a summary, views still too long, violations (none may be), and how often the gate took edits back.
The recipe is that of tests/laws.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from laws.validity import Outcome, case, play

WHAT = ("cases", "requests", "sound", "edited", "compacted", "too long", "violations", "taken back")
EVERY = 5_000  # cases between two lines that tell how far it is


def table(outcome: Outcome, place: int) -> None:
    """Counts by format (1) or by policy (2)."""
    names = sorted({key[place] for key in outcome.counts})
    print(f"  {'':<22}" + "".join(f"{what:>12}" for what in WHAT))
    for name in names:
        counts = [sum(n for key, n in outcome.counts.items() if key[0] == what and key[place] == name) for what in WHAT]
        print(f"  {name:<22}" + "".join(f"{count:>12,}" for count in counts))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--first", type=int, default=0, help="the seed to begin with")
    given = options.parse_args()
    outcome, start = Outcome(), time.monotonic()
    for number, seed in enumerate(range(given.first, given.first + given.cases), 1):
        play(case(seed), outcome)
        if number % EVERY == 0:
            found = f"{outcome.total('violations'):,} violations, {outcome.total('taken back'):,} taken back"
            print(f"{number:,} cases, {found}, {time.monotonic() - start:.0f} s", flush=True)
    for place in (1, 2):
        table(outcome, place)
    print(", ".join(f"{what} {outcome.total(what):,}" for what in WHAT))
    for text in [*outcome.findings, *outcome.taken_back][:50]:
        print(f"  {text[:300]}")
    return 1 if outcome.findings or outcome.taken_back else 0


if __name__ == "__main__":
    raise SystemExit(main())
