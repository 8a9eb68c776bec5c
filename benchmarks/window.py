"""Bills near the window: what each policy costs, loses and overruns at a share of each session's longest prompt.

    SECATEUR_CORPUS=DIR python benchmarks/window.py [--half H] [--share S]... [--price P]... [--arm A]...
                                                    [--sample N [--seed N]] [--requests N]

Every session of 30 requests and more is replayed as it was sent: where its host compacted, the history is the host's.
The window is a share of the session's longest prompt (0: unbounded), for each of six prices. An arm is a preset, the
path of a policy, or one of these: `compaction` never prunes and only compacts, `cold` is the default with the schedule
"only when the cache is cold", `target` the default with the bound as its `target_tokens`. Unbounded there are two
yardsticks, whose schedule is the cheapest with the whole session known: `foresight` clears each result once no later
call names what it alone shows, `at-once` may clear a result in the request after the first that held it. Of growing
copies of one session only the longest counts. `--sample` draws so many sessions of a half, others by another `--seed`.
Views are made for each price, since it also says how long a cache lives. For each arm:

`peak`: the longest prompt as a share of the bound; `over`: sessions with a prompt above it, though their fixed part and
newest round fit; `bill`, `adj`: mean shares of the unpruned bill, the second with everything fetched again that a later
call named and the view no longer held; `worst`: the dearest session; `hard`: recall of what later calls named and only
results had shown, pooled and mean; `least`: its least of sessions with 30 such references; `asked`: of the user's
words, the share in view; `best`: the share of sessions on which the arm has the lowest adjusted bill within 1 %, among
the arms that kept the bound, hard recall of .95 and .95 of the user's words; `above`: the most by which its adjusted
bill exceeds that of compaction alone on any session, as a share of the unpruned bill; `never`: sessions that it never
edited. Unbounded, `balance`, `careful` and `frugal` promise how far a bill may be above the unpruned one: for each
price a line says whether all sessions kept to it, and the exit code is 1 if one did not. A short session counts there,
too: `--requests 2` plays all.
`--out` writes a line of JSON for each session, price and arm; `--list` prints these lines as well.
"""

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from corpus import find_corpus
from harm import choose_sessions
from msgspec import Struct, structs
from split import HALVES, digest_of

from secateur.policy import Policy, load
from secateur.pricing import Price, get_rules, make_unit_price
from secateur.pricing.tariffs import build_tariff
from secateur.schedule import ColdCache, Never
from secateur.simulate.bill import BillRow
from secateur.simulate.cache import Caching
from secateur.simulate.foresight import Terms, find_best_schedule, list_aged, list_unreferenced
from secateur.simulate.recall import Recall, Score, compare_views, compute_refetch_cost, recall_of
from secateur.simulate.replay import ReplayedTurn, replay_policy, replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import bill_turns

sys.path.insert(0, str(Path(__file__).parent / "peers"))

from figures import count_asked

LONG = 30  # requests of a session that is played, and references of one whose recall counts by itself
WINDOW = 1_000_000  # of a session that is not bounded
FORESEEN = ("foresight", "at-once")  # arms that are no policies
ARMS = ("balance", "careful", "frugal", "compaction", "cold")
PROMISES = {"balance": 1.01, "careful": 1.0, "frugal": 1.03}  # of the unpruned bill, where nothing is bounded
ROUNDING = 1e-6  # of a bill
NEAR = 1.01  # of the lowest bill: so much is as good
RECALL, ASKED = 0.95, 0.95  # what an arm must keep to be compared


class Regime(Struct, frozen=True):
    """A provider's prices in units of plain input, and the model whose cache rules hold."""

    model: str
    write: float
    read: float
    output: float
    hour: bool = False


PRICES = {
    "anthropic": Regime("claude-sonnet-5", 1.25, 0.1, 5.0),
    "anthropic-1h": Regime("claude-sonnet-5", 2.0, 0.1, 5.0, hour=True),
    "minimum-4096": Regime("claude-opus-4-5", 1.25, 0.1, 5.0),
    "gpt-5": Regime("gpt-5", 1.0, 0.1, 8.0),
    "gemini": Regime("gemini-2.5-pro", 1.0, 0.1, 8.0),
    "deepseek": Regime("deepseek-v4-flash", 1.0, 0.02, 4.0),
}


class Row(Struct, frozen=True):
    """One session at one price under one arm; bills are shares of the unpruned one."""

    session: str
    share: float
    price: str
    arm: str
    bill: float
    adjusted: float
    peak: float  # of the bound; 0: unbounded
    is_over: bool  # a prompt is above the bound, though the session's least prompts are not
    hard: float
    references: int
    kept: float  # of these, those in view
    asked: float
    epochs: int
    unpruned: float  # units


