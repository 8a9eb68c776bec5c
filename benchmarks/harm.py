"""Whether shortening misleads an agent: what the policy took out of new results, and whether the next steps named it.

    SECATEUR_CORPUS=DIR python benchmarks/harm.py [--half H] [--sample N] [--share S]... [--excerpts N] [--lost]
    python benchmarks/harm.py --table

Every recorded session is replayed under the policy, with handles. Of each result that was shortened on arrival, or
while at most 20 results stood behind it: which of the next five answers and their calls named what was gone
(identifiers, paths, quoted lines, line numbers), where nothing else in the view of that request shows it. Results that
can be put together again from what is in their place are counted apart. Then the bill at write 1.25, read 0.1: a
share of the unpruned one, and with everything that was lost fetched again, and recall of what later calls named, over
sessions of 30 requests and more. `--share` replays with a window of that share of each session's longest prompt.
`--excerpts` prints a sample of shortened results for people to read, `--lost` what was named. `--table` judges the
table of commands and results (`measures/arrival/`) instead. Of growing copies of one session only the longest counts.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bound import sessions_of
from corpus import find_corpus
from msgspec import Struct
from split import HALVES, digest_of, files_of, half_of

from secateur.policy import Policy, load
from secateur.policy.windows import get_window
from secateur.pricing import get_rules, make_unit_price
from secateur.pricing.tariffs import build_tariff
from secateur.simulate.cache import Caching
from secateur.simulate.recall import compare_views, compute_refetch_cost, recall_of
from secateur.simulate.replay import replay_policy, replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import bill_turns

sys.path.insert(0, str(Path(__file__).parent / "measures"))

from arrival import read_cases
from arrival.judge import MOST, Judged, count_held, describe, judge
from removals import Removal, find_removals

WRITE, READ, OUTPUT = 1.25, 0.1, 5.0
WINDOW = 200_000  # of a session whose host and model say nothing of it
LONG = 30  # requests: bills and recall are those of such sessions
BAR = 0.005  # of the results that lost something: so many may have something named


class Session(Struct, frozen=True):
    """What became of one session. Bills are shares of the unpruned one."""

    name: str
    format: str
    requests: int
    results: int
    removals: tuple[Removal, ...]
    bill: float
    adjusted: float
    hard: float


def main() -> int:
    """Print the figures; 1 if a bar is missed, 2 without sessions."""
    given = _read_arguments()
    policy = load(given.policy)
    if given.table:
        return int(not print_table(tuple(judge(read_cases(), policy)), given.excerpts))
    corpus = find_corpus()
    met = True
    for half in given.half or HALVES:
        chosen = choose_sessions(corpus, half, given.sample)
        for share in given.share or [0.0]:
            played = [play(name, recording, policy, share) for name, recording in chosen]
            met &= print_half(half + (f", window {share:g} of the longest prompt" if share else ""), played)
            print_details(played, given.excerpts, given.lost)
    return int(not met)


def choose_sessions(corpus: Path, half: str, sample: int) -> list[tuple[str, Recording]]:
    """The sessions of a half without growing copies; with `sample` so many of them, the same each time."""
    found: dict[str, tuple[str, Recording]] = {}
    known: set[str] = set()
    every = [one for file in files_of(corpus) for one in sessions_of(file) if half_of(one[1]) == half]
    for name, recording in sorted(every, key=lambda one: -len(one[1].requests)):
        messages = recording.segments[-1].messages
        if messages[-1].key not in known:
            known.update(message.key for message in messages)
            found[f"{digest_of(recording)[:12]} {name}"] = name, recording
    order = sorted(found, key=lambda one: hashlib.sha256(one.encode()).digest())
    return [found[one] for one in order[: sample or len(order)]]


def play(name: str, recording: Recording, policy: Policy, share: float) -> Session:
    """One session under the policy."""
    rules = get_rules(recording.model) or get_rules("claude-sonnet-5")
    assert rules is not None
    price, caching = make_unit_price(WRITE, READ, OUTPUT), Caching(rules=rules)
    window = round(max(recording.prompt_tokens) * share) or find_window(recording)
    turns = tuple(replay_policy(recording, policy, window=window, tariff=build_tariff(price, rules), handles=True))
    results = sum(part.kind == "tool_result" for one in recording.segments[-1].messages for part in one.parts)
    removals = tuple(find_removals(recording, turns))
    bill = adjusted = hard = 1.0
    if len(recording.requests) >= LONG and any(turn.opened for turn in turns):
        rows, plain = bill_turns(turns, price, caching), bill_turns(replay_unpruned(recording), price, caching)
        score = recall_of(recording).score(
            compare_views((recording.get_context(turn.request), turn.seen) for turn in turns)
        )
        fetched = compute_refetch_cost(score.lost, [row.prompt for row in rows], r=READ, w=WRITE, o=OUTPUT)
        whole, ours = sum(row.units for row in plain), sum(row.units for row in rows)
        bill, adjusted, hard = ours / whole, (ours + fetched) / whole, score.hard
    return Session(
        name, recording.document.format.name, len(recording.requests), results, removals, bill, adjusted, hard
    )


def find_window(recording: Recording) -> int:
    """The window that the session had: as its host recorded it, else its model's, and never less than was sent."""
    known = recording.document.transcript.window or get_window(recording.model) or WINDOW
    return max(known, *recording.prompt_tokens)


