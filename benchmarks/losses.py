"""Which rule lost what later calls needed, and what protecting it would cost.

    SECATEUR_CORPUS=DIR python benchmarks/losses.py [--half H] [--sample N] [--share S] [--policy P...]

Sessions of 30 requests and more are replayed under each policy. `lost`: results that a call needed and whose view
lacked what it named, by the rule that had edited them, and by how many results they were back; `refetch` is what it
would cost to fetch them again, as a share of the unpruned bill. Then bill, adjusted bill and recall, as means, and the
sessions whose recall is below .9. The window is the one that the session had; with `--share` it is that share of its
longest prompt. Compare variants of a policy by handing in files.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from corpus import find_corpus
from harm import LONG, OUTPUT, READ, WRITE, choose_sessions, find_window
from msgspec import Struct
from split import HALVES

from secateur.model import Message
from secateur.plan import list_active_epochs
from secateur.policy import Policy, load
from secateur.pricing import get_rules, make_unit_price
from secateur.pricing.tariffs import build_tariff
from secateur.simulate.cache import Caching
from secateur.simulate.recall import compare_views, compute_refetch_cost, recall_of
from secateur.simulate.replay import ReplayedTurn, replay_policy, replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import bill_turns

BACK = (10, 20, 50, 100)  # results back, at most
LEAST = 0.9  # recall below which a session is listed
WAITED = "in a summary or digest"


class Played(Struct, frozen=True):
    """One session under one policy. Bills are shares of the unpruned one."""

    bill: float
    adjusted: float
    hard: float
    references: int
    name: str
    edited: bool
    lost: tuple[tuple[str, int, float], ...]  # rule, results back, cost of fetching it again


def main() -> int:
    """Print the tables; 2 without sessions."""
    given = _read_arguments()
    chosen = choose_sessions(find_corpus(), given.half, 0)
    long = [one for one in chosen if len(one[1].requests) >= LONG]
    long = long[: given.sample or len(long)]
    print(f"{given.half}: {len(long)} sessions of at least {LONG} requests", flush=True)
    for name in given.policy:
        print_policy(name, list(play_all(long, load(name), given.share)))
        sys.stdout.flush()  # the next one takes minutes, and in a pipe nothing would be seen until the end
    return 0


def play_all(chosen: Sequence[tuple[str, Recording]], policy: Policy, share: float) -> Iterator[Played]:
    """These sessions under a policy; on a terminal it says how far it is."""
    for number, (name, recording) in enumerate(chosen, 1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{policy.name}, {number} of {len(chosen)}: {name[:60]}", end="", file=sys.stderr, flush=True)
        yield play(name, recording, policy, share)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)


def play(name: str, recording: Recording, policy: Policy, share: float) -> Played:
    """One session under a policy."""
    rules = get_rules(recording.model) or get_rules("claude-sonnet-5")
    assert rules is not None
    price, caching = make_unit_price(WRITE, READ, OUTPUT), Caching(rules=rules)
    window = round(max(recording.prompt_tokens) * share) or find_window(recording)
    turns = tuple(replay_policy(recording, policy, window=window, tariff=build_tariff(price, rules)))
    rows, plain = bill_turns(turns, price, caching), bill_turns(replay_unpruned(recording), price, caching)
    whole, prompts = sum(row.units for row in plain), [row.prompt for row in rows]
    views = compare_views((recording.get_context(turn.request), turn.seen) for turn in turns)
    score = recall_of(recording).score(views)
    lost = tuple(
        (
            _find_rule(turns[one.request], one.key),
            _count_back(recording.get_context(turns[one.request].request), one.key),
            compute_refetch_cost([one], prompts, r=READ, w=WRITE, o=OUTPUT) / whole,
        )
        for one in score.lost
    )
    ours = sum(row.units for row in rows) / whole
    edited, adjusted = any(turn.opened for turn in turns), ours + sum(cost for *_, cost in lost)
    return Played(ours, adjusted, score.hard, score.references, name, edited, lost)


def print_policy(name: str, played: Sequence[Played]) -> None:
    """What was lost by rule and distance, and the means."""
    lost = [one for session in played for one in session.lost]
    print(f"\n{name}: {len(lost)} lost of {sum(one.references for one in played):,} references")
    heads = " ".join(f"{f'<= {back}':>7}" for back in BACK)
    print(f"  {'rule':24} {'lost':>6} {'refetch':>8} {heads} {'more':>7}")
    for rule, count in Counter(rule for rule, *_ in lost).most_common():
        costs = sum(cost for one, _, cost in lost if one == rule) / len(played)
        spread = Counter(next((most for most in BACK if back <= most), 0) for one, back, _ in lost if one == rule)
        print(f"  {rule:24} {count:6} {costs:8.4f} " + " ".join(f"{spread[most]:7}" for most in (*BACK, 0)))
    held = sum(one.hard * one.references for one in played) / max(1, sum(one.references for one in played))
    dearest = max(one.bill for one in played)
    figures = [mean(getattr(one, field) for one in played) for field in ("bill", "adjusted", "hard")]
    least = min((one.hard for one in played if one.references >= LONG), default=1.0)
    edited = [one for one in played if one.edited]
    print(
        "  bill {:.4f}, adjusted {:.4f}, recall mean {:.4f}".format(*figures)
        + f", pooled {held:.4f}, least {least:.3f}; dearest session {dearest:.4f}"
    )
    some = mean(one.hard for one in edited) if edited else 1.0
    print(f"  {len(played) - len(edited)} sessions were never edited; recall mean of the others {some:.4f}")
    for one in sorted(edited, key=lambda one: one.hard):
        if one.hard < LEAST:
            rules = Counter(f"{rule} {_name_distance(back)}" for rule, back, _ in one.lost)
            lost_by = ", ".join(f"{rule}: {count}" for rule, count in rules.most_common())
            print(
                f"    {one.hard:.3f} of {one.references} references, adjusted {one.adjusted:.3f}, {one.name}: {lost_by}"
            )


def _name_distance(back: int) -> str:
    """The range that a distance in results is in."""
    least = next((most for most in BACK if back <= most), 0)
    return f"<= {least}" if least else f"> {BACK[-1]}"


def _find_rule(turn: ReplayedTurn, key: str) -> str:
    """The strategy whose edit of this part is in force at a request."""
    active = list_active_epochs(turn.plan) if turn.plan.epochs else ()
    edits = {edit.key: edit.strategy for epoch in active for edit in epoch.edits if hasattr(edit, "key")}
    there = any(part.key == key for message in turn.seen for part in message.parts)
    return edits.get(key, "unknown") if there else WAITED


def _count_back(history: Sequence[Message], key: str) -> int:
    """How many results back a result is, itself included."""
    results = [part.key for message in history for part in message.parts if part.kind == "tool_result"]
    return len(results) - results.index(key) if key in results else 0


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", nargs="+", default=["balance"], metavar="P", help="presets or files")
    parser.add_argument("--half", default="tuning", choices=HALVES)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many sessions")
    parser.add_argument("--share", type=float, default=0.0, metavar="S", help="window, of the longest prompt")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
