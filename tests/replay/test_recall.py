"""Recorded sessions refer to what they are known to refer to, and the lossless optimum loses none of it.

The bands are those of an independent count with a simpler tokenizer, widened to both sides. SECATEUR_CORPUS names the
folder that holds the sessions.
"""

import gzip
import os
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from secateur.pricing import get_rules, make_unit_price
from secateur.simulate.cache import Caching
from secateur.simulate.foresight import Terms, find_best_schedule, list_unreferenced
from secateur.simulate.recall import Recall, ViewState, compare_views, recall_of
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.several import read_recordings

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
PI = ("before-compaction.jsonl.gz", "large-session.jsonl.gz")

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


@cache
def read(name: str) -> tuple[Recording, Recall]:
    found = next(Path(CORPUS).rglob(name))
    recording = read_recording(gzip.decompress(found.read_bytes()), compactions=False)
    return recording, recall_of(recording)


def newest(recording: Recording, keep: int) -> list[ViewState]:
    """Views that hold only the newest results."""
    views = []
    for one in recording.requests:
        keys = [part.key for said in recording.get_context(one) for part in said.parts if part.kind == "tool_result"]
        views.append(ViewState(dict.fromkeys(keys[:-keep], "")))
    return views


@pytest.mark.parametrize(
    ("name", "hard", "lines", "far"),
    [(PI[0], (1_800, 3_000), (1_200, 1_500), (0.02, 0.06)), (PI[1], (650, 1_200), (400, 560), (0.18, 0.28))],
)
def test_sessions_refer_to_what_they_are_known_to(
    name: str, hard: tuple[int, int], lines: tuple[int, int], far: tuple[float, float]
) -> None:
    refs = read(name)[1].stretches[0].references
    found = [one for one in refs.found if one.hard and not one.spoken]
    assert hard[0] < len(found) < hard[1]
    assert lines[0] < sum(refs.names.met[one.id].kind == "line" for one in found) < lines[1]
    assert far[0] < sum(refs.compute_distance(one) > 10 for one in found) / len(found) < far[1]


@pytest.mark.parametrize(("name", "keep", "hard"), [(PI[0], 3, 0.659), (PI[0], 10, 0.954), (PI[1], 10, 0.758)])
def test_rolling_windows_lose_what_they_are_known_to_lose(name: str, keep: int, hard: float) -> None:
    recording, recall = read(name)
    assert recall.score(newest(recording, keep)).hard == pytest.approx(hard, abs=0.035)


@pytest.mark.parametrize("name", PI)
def test_the_lossless_optimum_loses_nothing(name: str) -> None:
    recording, recall = read(name)
    rules = get_rules("claude-sonnet-4-5")
    assert rules
    found = find_best_schedule(
        recording, list_unreferenced(recording, recall), Terms(make_unit_price(1.25, 0.1), Caching(rules=rules))
    )
    score = recall.score(compare_views((recording.get_context(one.request), one.seen) for one in found.run.turns))
    assert (score.hard, score.complete_requests, score.lost) == (1, 1, ())
    assert found.least <= found.units <= found.run.bill.units


def test_records_of_customers_are_used_all_session_long() -> None:
    data = gzip.decompress(next(Path(CORPUS).rglob("gpt-4o-airline.json.gz")).read_bytes())
    shares = []
    for recording in islice(read_recordings(data), 40):
        score = recall_of(recording).score(newest(recording, 1))
        shares += [score.hard] * (score.references > 0)
    assert len(shares) > 15
    assert sum(shares) / len(shares) < 0.6, "one result is not enough here"
