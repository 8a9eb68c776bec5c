"""What each way of saving tokens saves, and what it costs the agent, on long recorded sessions.

    SECATEUR_CORPUS=DIR python benchmarks/strategies.py [--only POLICY] [SESSION ...]

For each session, each item of the balance preset alone, some together, and the preset itself: the share of the bill
that is saved (output counted), the bill with everything that was lost fetched again (input only, 1 is the unpruned
bill), peak of the prompt, recall of hard and of soft references, requests whose hard references are all there (IAR),
epochs, and of 32 facts planted in the middle of results how many the last request shows, and how many it shows or could
read back from a store. Prices are those of claude-opus-4-5 (kappa 11.5), the window is a million tokens, so that
nothing is forced. Then how often a later call needs what an excerpt at birth leaves out, by what made the result: cut
to 3,000 characters (over 1,000 tokens), and without its repetitions (where that spares 300 tokens). The chances in
`strategies.excerpt` come from there.
"""

import argparse
import gzip
from collections.abc import Iterator

from corpus import find_corpus
from msgspec.structs import replace
from planting import Fact, planted, shown

from secateur.model import Message, Part
from secateur.policy import Policy, load
from secateur.pricing.prices import Price, price_of
from secateur.simulate.recall import Score, compare_views, compute_refetch_cost, recall_of
from secateur.simulate.replay import ReplayedTurn
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import Run, simulate
from secateur.strategies import Excerpt, HardClear, ReduceOutput, Strategy, Supersede
from secateur.text.dedupe_lines import fold
from secateur.text.excerpt import excerpt
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.completed_calls import CompletedCall, is_file_access, is_successful_command
from secateur.toolcalls.history import get_history
from secateur.toolcalls.task_terms import collect_relevant_names

MODEL, WINDOW = "claude-opus-4-5", 1_000_000
EXCERPT_CHARS = 3_000  # about what is left of a result at birth
LONG, SPARED = 1_000, 300  # tokens of results that are looked at, and that a fold must spare
SESSIONS = (
    "before-compaction.jsonl.gz", "large-session.jsonl.gz", "43-2b48f6b6e6-0.jsonl.gz", "0c-2a854b8908-0.jsonl.gz",
    "ad-ff0201aecb-0.jsonl.gz", "89-7eb280e769-12.jsonl.gz", "79-6eaddfe2f9-0.jsonl.gz", "0f-1be78a364c-1.json.gz",
)  # fmt: skip
BALANCE = load("balance")
SAME, STALE, CONDENSE, INPUTS = BALANCE.prune
UNWRITTEN = Supersede(modified_files=False)


def policy(*prune: Strategy, birth: Excerpt | ReduceOutput | None = None) -> Policy:
    """The preset with these items alone."""
    return replace(BALANCE, prune=prune, on_arrival=birth)


POLICIES = {
    "deduplicate": policy(SAME),
    "supersede, written off": policy(UNWRITTEN),
    "supersede": policy(STALE),
    "hard_clear": policy(HardClear()),
    "condense": policy(CONDENSE),
    "clear_inputs": policy(INPUTS),
    "on_arrival": policy(birth=BALANCE.on_arrival),
    "all but birth": policy(SAME, STALE, CONDENSE, INPUTS),
    "all but written": policy(SAME, UNWRITTEN, CONDENSE, INPUTS, birth=BALANCE.on_arrival),
    "balance": BALANCE,
}


def main() -> int:
    """Print the figures; 2 without sessions or prices."""
    corpus, price = find_corpus(), price_of(MODEL)
    if price is None:
        print(f"no price is known for {MODEL}")
        return 2
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=POLICIES, help="this policy alone, and no chances")
    parser.add_argument("sessions", nargs="*", metavar="SESSION", default=SESSIONS)
    given = parser.parse_args()
    read: list[Recording] = []
    for name in given.sessions:
        data = next(corpus.rglob(name)).read_bytes()
        read.append(read_recording(gzip.decompress(data), compactions=False))
        compare(name, read[-1], price, {given.only: POLICIES[given.only]} if given.only else POLICIES)
    if not given.only:
        chances(read)
    return 0


