"""Side by side: every preset, and the peers' own code where it is installed, on the same recorded sessions.

    python benchmarks/peers/setup.py                              once, with a network: installs the peers
    SECATEUR_CORPUS=DIR python benchmarks/policies.py [FILE...]   [--only WORD...] [--small] [--json FILE]

Every request of a session is made again under each policy, with the same prices, prompt cache, API rules and recall.
`bill`: shares of the bill without pruning, at three prices: a cache write costs 11.5, 24 and 49 reads more than a read.
`adj` adds what it would cost to fetch again what a later call named and the view no longer held. `hard`: of what calls
named and only results had shown, the share in view; `intact`: requests that miss none of it; `asked`: of the user's own
words, the share in view as they were. `ms` is CPU time of one request. A peer that is not installed, or fails, is a row
that says why. With `--no-clock` each preset whose schedule depends on the time has a second row in which pauses are
unknown: the difference is what the engine's own clock is worth.
"""

import argparse
import gzip
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from corpus import find_corpus
from msgspec.structs import replace

from secateur.policy import Policy, list_preset_names, load
from secateur.pricing import Price, get_rules, make_unit_price, price_of
from secateur.pricing.prices import restate_price
from secateur.pricing.tariffs import build_tariff
from secateur.simulate.replay import ReplayedTurn, replay_policy
from secateur.simulate.requests import Recording, read_recording

sys.path.insert(0, str(Path(__file__).parent / "peers"))

from drive import Absent
from drive import replayed as theirs
from figures import Figures, Match
from lineup import PEERS, Peer
from setup import PINNED
from table import Found, Report, heading, keep, kept, line, markdown, together

KAPPAS = {11.5: (1.25, 0.1), 24.0: (1.25, 0.05), 49.0: (1.25, 0.025)}
WINDOW = 1_000_000  # nothing is forced: what a policy saves it saves by choice
RULES = "claude-opus-4-5"  # the prompt cache of sessions that another maker's model answered
PI, CLAUDE = "pi_session_jsonl/badlogic__pi-mono", "claude_code_jsonl/entireio__cli"
SESSIONS = (
    f"{PI}/before-compaction.jsonl.gz",
    f"{PI}/large-session.jsonl.gz",
    f"{CLAUDE}/ad-ff0201aecb-0.jsonl.gz",
    f"{CLAUDE}/f0-c3dbdad0d8-0.jsonl.gz",
    f"{CLAUDE}/43-2b48f6b6e6-0.jsonl.gz",
    "opencode_export_json/eitatech__gatomia-vscode/0f-1be78a364c-1.json.gz",
)
SMALL = SESSIONS[-1:]
AS_IT_WAS = "as it was"
NO_CLOCK = ", no clock"
ROWS = (AS_IT_WAS, *list_preset_names(), *(peer.row for peer in PEERS))  # in this order


def main() -> int:
    """Print a table for each session and one of all; 2 without sessions."""
    given = _given()
    files = given.files or [find_corpus("name session files") / one for one in (SMALL if given.small else SESSIONS)]
    tables = {name: dict(table) for name, table in kept(given.json).items()} if given.only else {}
    for file in files:
        match = _match(file)
        most = max(match.recording.prompt_tokens)
        print(
            f"\n{file.name}: {len(match.as_it_was)} requests, {most:,} tokens at most\n{heading(list(KAPPAS))}",
            flush=True,
        )
        table = tables.setdefault(file.name, {})
        for row, found in rows(match, given):
            table[row] = found
            ours = (AS_IT_WAS, *list_preset_names(), *map(_row, given.policy))
            order = dict.fromkeys(row for one in (*ours, *ROWS) for row in (one, f"{one}{NO_CLOCK}"))
            tables[file.name] = table = {one: table[one] for one in order if one in table}
            print(line(row, found), flush=True)
            if given.json:
                keep(given.json, Report(PINNED, given.window, tables))
    every = together(list(tables.values()))
    if len(tables) > 1:
        print(f"\nall {len(tables)} sessions\n{heading(list(KAPPAS))}")
        print("\n".join(line(row, found) for row, found in every.items()))
    if given.markdown:
        print("\n".join(markdown(every)))
    return 0


