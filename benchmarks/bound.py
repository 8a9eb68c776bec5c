"""The bound on regret, on every recorded session at three prices: how far a bill ever is above the unpruned one.

Rule: a session is read once, and played as long as its longest prompt could pay for anything. How it is played: "" with
all breakpoints free, "client" as its client was recorded, "whole" as if its host had never compacted and under Claude's
rules, as `policies.py` plays it.
"""

import gzip
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import accumulate
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import FormatError
from secateur.policy import Policy, load
from secateur.pricing import get_rules, make_unit_price
from secateur.schedule import BreakEven
from secateur.simulate.bill import BillRow, compute_units
from secateur.simulate.cache import CachedPrompt, Caching
from secateur.simulate.client import infer_caching
from secateur.simulate.replay import replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import bill_turns, simulate
from secateur.simulate.several import read_recordings

KAPPAS = {11.5: (1.25, 0.1), 24.0: (1.25, 0.05), 49.0: (1.25, 0.025)}
BOUNDS = (None, 0.12, 0.01)
OUTPUT = 5.0
SHORTEST = 8_000  # tokens of the longest prompt: below that nothing can pay
WINDOW = 1_000_000


def all_sessions(files: list[tuple[Path, str]], jobs: int) -> bool:
    """Bills and worst prefixes of every session; whether all bars are met."""
    with ProcessPoolExecutor(jobs) as pool:
        found = [one for some in pool.map(played, files, chunksize=4) for one in some]
    met = True
    for kappa in KAPPAS:
        for most in BOUNDS:
            some = [one for one in found if (one.kappa, one.most) == (kappa, most)]
            ours, theirs = sum(one.units for one in some), sum(one.plain for one in some)
            dearest, worst = max(some, key=lambda one: one.units / one.plain), sorted(some, key=lambda one: one.worst)
            over = sum(one.worst > 0.01 for one in some)
            print(
                f"{len(some)} sessions at {kappa:g}, bound {most or '-'}: {ours / theirs:.3f} of the unpruned bills;",
                end=" ",
            )
            print(
                f"{sum(one.units > one.plain for one in some)} dearer, {over} at some time by more than 1 %,", end=" "
            )
            print(f"at the end at most by {dearest.units / dearest.plain - 1:.2%} ({dearest.name})")
            print(f"  worst prefixes: {', '.join(f'{one.worst:.2%} {one.name}' for one in worst[-3:])}", flush=True)
            met &= most is None or worst[-1].worst <= most
    return met


class Played(Struct, frozen=True):
    """One session at one price under one bound."""

    name: str
    kappa: float
    most: float | None
    units: float
    plain: float  # units without pruning
    worst: float  # how far the bill was above the unpruned one at its worst, as a share


def played(work: tuple[Path, str]) -> list[Played]:
    """All sessions of a file, at all prices and under all bounds. A session is read once."""
    file, how = work
    found = []
    for name, recording in sessions_of(file, compactions=how != "whole"):
        caching = caching_for(recording, how)
        turns = tuple(replay_unpruned(recording))
        rows = bill_turns(turns, make_unit_price(*KAPPAS[11.5], OUTPUT), caching)
        if max(row.prompt for row in rows) < SHORTEST:
            continue
        for kappa, (w, r) in KAPPAS.items():
            price = make_unit_price(w, r, OUTPUT)
            plain = tuple(
                replace(row, units=compute_units(price, CachedPrompt(row.read, row.write, row.plain), row.output))
                for row in rows
            )
            whole = sum(row.units for row in plain)
            for most in BOUNDS:
                run = simulate(recording, bounded(load("balance"), most), price, caching=caching, window=WINDOW)
                found.append(Played(name, kappa, most, run.bill.units, whole, prefixes(run.rows, plain)))
    return found


def caching_for(recording: Recording, how: str) -> Caching:
    rules = get_rules(recording.model) or get_rules("claude-sonnet-5")
    if how == "whole" and not (rules and rules.name.startswith("Anthropic")):
        rules = get_rules("claude-opus-4-5")
    assert rules is not None
    return infer_caching(recording, rules) if how == "client" else Caching(rules=rules)


def sessions_of(file: Path, compactions: bool = True) -> Iterator[tuple[str, Recording]]:
    try:
        for number, one in enumerate(read_recordings(read(file), compactions=compactions)):
            if len(one.requests) >= 3:
                yield f"{file.name[:30]}#{number}", one
    except (FormatError, ValueError):
        return


def prefixes(rows: tuple[BillRow, ...], plain: tuple[BillRow, ...]) -> float:
    """How far the bill was above the unpruned one at its worst, as a share."""
    sums = zip(accumulate(one.units for one in rows), accumulate(one.units for one in plain), strict=True)
    return max((ours / theirs - 1 for ours, theirs in sums), default=0.0)


def bounded(policy: Policy, most: float | None) -> Policy:
    assert isinstance(policy.schedule, BreakEven)
    return replace(policy, schedule=replace(policy.schedule, max_overspend=most))


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
