"""What each way of saving tokens saves, and what it costs the agent, on long recorded sessions.

    SECATEUR_CORPUS=DIR python benchmarks/strategies.py [SESSION ...] [--first N]

For each session and policy: the share of the bill that is saved (output counted), the bill with everything that was
lost fetched again (input only, 1 is the unpruned bill), peak of the prompt, recall of hard and of soft references,
requests whose hard references are all there (IAR), epochs, and of 32 facts planted in the middle of results how many
the last request shows, and how many it shows or could read back from a store. Prices are those of claude-opus-4-5
(kappa 11.5), the window is a million tokens, so that nothing is forced. Then, for results of more than 1,000 tokens,
how often an excerpt at birth would have left out what was needed later: `strategies.excerpt.CHANCE` comes from there.
"""

import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from secateur.acts.history import ran_well
from secateur.acts.known import history_of
from secateur.excerpt import excerpt
from secateur.lineage import keyed
from secateur.model import Message, Part
from secateur.pricing.prices import Price, price_of
from secateur.simulate.recall import Score, held, recall_of, refetch
from secateur.simulate.replay import Turn
from secateur.simulate.requests import Recording, recorded
from secateur.simulate.run import Run, simulate

MODEL, WINDOW = "claude-opus-4-5", 1_000_000
FACTS, LEAST_LINES = 32, 20
EXCERPT_CHARS = 3_000  # about what is left of a result at birth
SESSIONS = (
    "before-compaction.jsonl.gz", "large-session.jsonl.gz", "43-2b48f6b6e6-0.jsonl.gz", "0c-2a854b8908-0.jsonl.gz",
    "ad-ff0201aecb-0.jsonl.gz", "89-7eb280e769-12.jsonl.gz", "79-6eaddfe2f9-0.jsonl.gz", "0f-1be78a364c-1.json.gz",
)  # fmt: skip
SAME, STALE = {"do": "deduplicate"}, {"do": "supersede", "written": False}
CONDENSE, INPUTS = {"do": "condense"}, {"do": "clear_inputs", "max_chars": 1_000, "head_chars": 200}
BIRTH = {"do": "excerpt", "by_price": True, "all_tools": False, "most_share": 0.125}
OLD: dict[str, Any] = {"results": 20, "rounds": 20, "worth_chars": 1_000}


def policy(*prune: dict[str, Any], birth: dict[str, Any] | None = None, **protect: Any) -> dict[str, Any]:
    """A policy of these strategies under the balance schedule."""
    kept = {"roles": ["skill", "memory", "plan"], **protect}
    more = {"birth": birth} if birth else {}
    when = {"when": "balance"} if prune else {"when": "never"}
    return {"name": "trial", "counter": "estimate", "protect": kept, "prune": list(prune), "schedule": when, **more}


POLICIES = {
    "deduplicate": policy(SAME),
    "supersede": policy(STALE),
    "supersede, written": policy({"do": "supersede"}),
    "condense": policy(CONDENSE, **OLD),
    "hard_clear": policy({"do": "hard_clear"}, **OLD),
    "clear_inputs": policy(INPUTS),
    "birth": policy(birth=BIRTH, results=20),
    "all, no birth": policy(SAME, STALE, CONDENSE, INPUTS, **OLD),
    "all": policy(SAME, STALE, CONDENSE, INPUTS, birth=BIRTH, **OLD),
}


def main() -> int:
    """Print the figures; 2 without sessions or prices."""
    corpus, price = os.environ.get("SECATEUR_CORPUS"), price_of(MODEL)
    if not corpus or price is None:
        print("set SECATEUR_CORPUS to a folder of recorded sessions")
        return 2
    read: list[Recording] = []
    for name in [one for one in sys.argv[1:] if not one.startswith("-")] or SESSIONS:
        data = next(Path(corpus).rglob(name)).read_bytes()
        read.append(recorded(gzip.decompress(data), compactions=False))
        compare(name, read[-1], price)
    chances(read)
    return 0


def compare(name: str, recording: Recording, price: Price) -> None:
    """One session under each policy."""
    whole, recall = simulate(recording, None, price), recall_of(recording)
    sown, facts = planted(recording)
    print(f"{name}: {len(recording.requests)} requests, peak {max(recording.prompt_tokens):,} tokens")
    for said, made in POLICIES.items():
        run = simulate(recording, made, price, window=WINDOW)
        score = recall.score(held(pairs(recording, run.turns)))
        last = simulate(sown, made, price, window=WINDOW).turns[-1]
        print(f"  {said:19} {figures(run, whole, score, price)}, facts {visible(sown, last, facts)}", flush=True)