class Scene:
    """One session at one price."""

    def __init__(self, recording: Recording, regime: Regime) -> None:
        rules = get_rules(regime.model)
        assert rules is not None
        self.recording, self.hour = recording, regime.hour
        self.price: Price = make_unit_price(regime.write, regime.read, regime.output)
        if regime.hour:  # a unit price buys the longer time for what it says of the shorter
            rules = structs.replace(rules, ttl_s=rules.ttl_long_s or rules.ttl_s)
        self.caching = Caching(rules=rules)
        self.as_it_was = tuple(replay_unpruned(recording))
        self.plain = bill_turns(self.as_it_was, self.price, self.caching)
        self.unpruned = sum(row.units for row in self.plain)

    def replay(self, policy: Policy, window: int) -> tuple[ReplayedTurn, ...]:
        """The session under a policy."""
        tariff = build_tariff(self.price, self.caching.rules)
        return tuple(replay_policy(self.recording, policy, window=window, tariff=tariff, handles=True))

    def foresee(self, arm: str, recall: Recall) -> tuple[ReplayedTurn, ...]:
        """The session under the cheapest schedule of a yardstick."""
        recording = self.recording
        eligible = list_unreferenced(recording, recall) if arm == "foresight" else list_aged(recording, 0)
        return find_best_schedule(recording, eligible, Terms(self.price, self.caching)).run.turns

    def adjust(self, rows: Sequence[BillRow], score: Score) -> float:
        """What fetching again what was lost would cost."""
        rates = self.price.base
        return compute_refetch_cost(score.lost, [row.prompt for row in rows], r=rates.r, w=rates.w, o=rates.o)


def play_all(chosen: Sequence[tuple[str, Recording]], given: argparse.Namespace) -> Iterator[Row]:
    """The rows of these sessions; on a terminal it says how far it is, since all of them take half an hour."""
    for number, (name, recording) in enumerate(chosen, 1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{number} of {len(chosen)}: {name[:60]}", end="", file=sys.stderr, flush=True)
        yield from play(name, recording, given)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)


def play(name: str, recording: Recording, given: argparse.Namespace) -> Iterator[Row]:
    """A row for each share, price and arm."""
    recall, longest, least = recall_of(recording), max(recording.prompt_tokens), max(count_least(recording))
    for price in given.price:
        scene = Scene(recording, PRICES[price])
        for share in given.share:
            bound = round(longest * share)
            for arm in given.arm:
                turns = scene.foresee(arm, recall) if arm in FORESEEN else replay_bound(scene, arm, bound)
                pairs = ((recording.get_context(turn.request), turn.seen) for turn in turns)
                score = recall.score(compare_views(pairs))
                rows = bill_turns(turns, scene.price, scene.caching)
                units, peak = sum(row.units for row in rows), max(row.prompt for row in rows)
                yield Row(
                    session=f"{digest_of(recording)[:8]} {name}",
                    share=share,
                    price=price,
                    arm=Path(arm).stem,
                    bill=units / scene.unpruned,
                    adjusted=(units + scene.adjust(rows, score)) / scene.unpruned,
                    peak=peak / bound if bound else 0.0,
                    is_over=bool(bound) and peak > bound >= least,
                    hard=score.hard,
                    references=score.references,
                    kept=score.hard * score.references,
                    asked=count_asked(turns, scene.as_it_was),
                    epochs=sum(turn.opened for turn in turns),
                    unpruned=scene.unpruned,
                )


def replay_bound(scene: Scene, arm: str, bound: int) -> tuple[ReplayedTurn, ...]:
    """The session under the policy of an arm, in a window; 0: without a bound."""
    return scene.replay(make_policy(arm, bound), bound or WINDOW)


def make_policy(arm: str, bound: int) -> Policy:
    """The policy of an arm."""
    policy = load("balance")
    if arm == "compaction":
        return structs.replace(policy, name=arm, on_arrival=None, prune=(), schedule=Never())
    if arm == "cold":
        return structs.replace(policy, name=arm, schedule=ColdCache(min_tokens_freed=500))
    if arm == "target":
        return structs.replace(policy, name=arm, target_tokens=bound or None)
    return load(arm)


def count_least(recording: Recording) -> Iterator[int]:
    """By request: the tokens of its fixed part, the newest round and the newest message of the user."""
    for request in recording.requests:
        messages, tokens = recording.get_context(request), recording.segments[request.segment].fixed_tokens
        place = len(messages) - 1
        while place > 0 and messages[place].role in ("tool", "user") and messages[place - 1].role != "assistant":
            place -= 1
        said = next((n for n in range(place - 1, -1, -1) if messages[n].role == "user"), 0)
        chosen = {*range(max(0, place - 1), len(messages)), said} if messages else set()
        yield tokens + sum(part.tokens for n in chosen for part in messages[n].parts)


