"""Recorded usage of long sessions, found again by the cache model; and every session goes through the simulator.

SECATEUR_CORPUS names the folder that holds the sessions.
"""

import gzip
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import recorded
from secateur.pricing import get_rules, make_unit_price
from secateur.simulate.cache import Caching
from secateur.simulate.cache_validation import UNEXPLAINED, compare_requests
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import simulate

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
FOLDERS = (
    "pi_session_jsonl",
    "claude_code_jsonl",
    "codex_rollout_jsonl",
    "opencode_export_json",
    "mini_swe_agent_traj_json",
    "swe_agent_traj_json",
    "gemini_cli_session_json",
    "copilot_cli_events_jsonl",
)
PRICE = make_unit_price(1.25, 0.1)

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def caching(recording: Recording) -> Caching:
    rules = get_rules(recording.model) or get_rules("claude-opus-5")
    assert rules is not None
    return Caching(rules=rules)


def some() -> list[Path]:
    """Of each folder the three largest files, or the five largest."""
    found = []
    for folder in FOLDERS if CORPUS else ():
        files = [file for file in (Path(CORPUS) / folder).rglob("*.json*") if file.is_file()]
        found += sorted(files, key=lambda file: (-file.stat().st_size, file.name))[: 5 if recorded.WHOLE else 3]
    return found


@pytest.mark.parametrize(
    ("name", "least", "requests"), [("before-compaction", 0.96, 471), ("large-session", 0.90, 439)]
)
def test_the_cache_model_finds_the_recorded_reads_and_writes(name: str, least: float, requests: int) -> None:
    file = Path(CORPUS) / "pi_session_jsonl" / "badlogic__pi-mono" / f"{name}.jsonl.gz"
    recording = read_recording(read(file))
    found = compare_requests(recording, caching(recording))
    assert len(found) == requests
    assert sum(one.agrees for one in found) >= least * requests
    causes = Counter(one.cause for one in found if not one.agrees)
    assert not causes[UNEXPLAINED], causes


def test_idle_times_compactions_and_minimum_lengths_are_among_what_it_finds() -> None:
    file = Path(CORPUS) / "pi_session_jsonl" / "badlogic__pi-mono" / "before-compaction.jsonl.gz"
    recording = read_recording(read(file))
    found = compare_requests(recording, caching(recording))
    assert len(recording.segments) == 3
    assert found[0].agrees
    assert found[0].recorded.write == 0
    assert any(one.agrees and one.model.cold and one.idle_s > 300 for one in found)
    firsts = [b for a, b in pairwise(found) if a.request.segment != b.request.segment]
    assert [one.agrees for one in firsts] == [True, True]


@pytest.mark.parametrize("file", some(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_session_goes_through(file: Path) -> None:
    """Prompts add up, times never go back, `observe` changes nothing, and pruning only where an epoch was opened."""
    recording = read_recording(read(file))
    rules = caching(recording)
    plain, seen = (simulate(recording, policy, PRICE, caching=rules) for policy in (None, "observe"))
    assert tuple(row.prompt for row in plain.rows) == tuple(row.prompt for row in seen.rows)
    assert plain.bill.units == seen.bill.units
    assert all(a.at <= b.at for a, b in pairwise(plain.rows))
    if not rules.rules.strips_reasoning:
        assert tuple(row.prompt for row in plain.rows) == recording.prompt_tokens
    pruned = simulate(recording, "opencode", PRICE, caching=rules)
    for one, other in zip(plain.rows, pruned.rows, strict=True):
        assert other.prompt <= one.prompt
        assert other.lost <= one.lost or other.opened
