"""What an excerpt at birth saves and shows, beside peers that compress every result when it comes in.

    python benchmarks/peers/setup.py                     once, with a network: installs the peers
    SECATEUR_CORPUS=DIR python benchmarks/birth.py [FILE ...] [--only WORD ...] [--kinds]

Beginnings of recorded sessions, at most 60 requests and 170,000 tokens, in which commands, searches and lists were run,
and one session made up of the like (`built.py`), each with up to 32 facts in the middle of results: an error, a failed
test, a version, a row of data, a hit of a search, a path, a function, a line of a log (`planting.py`). A write costs
11.5 reads more than a read. `bill` is a share of the unpruned bill, `adj` has all that was lost fetched again, `peak`
is a share of the unpruned one; then how many facts the last request shows, and how many it shows or says how to read
back (ours: with a store); `hard`: recall of what later calls named. `balance, at birth alone` prunes nothing later, as
the peers do.
"""

import argparse
import gzip
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from built import built
from corpus import find_corpus
from msgspec import Struct
from msgspec.structs import replace
from planting import Fact, by_kind, planted, shown

from secateur.policy import load
from secateur.pricing import get_rules, make_unit_price
from secateur.pricing.tariffs import build_tariff
from secateur.simulate.replay import ReplayedTurn, replay_policy
from secateur.simulate.requests import Recording, read_recording

sys.path.insert(0, str(Path(__file__).parent / "peers"))

from drive import Absent
from drive import replayed as theirs
from figures import Match
from lineup import PEERS

KAPPA, W, R = 11.5, 1.25, 0.1
REQUESTS, TOKENS, WINDOW = 60, 170_000, 1_000_000
SESSIONS = (
    "b5-b72cefafb3-2.jsonl.gz", "a7-e6172c3842-0.jsonl.gz", "60-1ac0eb4d69-0.jsonl.gz", "0b-9f2ac6f3aa-1.jsonl.gz",
    "f4-771ece9d37-0.jsonl.gz", "de-15fe82f1f3-8.jsonl.gz", "f0-d754426203-0.json.gz", "astropy__astropy-14598.traj.gz",
)  # fmt: skip
ALONE = "balance, at birth alone"
ROWS = ("balance", ALONE, *(one.row for one in PEERS if one.name in ("distil", "headroom")))


class Line(Struct, frozen=True):
    """A row of one session. Bills and peak are shares of the unpruned ones."""

    bill: float
    adjusted: float
    peak: float
    facts: int
    shown: int
    back: int
    hard: float
    kinds: tuple[str, ...] = ()


def main() -> int:
    """Print a table for each session and one of all; 2 without sessions."""
    given = _given()
    files = given.files or [next(find_corpus("name session files").rglob(name)) for name in SESSIONS]
    every: dict[str, list[Line]] = {}
    for name, recording in _sessions(files, not given.files):
        sown, facts = planted(recording)
        most = max(sown.prompt_tokens)
        print(f"\n{name}: {len(sown.requests)} requests, {most:,} tokens at most, {len(facts)} facts\n{_HEADING}")
        for row, line in rows(sown, facts, given.only):
            if isinstance(line, str):
                print(f"  {row:34} {line}")
                continue
            every.setdefault(row, []).append(line)
            print(f"  {row:34} {_figures(line)}", flush=True)
            if given.kinds:
                print(f"  {'':34} {', '.join(line.kinds)}")
    print(f"\nall {max(map(len, every.values()))} sessions\n{_HEADING}")
    for row, lines in every.items():
        print(f"  {row:34} {_figures(_together(lines))}")
    return 0


def rows(sown: Recording, facts: tuple[Fact, ...], only: Sequence[str]) -> Iterator[tuple[str, Line | str]]:
    """Ours, then theirs; with `only` those whose row holds one of these words."""
    rules = get_rules("claude-opus-4-5")
    assert rules is not None
    match = Match(sown, {KAPPA: make_unit_price(W, R)}, rules)
    for row in ROWS:
        if only and not any(one.lower() in row.lower() for one in only):
            continue
        try:
            turns = tuple(_ours(match, row) if row.startswith("balance") else _theirs(match, row))
        except Absent as absent:
            yield row, str(absent)
            continue
        found = match.figures({KAPPA: turns}, 0.0)
        seen = shown(turns[-1], facts)
        back = shown(turns[-1], facts, back=True)
        peak = max(sown.prompt_tokens)
        sums = len(facts), len(seen), len(back)
        told = tuple(by_kind(facts, seen))
        yield row, Line(found.bills[KAPPA], found.adjusted[KAPPA], found.peak / peak, *sums, found.hard, told)


def _ours(match: Match, row: str) -> Iterator[ReplayedTurn]:
    policy = load("balance")
    policy = replace(policy, prune=()) if row == ALONE else policy
    tariff = build_tariff(match.prices[KAPPA], match.caching.rules)
    return replay_policy(match.recording, policy, window=WINDOW, tariff=tariff, handles=True)


def _theirs(match: Match, row: str) -> Iterator[ReplayedTurn]:
    return (turn for turn, _ in theirs(match.recording, next(one for one in PEERS if one.row == row)))


def _sessions(files: Sequence[Path], more: bool) -> Iterator[tuple[str, Recording]]:
    for file in files:
        data = file.read_bytes()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        yield file.name, _beginning(read_recording(data, compactions=False))
    if more:
        yield "made up", built()


def _beginning(recording: Recording) -> Recording:
    """Its first requests, as many as the limits allow."""
    [segment] = recording.segments
    count = sum(1 for tokens in recording.prompt_tokens[:REQUESTS] if tokens <= TOKENS)
    requests = recording.requests[:count]
    messages = segment.messages[: requests[-1].answer + 1]
    return replace(recording, segments=(replace(segment, messages=messages, index=None),), requests=requests)


_HEADING = f"  {'':34}   bill    adj   peak   shown   or back   hard"


def _figures(line: Line) -> str:
    return (
        f"{line.bill:6.3f} {line.adjusted:6.3f} {line.peak:6.3f}   {line.shown:2} of {line.facts:2}"
        f"   {line.back:2} of {line.facts:2}  {line.hard:5.3f}"
    )


def _together(lines: Sequence[Line]) -> Line:
    """Means of shares, sums of facts."""
    facts = sum(one.facts for one in lines), sum(one.shown for one in lines), sum(one.back for one in lines)
    bill, adjusted = mean(one.bill for one in lines), mean(one.adjusted for one in lines)
    return Line(bill, adjusted, mean(one.peak for one in lines), *facts, mean(one.hard for one in lines))


def _given() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("files", nargs="*", type=Path, metavar="FILE")
    asked.add_argument("--only", nargs="+", default=[], metavar="WORD", help="rows that hold one of these words")
    asked.add_argument("--kinds", action="store_true", help="what kinds of facts are shown")
    return asked.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
