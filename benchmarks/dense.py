"""Dense sessions (`dense_sessions.py`): what each policy and peer saves of them, and which of the facts it still shows.

    python benchmarks/peers/setup.py headroom distil leantokens      once, with a network
    python benchmarks/dense.py [--seeds N] [--only WORD...] [--window TOKENS...] [--policy P...] [--kinds] [--shares]

Every session is played at three prices: a cache write costs 11.5, 24 and 49 reads more than a read. `bill` is the mean
share of the unpruned bill over all seeds, `worst` the largest at any price. `shown`: facts in the last request, `back`:
facts shown there or readable by a way that it names. `refused`: requests that the provider would refuse. Peers have no
bound, so they are played once; ours also within a window. A peer that is not installed is a row that says why. Below
the table stands, for each of our policies, the cheapest peer that shows as many facts without a bound.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from dense_sessions import SHARES, Fact, build_session
from msgspec import Struct

from secateur.policy import load
from secateur.pricing import get_rules, make_unit_price
from secateur.pricing.tariffs import build_tariff
from secateur.simulate.replay import ReplayedTurn, replay_policy
from secateur.simulate.requests import Recording
from secateur.toolcalls.actions import pair_calls

sys.path.insert(0, str(Path(__file__).parent / "peers"))

from drive import Absent
from drive import replayed as replay_peer
from figures import Match
from lineup import PEERS

KAPPAS = {11.5: (1.25, 0.1), 24.0: (1.25, 0.05), 49.0: (1.25, 0.025)}
SEEDS = 10
UNBOUNDED = 1_000_000
WINDOWS = (UNBOUNDED, 100_000)
OURS = ("balance", "digests")
THEIRS = ("headroom", "distil", "leantokens")
_BACK = re.compile(r"handle=\w|hash=\w|Retrieve|recall |leantokens show|distil_expand")
_SUMMED = re.compile(r"recall \w+ shows (?:what this stands for|it) in full")


class Line(Struct, frozen=True):
    """One row of one session. Bills are shares of the unpruned bill, in the order of `KAPPAS`."""

    bills: tuple[float, ...]
    peak: int
    facts: int
    shown: tuple[str, ...]  # the kinds of the facts that are shown
    back: int
    refused: int


def main() -> int:
    """Print the table of all seeds."""
    given = _read_arguments()
    rows: dict[str, list[Line]] = {}
    absent: dict[str, str] = {}
    kinds: list[str] = []
    for seed in range(given.seeds):
        recording, facts = build_session(seed)
        kinds += [fact.kind for fact in facts]
        if given.shares:
            print(describe_shares(seed, recording), flush=True)
        for row, line in play(recording, facts, given, absent):
            rows.setdefault(row, []).append(line)
    print_table(rows, absent, kinds if given.kinds else [])
    for name in given.policy:
        if name in rows:
            print(compare_with_peers(name, rows))
    return 0


def play(
    recording: Recording, facts: Sequence[Fact], given: argparse.Namespace, absent: dict[str, str]
) -> Iterator[tuple[str, Line]]:
    """The rows of one session: ours, then the peers'. Why a peer cannot run is noted in `absent`."""
    match, keys = _make_match(recording), _find_keys(recording, facts)
    for name in given.policy:
        for window in given.window:
            row = name if window >= UNBOUNDED else f"{name} at {window // 1000}k"
            if _is_wanted(row, given.only):
                turns = {kappa: _replay(match, name, kappa, window) for kappa in KAPPAS}
                yield row, _measure(match, turns, facts, keys)
    for peer in PEERS:
        if peer.name in THEIRS and _is_wanted(peer.row, given.only) and peer.row not in absent:
            try:
                played = tuple(turn for turn, _ in replay_peer(recording, peer))
            except Absent as error:
                absent[peer.row] = str(error)
            else:
                yield peer.row, _measure(match, dict.fromkeys(KAPPAS, played), facts, keys)