def pairs(recording: Recording, turns: tuple[Turn, ...]) -> Iterator[tuple[tuple[Message, ...], tuple[Message, ...]]]:
    """Each request's history, and the view that was sent."""
    return ((recording.context(turn.request), turn.seen) for turn in turns)


def figures(run: Run, whole: Run, score: Score, price: Price) -> str:
    """A line of them."""
    prompts = [row.read + row.write + row.plain for row in run.rows]
    again = refetch(score.lost, prompts, r=price.base.r, w=price.base.w, o=price.base.o)
    output = price.base.o * whole.bill.output
    adjusted = (run.bill.units + again - output) / (whole.bill.units - output)
    return (
        f"saves {1 - run.bill.units / whole.bill.units:6.1%}, adjusted {adjusted:.3f}, "
        f"peak {max(prompts) / whole.bill.peak:.2f}, hard {score.hard:.3f}, soft {score.soft:.3f}, "
        f"IAR {score.intact:.3f}, epochs {len(run.plan.epochs):2}"
    )


def planted(recording: Recording) -> tuple[Recording, dict[str, str]]:
    """The session with a fact in the middle of results all over it; fact → part it stands in is told by its words."""
    [*earlier, segment] = recording.segments
    long = [
        (number, place)
        for number, message in enumerate(segment.messages)
        for place, part in enumerate(message.parts)
        if part.kind == "tool_result" and not part.pinned and part.text.count("\n") >= LEAST_LINES
    ]
    chosen = dict.fromkeys(long[index * len(long) // FACTS] for index in range(FACTS) if long)
    facts = {f"fact_{number:02}_of_{place[0]}": place for number, place in enumerate(chosen)}
    where = {place: fact for fact, place in facts.items()}
    messages = [
        replace(one, parts=tuple(_sown(part, where.get((number, place), "")) for place, part in enumerate(one.parts)))
        for number, one in enumerate(segment.messages)
    ]
    grown = replace(segment, messages=keyed(messages))
    found = {fact: grown.messages[number].parts[place].key for fact, (number, place) in facts.items()}
    return replace(recording, segments=(*earlier, grown)), found


def visible(recording: Recording, last: Turn, facts: dict[str, str]) -> str:
    """How many of the facts that a request held its view shows, and how many it shows or names a place for."""
    here = {part.key for message in recording.context(last.request) for part in message.parts}
    texts = {part.key: part.text for message in last.seen for part in message.parts}
    known = [(fact, key) for fact, key in facts.items() if key in here]
    shown = [fact for fact, key in known if any(fact in text for text in texts.values())]
    return f"{len(shown)}/{len([1 for _, key in known if texts.get(key)])} of {len(known)}"


def chances(read: list[Recording]) -> None:
    """How often what an excerpt leaves out was needed, by what made the result."""
    counts: dict[str, list[int]] = {}
    for recording in read:
        [stretch] = recall_of(recording).stretches
        refs, needed = stretch.references, dict[int, set[int]]()
        for one in refs.found:
            if one.hard and not one.spoken:
                needed.setdefault(refs.newest(one), set()).add(one.id)
        acts = {act.result.key: act for act in history_of(recording.segments[-1].messages).acts}
        for number, part in enumerate(refs.parts):
            act = acts.get(part.key)
            if part.tokens > 1_000 and act is not None:
                kind = "shows files" if act.shows else "ran well" if ran_well(act.call, act.result) else "other"
                left = needed.get(number, set()) - refs.names.of(excerpt(part.text, EXCERPT_CHARS))
                some = counts.setdefault(kind, [0, 0])
                some[0], some[1] = some[0] + 1, some[1] + bool(left)
    for kind, (whole, missed) in sorted(counts.items()):
        print(f"{kind}: of {whole} results over 1,000 tokens {missed} ({missed / whole:.0%}) lose what is needed later")


def _sown(part: Part, fact: str) -> Part:
    lines = part.text.split("\n")
    middle = len(lines) // 2
    text = "\n".join((*lines[:middle], f"    {fact} = 1", *lines[middle:])) if fact else part.text
    return replace(part, text=text, key="", local="")


if __name__ == "__main__":
    raise SystemExit(main())