def print_half(half: str, played: Sequence[Session]) -> bool:
    """The figures of a half, by format and of all; whether the bar is met."""
    print(f"\n{half}: {len(played)} sessions, {sum(one.requests for one in played):,} requests")
    print(_HEADING)
    for name in sorted({one.format for one in played}):
        print(_describe(name, [one for one in played if one.format == name]))
    print(_describe("all", played), flush=True)
    lossy = [one for session in played for one in session.removals if one.on_arrival and not one.is_lossless]
    return sum(bool(one.named) for one in lossy) <= BAR * len(lossy)


_HEADING = (
    f"{'':18}           on arrival                               later, within 20 results        bills and recall\n"
    f"{'format':18} results  exact  cut  named  share  tokens saved   edited  named  tokens saved   "
    "sessions   bill    adj   hard"
)


def _describe(name: str, played: Sequence[Session]) -> str:
    removals = [one for session in played for one in session.removals]
    new = [one for one in removals if one.on_arrival]
    later = [one for one in removals if not one.on_arrival and not one.is_lossless]
    cut = [one for one in new if not one.is_lossless]
    named = sum(bool(one.named) for one in cut)
    line = f"{name:18} {sum(one.results for one in played):7,} {len(new) - len(cut):6} {len(cut):4} {named:6}"
    line += f" {named / len(cut) if cut else 0:6.1%} {sum(one.saved for one in new):13,}"
    line += f" {len(later):8} {sum(bool(one.named) for one in later):6} {sum(one.saved for one in later):13,}"
    long = [one for one in played if one.requests >= LONG]
    if not long:
        return line + f" {0:10}"
    figures = (mean(getattr(one, field) for one in long) for field in ("bill", "adjusted", "hard"))
    return line + f" {len(long):10} " + " ".join(f"{figure:6.3f}" for figure in figures)


def print_details(played: Sequence[Session], excerpts: int, lost: bool) -> None:
    """What was named, and excerpts spread over all sessions."""
    removals = [(session, one) for session in played for one in session.removals]
    for session, one in removals if lost else ():
        if one.named:
            when = "on arrival" if one.on_arrival else f"{one.distance} results later"
            print(f"  {session.name} {one.call[:100]!r} {when}: {', '.join(one.named[:6])}")
    for session, one in _sample(removals, excerpts):
        when = "on arrival" if one.on_arrival else f"{one.distance} results later"
        _print_excerpt(f"{session.name}, {when}: {one.call[:200]}", one.before, one.after)


def _sample(removals: Sequence[tuple[Session, Removal]], count: int) -> list[tuple[Session, Removal]]:
    """So many, half of them shortened on arrival where there are as many; the same each time, by the hash of a text."""
    order = sorted(removals, key=lambda one: hashlib.sha256(one[1].before.encode("utf-8", "surrogatepass")).digest())
    new, later = ([one for one in order if one[1].on_arrival == is_new] for is_new in (True, False))
    some = new[: max(count // 2, count - len(later))]
    return some + later[: count - len(some)]


def print_table(judged: Sequence[Judged], excerpts: int = 0) -> bool:
    """The verdicts on the table of commands and results; whether its bars are met."""
    for one in judged:
        if not one.holds:
            print(describe(one))
    counts = count_held(judged)
    for verdict, (held_, of) in counts.items():
        print(f"must stay whole: {held_} of {of}" if verdict == "whole" else f"may shrink: {held_} of {of}", end="; ")
    print("bars: all, and 85 %")
    shrunk = [one for one in judged if one.view != one.case.output]
    for one in shrunk[:: max(1, len(shrunk) // excerpts)][:excerpts] if excerpts else ():
        _print_excerpt(f"{one.case.topic}: {one.case.name}", one.case.output, one.view)
    return counts["whole"][0] == counts["whole"][1] and counts["shrink"][0] >= MOST * counts["shrink"][1]


_SHOWN = 2_500  # characters of an excerpt


def _print_excerpt(title: str, before: str, after: str) -> None:
    print(f"\n{'=' * 100}\n{title}\n--- {len(before):,} characters became {len(after):,}:\n{after[:_SHOWN]}")
    print(f"--- as it came:\n{before[: _SHOWN // 2]}\n[...]\n{before[-_SHOWN // 4 :]}")


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="balance", help="a preset or a file")
    parser.add_argument("--half", action="append", choices=HALVES, help="default: both")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many sessions of each half")
    parser.add_argument("--share", type=float, action="append", metavar="S", help="window, of the longest prompt")
    parser.add_argument("--excerpts", type=int, default=0, metavar="N", help="print so many shortened results")
    parser.add_argument("--lost", action="store_true", help="print what was named and gone")
    parser.add_argument("--table", action="store_true", help="judge the table of commands and results")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