def print_table(rows: dict[str, list[Line]], absent: dict[str, str], kinds: Sequence[str]) -> None:
    """The means of all sessions, and of each kind of fact how many are shown."""
    prices = " ".join(f"{f'bill {kappa:g}':>9}" for kappa in KAPPAS)
    print(f"{'':36} {prices}   worst     peak      shown       back  refused")
    for row, lines in rows.items():
        facts = sum(one.facts for one in lines)
        bills = " ".join(f"{mean(one.bills[place] for one in lines):9.3f}" for place in range(len(KAPPAS)))
        worst = max(max(one.bills) for one in lines)
        peak = max(one.peak for one in lines)
        shown, back = (sum(found) for found in zip(*((len(one.shown), one.back) for one in lines), strict=True))
        refused = sum(one.refused for one in lines)
        print(f"{row:36} {bills} {worst:7.3f} {peak:8,} {shown / facts:10.1%} {back / facts:10.1%} {refused:8}")
        if kinds:
            seen = [kind for one in lines for kind in one.shown]
            print("    " + ", ".join(f"{kind} {seen.count(kind)}/{kinds.count(kind)}" for kind in dict.fromkeys(kinds)))
    for row, why in absent.items():
        print(f"{row:36} {why}")


def compare_with_peers(name: str, rows: dict[str, list[Line]]) -> str:
    """The cheapest peer that shows as many facts as this policy without a bound, and how far apart their bills are."""

    def total(row: str) -> tuple[int, float]:
        return sum(len(one.shown) for one in rows[row]), mean(bill for one in rows[row] for bill in one.bills)

    shown, bill = total(name)
    peers = [peer.row for peer in PEERS if peer.row in rows and total(peer.row)[0] >= shown]
    if not peers:
        return f"{name}: no peer that was played shows as many facts"
    best = min(peers, key=lambda row: total(row)[1])
    apart = 100 * (total(best)[1] - bill)
    return f"{name}: of the peers that show as many facts {best} is the cheapest; its bill is {apart:+.1f} points away"


def describe_shares(seed: int, recording: Recording) -> str:
    """The size of a session, and what part of its results each kind has."""
    [segment] = recording.segments
    sizes = dict.fromkeys(SHARES, 0)
    kinds = {part.key: message.parts[0].text.split()[3] for message in segment.messages for part in message.parts[1:]}
    for call, result in pair_calls(segment.messages):
        sizes[kinds[call.key]] += result.tokens if result is not None else 0
    whole = sum(sizes.values())
    told = ", ".join(f"{kind} {size / whole:.0%}" for kind, size in sizes.items())
    return f"seed {seed}: {len(recording.requests)} requests, {max(recording.prompt_tokens):,} tokens: {told}"


def _find_keys(recording: Recording, facts: Sequence[Fact]) -> dict[str, str]:
    """For each fact's word the key of its result."""
    pairs = pair_calls(recording.segments[0].messages)
    keys = {call.call_id: result.key for call, result in pairs if result is not None}
    return {fact.word: keys[fact.call] for fact in facts}


def _make_match(recording: Recording) -> Match:
    rules = get_rules(recording.model)
    assert rules is not None
    return Match(recording, {kappa: make_unit_price(*ratios) for kappa, ratios in KAPPAS.items()}, rules)


def _replay(match: Match, policy: str, kappa: float, window: int) -> tuple[ReplayedTurn, ...]:
    tariff = build_tariff(match.prices[kappa], match.caching.rules)
    return tuple(replay_policy(match.recording, load(policy), window=window, tariff=tariff))


def _measure(
    match: Match, plays: dict[float, tuple[ReplayedTurn, ...]], facts: Sequence[Fact], keys: dict[str, str]
) -> Line:
    figures = match.figures(plays, 0.0)
    view = [part for message in plays[11.5][-1].seen for part in message.parts]
    whole = "\n".join(part.text for part in view)
    texts = {part.key: part.text for part in view}
    shown = [one for one in facts if one.word in whole]
    back = [one for one in facts if one in shown or _has_way_back(texts.get(keys[one.word]), whole)]
    bills = tuple(figures.bills[kappa] for kappa in KAPPAS)
    kinds = tuple(one.kind for one in shown)
    return Line(bills, figures.peak, len(facts), kinds, len(back), figures.invalid)


def _has_way_back(text: str | None, view: str) -> bool:
    """Whether the text in place of a result says how to read it back; of one that a summary stands for, the summary."""
    return (_SUMMED.search(view) if text is None else _BACK.search(text)) is not None


def _is_wanted(row: str, only: Sequence[str]) -> bool:
    return not only or any(one.lower() in row.lower() for one in only)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="rows that hold one of these words")
    parser.add_argument("--window", nargs="+", type=int, default=WINDOWS, metavar="TOKENS", help="of our policies")
    parser.add_argument("--policy", nargs="+", default=OURS, metavar="P", help="presets or files")
    parser.add_argument("--kinds", action="store_true", help="what kinds of facts are shown")
    parser.add_argument("--shares", action="store_true", help="print the size of each session, and what it is made of")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