def rows(match: Match, given: argparse.Namespace) -> Iterator[tuple[str, Found]]:
    """Ours, then theirs; with `only` those whose row holds one of these words."""
    yield AS_IT_WAS, match.figures(dict.fromkeys(KAPPAS, match.as_it_was), 0.0)
    for name in (*list_preset_names(), *given.policy):
        if _wanted(_row(name), given.only):
            policy = _policy(name, given.compact)
            yield _row(name), _ours(match, policy, given.window)
            if given.no_clock and policy.schedule.needs_clock:
                yield f"{_row(name)}{NO_CLOCK}", _ours(match, policy, given.window, knows_idle=False)
    for peer in PEERS:
        if _wanted(peer.row, given.only):
            yield peer.row, _theirs(match, peer)


def _row(policy: str) -> str:
    return load(policy).name


def _policy(name: str, compact: bool) -> Policy:
    """A policy; what it does by pruning alone, unless it is to compact as well, or does so by price."""
    policy = load(name)
    by_price = policy.compaction is not None and policy.compaction.digest is not None
    return policy if compact or by_price else replace(policy, compaction=None)


def _ours(match: Match, policy: Policy, window: int, knows_idle: bool = True) -> Figures:
    """A preset; where its schedule looks at prices it is played at each."""
    recording = match.recording
    if not knows_idle:  # without times, requests follow each other closely
        recording = replace(recording, requests=tuple(replace(one, at=0) for one in recording.requests))
    priced = policy.schedule.uses_prices
    plays: dict[float, Sequence[ReplayedTurn]] = {}
    spent = 0.0
    for kappa, price in match.prices.items():
        if priced or not plays:
            start = time.process_time()
            tariff = build_tariff(price, match.caching.rules)
            turns = tuple(replay_policy(recording, policy, window=window, tariff=tariff))
            pairs = zip(turns, match.as_it_was, strict=True)
            turns = tuple(replace(turn, at=was.at, request=was.request) for turn, was in pairs)
            spent = spent or time.process_time() - start
        plays[kappa] = turns
    return match.figures(plays, spent * 1000 / max(1, len(turns)))


def _theirs(match: Match, peer: Peer) -> Found:
    try:
        played = list(theirs(match.recording, peer))
    except Absent as absent:
        return str(absent)
    turns = tuple(turn for turn, _ in played)
    return match.figures(dict.fromkeys(KAPPAS, turns), mean(ms for _, ms in played) if played else 0.0)


def _match(file: Path) -> Match:
    data = file.read_bytes()
    recording = read_recording(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data, compactions=False)
    known = get_rules(recording.model)
    rules = known if known and known.name.startswith("Anthropic") else get_rules(RULES)
    assert rules is not None
    return Match(recording, {kappa: _price(recording, *ratios) for kappa, ratios in KAPPAS.items()}, rules)


def _price(recording: Recording, w: float, r: float) -> Price:
    known = price_of(recording.model)
    return restate_price(known, w, r) if known else make_unit_price(w, r)


def _wanted(row: str, only: Sequence[str]) -> bool:
    return not only or any(one.lower() in row.lower() for one in only)


def _given() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("files", nargs="*", type=Path, metavar="FILE")
    asked.add_argument("--only", nargs="+", default=[], metavar="WORD", help="rows that hold one of these words")
    asked.add_argument("--small", action="store_true", help="one short session")
    asked.add_argument("--no-clock", action="store_true", help="ours also as if pauses were unknown")
    asked.add_argument("--compact", action="store_true", help="ours compact as well, where --window asks for it")
    asked.add_argument("--policy", nargs="+", default=[], metavar="FILE", help="more than the presets")
    asked.add_argument("--window", type=int, default=WINDOW, metavar="TOKENS", help="of our presets")
    asked.add_argument(
        "--json", default="", metavar="FILE", help="keep all figures there; with --only the other rows stay"
    )
    asked.add_argument("--markdown", action="store_true", help="print the table of all sessions for a page as well")
    return asked.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