def print_table(rows: Sequence[Row], half: str) -> None:
    """The table of each share and price."""
    groups: dict[tuple[float, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.share, row.price].append(row)
    for (share, price), some in groups.items():
        sessions = len({row.session for row in some})
        bound = f"{share:g} of the longest prompt" if share else "unbounded"
        print(f"\n{half}, {price}, {bound}: {sessions} sessions")
        print(f"{'arm':20} peak over   bill    adj  worst |  hard  mean least asked | best  above never")
        best, plain = find_best(some), {row.session: row.adjusted for row in some if row.arm == "compaction"}
        for arm in dict.fromkeys(row.arm for row in some):
            print(describe(arm, [row for row in some if row.arm == arm], best, plain), flush=True)


def print_promises(rows: Sequence[Row], half: str) -> bool:
    """A line for each promise and price; whether all are kept."""
    met = True
    for arm, most in PROMISES.items():
        for price in dict.fromkeys(row.price for row in rows):
            some = [row for row in rows if (row.share, row.price, row.arm) == (0.0, price, arm)]
            if not some:
                continue
            dearest, over = max(some, key=lambda row: row.bill), [row for row in some if row.bill > most + ROUNDING]
            said = f"broken by {len(over)}" if over else "kept"
            print(
                f"{half}, {arm} at most {most:g} of the unpruned bill, {price}: {said} of {len(some)} sessions;",
                end=" ",
            )
            print(f"dearest {dearest.bill:.5f} ({dearest.session})")
            met &= not over
    return met


def find_best(rows: Sequence[Row]) -> dict[str, float]:
    """By session: the lowest adjusted bill of an arm that kept to the bound and forgot little."""
    found: dict[str, float] = {}
    for row in rows:
        if is_fair(row):
            found[row.session] = min(row.adjusted, found.get(row.session, row.adjusted))
    return found


def is_fair(row: Row) -> bool:
    """Whether an arm kept what it must keep to be compared by its bill."""
    return not row.is_over and row.hard >= RECALL and row.asked >= ASKED


def describe(arm: str, rows: Sequence[Row], best: dict[str, float], plain: dict[str, float]) -> str:
    """One line of a table. `plain`: by session, the adjusted bill of compaction alone."""
    fair = [row for row in rows if row.session in best]
    won = sum(is_fair(row) and row.adjusted <= NEAR * best[row.session] for row in fair)
    total = sum(row.references for row in rows)
    pooled = sum(row.kept for row in rows) / total if total else 1.0
    least = min((row.hard for row in rows if row.references >= LONG), default=1.0)
    never = sum(not row.epochs for row in rows)
    above = max((row.adjusted - plain[row.session] for row in rows if row.session in plain), default=0.0)
    return (
        f"{arm[:20]:20} {max(row.peak for row in rows):4.2f} {sum(row.is_over for row in rows):4}"
        f" {mean(row.bill for row in rows):6.3f} {mean(row.adjusted for row in rows):6.3f}"
        f" {max(row.bill for row in rows):6.3f} | {pooled:5.3f} {mean(row.hard for row in rows):5.3f} {least:5.3f}"
        f" {mean(row.asked for row in rows):5.3f} | {won / max(1, len(best)):4.0%} {above:+6.3f} {never:5}"
    )


def read_arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", action="append", choices=HALVES, help="default: reporting")
    parser.add_argument("--share", type=float, action="append", help="of the longest prompt; default: 0 0.7 0.5")
    parser.add_argument("--price", action="append", choices=PRICES, help="default: all six")
    parser.add_argument("--arm", action="append", help=f"default: {', '.join(ARMS)}")
    parser.add_argument("--sample", type=int, default=0, help="so many sessions of a half, the same each time")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--requests", type=int, default=LONG, help="leave shorter sessions out")
    parser.add_argument("--at-least", type=int, default=8_000, metavar="TOKENS", help="of the longest prompt")
    parser.add_argument("--at-most", type=int, default=0, metavar="REQUESTS", help="leave longer sessions out")
    parser.add_argument("--out", type=Path, help="write a line of JSON for each session, price and arm")
    parser.add_argument("--list", action="store_true", help="print the sessions as well")
    given = parser.parse_args()
    given.half = given.half or ["reporting"]
    given.share = given.share or [0.0, 0.7, 0.5]
    given.price = given.price or list(PRICES)
    given.arm = given.arm or list(ARMS)
    return given


def main() -> int:
    """Print the tables; 1 where a promise is broken, 2 without sessions."""
    given = read_arguments()
    corpus = find_corpus()
    lines: list[dict[str, Any]] = []
    met = True
    for half in given.half:
        chosen = [
            (name, one)
            for name, one in choose_sessions(corpus, half, 0)
            if given.requests <= len(one.requests) <= (given.at_most or len(one.requests))
            and max(one.prompt_tokens) >= given.at_least
        ]
        if given.seed:
            chosen.sort(key=lambda pair: hashlib.sha256(f"{given.seed} {pair[0]}".encode()).digest())
        rows = list(play_all(chosen[: given.sample or len(chosen)], given))
        print_table(rows, half)
        met &= print_promises(rows, half)
        lines += [{"half": half} | structs.asdict(row) for row in rows]
    if given.list:
        for line in lines:
            print(json.dumps({name: round(x, 4) if isinstance(x, float) else x for name, x in line.items()}))
    if given.out:
        given.out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return int(not met)


if __name__ == "__main__":
    raise SystemExit(main())
