"""What recall costs to measure, and what recorded sessions refer to.

    SECATEUR_CORPUS=DIR python benchmarks/recall.py

Identifiers: seconds for all texts of a session over those that `json.loads` takes for the same texts as JSON; the bar
is 150. Then for each session its hard references, how far back they reach, and recall when only the newest results are
kept (`held` newest 3, 10, 40), with the seconds that one policy takes to score; the bar is 2.
"""

import gzip
import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from corpus import find_corpus

from secateur.identifiers import find_identifiers
from secateur.simulate.recall import Score, ViewState, recall_of
from secateur.simulate.requests import Recording, read_recording

SESSIONS = ("before-compaction.jsonl.gz", "large-session.jsonl.gz")
RATIO, SECONDS = 150.0, 2.0


def main() -> int:
    """Print the figures; 1 if a bar is missed, 2 without sessions."""
    corpus = find_corpus()
    missed = False
    for name in SESSIONS:
        found = next(corpus.rglob(name))
        recording = read_recording(gzip.decompress(found.read_bytes()), compactions=False)
        missed |= read(name, recording) > RATIO or figures(recording) > SECONDS
    return int(missed)


def read(name: str, recording: Recording) -> float:
    """How long all identifiers take, in units of json.loads."""
    texts = [part.text for one in recording.segments[0].messages for part in one.parts]
    as_json = json.dumps(texts)
    spent, unit = took(lambda: list(map(find_identifiers, texts))), took(lambda: json.loads(as_json))
    print(
        f"{name}: {sum(map(len, texts)) / spent / 1e6:.1f} million characters a second, {spent / unit:.0f} x json.loads"
    )
    return spent / unit


def figures(recording: Recording) -> float:
    """What it refers to, and rolling windows over its results; the seconds that one takes to score."""
    recall = recall_of(recording)
    spent = 0.0
    for keep in (3, 10, 40):
        views = [rolled(recording, number, keep) for number in range(len(recording.requests))]
        score = recall.score(views)
        spent = max(spent, took(lambda views=views: recall.score(views)))
        print(f"  newest {keep:2}: {line(score)}")
    print(f"  {score.references} hard references in {score.requests} requests; scored in {spent:.3f} s")
    return spent


def rolled(recording: Recording, number: int, keep: int) -> ViewState:
    """The view of a request that held only the newest results."""
    held = recording.get_context(recording.requests[number])
    results = [part.key for message in held for part in message.parts if part.kind == "tool_result"]
    return ViewState(dict.fromkeys(results[:-keep], ""))


def line(score: Score) -> str:
    """The figures that matter most."""
    strata = " ".join(f"{one.nearest}+:{one.recall:.2f}({one.references})" for one in score.strata)
    return f"hard {score.hard:.3f}, intact {score.complete_requests:.3f}, by results back {strata}"


def took(work: Callable[[], Any]) -> float:
    """Seconds, the median of five."""
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


if __name__ == "__main__":
    raise SystemExit(main())