def compare(name: str, recording: Recording, price: Price, policies: dict[str, Policy]) -> None:
    """One session under each policy."""
    whole, recall = simulate(recording, None, price), recall_of(recording)
    sown, facts = planted(recording)
    print(f"{name}: {len(recording.requests)} requests, peak {max(recording.prompt_tokens):,} tokens")
    for said, made in policies.items():
        run = simulate(recording, made, price, window=WINDOW)
        score = recall.score(compare_views(pairs(recording, run.turns)))
        last = simulate(sown, made, price, window=WINDOW).turns[-1]
        print(f"  {said:22} {figures(run, whole, score, price)}, facts {visible(last, facts)}", flush=True)


def pairs(
    recording: Recording, turns: tuple[ReplayedTurn, ...]
) -> Iterator[tuple[tuple[Message, ...], tuple[Message, ...]]]:
    """Each request's history, and the view that was sent."""
    return ((recording.get_context(turn.request), turn.seen) for turn in turns)


def figures(run: Run, whole: Run, score: Score, price: Price) -> str:
    """A line of them."""
    prompts = [row.read + row.write + row.plain for row in run.rows]
    again = compute_refetch_cost(score.lost, prompts, r=price.base.r, w=price.base.w, o=price.base.o)
    output = price.base.o * whole.bill.output
    adjusted = (run.bill.units + again - output) / (whole.bill.units - output)
    return (
        f"saves {1 - run.bill.units / whole.bill.units:6.1%}, adjusted {adjusted:.3f}, "
        f"peak {max(prompts) / whole.bill.peak:.2f}, hard {score.hard:.3f}, soft {score.soft:.3f}, "
        f"IAR {score.complete_requests:.3f}, epochs {len(run.plan.epochs):2}"
    )


def visible(last: ReplayedTurn, facts: tuple[Fact, ...]) -> str:
    """How many facts a request shows, and how many it shows or has a place for where they could be read back."""
    there = {part.key for message in last.seen for part in message.parts}
    seen = shown(last, facts)
    return f"{len(seen)}/{sum(one in seen or one.key in there for one in facts)} of {len(facts)}"


def chances(read: list[Recording]) -> None:
    """How often what an excerpt leaves out was needed, by what made the result."""
    found: dict[tuple[str, str], list[bool]] = {}
    for recording in read:
        messages = recording.segments[-1].messages
        [stretch] = recall_of(recording).stretches
        refs, needed = stretch.references, dict[int, set[int]]()
        for one in refs.found:
            if one.hard and not one.spoken:
                needed.setdefault(refs.get_newest(one), set()).add(one.id)
        completed_calls = {completed.result.key: completed for completed in get_history(messages).completed_calls}
        for number, part in enumerate(refs.parts):
            completed = completed_calls.get(part.key)
            if completed is not None:
                for how, text in shorter(part, collect_relevant_names(messages, completed.number, part)):
                    left = needed.get(number, set()) - refs.names.number_identifiers(text)
                    found.setdefault((how, made_by(completed)), []).append(bool(left))
    for (how, kind), missed in sorted(found.items()):
        share = sum(missed) / len(missed)
        print(f"{how}, {kind}: of {len(missed)} results {sum(missed)} ({share:.0%}) lose what is needed later")


def shorter(part: Part, about: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A result cut, and without its repetitions, as far as that is worth looking at."""
    if part.tokens > LONG:
        yield "cut", excerpt(part.text, EXCERPT_CHARS, about=about)
    folded = fold(part.text, about=about)
    if part.tokens * (1 - len(folded) / max(1, len(part.text))) > SPARED:
        yield "folded", folded


def made_by(completed: CompletedCall) -> str:
    """What made a result."""
    if is_file_access(completed.call, completed.result):
        return "shows files"
    if is_successful_command(completed.call, completed.result):
        return "ran well"
    kind = detect_tool_kind(completed.call.tool, completed.call.text)
    return kind if kind == "search" else "looked, or failed" if kind == "run" else "other tools"


if __name__ == "__main__":
    raise SystemExit(main())
