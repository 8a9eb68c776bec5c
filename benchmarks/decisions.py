"""What a decision of the balance policy takes, over `json.loads` of the history.

    SECATEUR_CORPUS=DIR python benchmarks/decisions.py

The history is a recorded session of about 1,000 messages and 500,000 tokens, decided request by request, by quarters
(bar: 1 on average in each), and its last request alone, read by a process that knows nothing but the plan, or nothing
at all, so that all edits are made at once. Then the Python functions that one more turn of a made session calls, engine
and all, whose large results went before (bar: no more after four times as many rounds).
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from bound import WINDOW, read
from corpus import find_corpus
from engine import body, counted, growing
from msgspec.structs import replace

from secateur import Engine
from secateur.pipeline import apply_prune
from secateur.plan import Plan
from secateur.policy import load
from secateur.pricing.tariffs import CachePricing
from secateur.simulate.replay import ReplayedSession, iterate_moments
from secateur.simulate.requests import Recording, read_recording

SESSION = "before-compaction.jsonl.gz"
TARIFF = CachePricing(cache_read=0.05, cache_write=1.25)  # kappa 24
POLICY = replace(load("balance"), compaction=None)
LARGE, SMALL = 40, 500  # rounds of the made session
MORE = 1.05  # times the steps of the shorter one


def decisions(corpus: Path) -> bool:
    """Print the figures; whether the bars are met."""
    recording = read_recording(read(next(corpus.rglob(SESSION))), compactions=False)
    texts = [[part.text for part in one.parts] for one in recording.segments[0].messages]
    as_json = json.dumps(texts)
    unit = min(took(partial(json.loads, as_json)) for _ in range(9))
    work = ReplayedSession(POLICY, recording.tally, TARIFF)
    spent = list(in_order(recording, work))
    parts = [spent[n : n + len(spent) // 4] for n in range(0, len(spent), len(spent) // 4)][:4]
    means = [mean([seconds for seconds, _ in part]) / unit for part in parts]
    medians = [median([seconds for seconds, opened in part if not opened]) / unit for part in parts]
    print(f"a request, over json.loads of all {len(texts)} messages ({unit * 1e3:.1f} ms), by quarters of the session:")
    print(f"  on average {told(means)}, the median between epochs {told(medians)}", end="; ")
    print(f"at most {max(spent)[0] / unit:.1f}")
    again, anew = alone(recording, work.projection.plan), alone(recording, Plan())
    print(f"  the last one alone: {again / unit:.1f} with the plan, {anew / unit:.1f} with all edits to be made")
    short, long = steps(SMALL), steps(4 * SMALL)
    print(f"  Python functions that a turn calls after {SMALL} rounds {short:,}, after {4 * SMALL:,} {long:,}")
    return max(means) <= 1 and long <= MORE * short


def in_order(recording: Recording, work: ReplayedSession) -> Iterator[tuple[float, bool]]:
    """For each request its seconds, and whether it opened an epoch."""
    for request, at, idle_s in iterate_moments(recording):
        segment, epochs = recording.segments[request.segment], len(work.projection.plan.epochs)
        start = time.process_time()
        work.advance(request, recording.document, segment)
        apply_prune(work.build_context(WINDOW, segment, at, idle_s), work.projection)
        yield time.process_time() - start, len(work.projection.plan.epochs) > epochs


def alone(recording: Recording, plan: Plan) -> float:
    """Seconds that deciding the last request takes, nothing being remembered."""
    *_, (request, at, _) = iterate_moments(recording)
    segment, spent = recording.segments[request.segment], []
    for _ in range(3):
        work = ReplayedSession(POLICY, recording.tally, TARIFF)
        work.advance(request, recording.document, segment)
        for epoch in plan.epochs:
            work.projection.apply_epoch(epoch)
        context = work.build_context(WINDOW, segment, at + 10_000, 10.0)
        forget()
        spent.append(took(partial(apply_prune, context, work.projection)))
    return min(spent)


def forget() -> None:
    """Everything that this process remembers of texts and histories."""
    for module in [module for name, module in sys.modules.items() if name.startswith("secateur")]:
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def steps(rounds: int) -> int:
    """Python functions that one more turn calls after so many rounds of small results."""
    engine = Engine("balance", "claude-sonnet-5", window=WINDOW, too_long="send")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "make it work"}]
    for number in range(LARGE + rounds):
        if number == LARGE:
            engine.fit(body(messages, False), session="s", idle_s=4_000.0, now_ms=1)
        name, said = ("read", "import one\nx = 1\n" * 200) if number < LARGE else ("grep", "no match")
        call = {"type": "tool_use", "id": f"c{number}", "name": name, "input": {"path": f"{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{said} {number}"}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    data = body(messages, False)
    engine.fit(data, session="s", idle_s=4_000.0, now_ms=2)
    *_, before, last = growing(data, 3)
    engine.fit(before, session="s", idle_s=10.0, now_ms=3)
    return counted(partial(engine.fit, last, session="s", idle_s=10.0, now_ms=4))


def told(shares: list[float]) -> str:
    return " ".join(f"{share:.2f}" for share in shares)


def took(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Print the figures; 1 if a bar is missed, 2 without sessions."""
    return int(not decisions(find_corpus()))


if __name__ == "__main__":
    raise SystemExit(main())
