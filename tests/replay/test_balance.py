"""`balance` on recorded sessions, request by request: the prefix moves at epochs alone, and these are few.

`benchmarks/replay.py` does the same on every session and for every preset. SECATEUR_CORPUS names the folder that holds
the sessions.
"""

import gzip
import os
from collections.abc import Mapping
from functools import cache
from itertools import pairwise, zip_longest
from math import ceil
from pathlib import Path

import pytest
from msgspec.structs import replace

from secateur import Engine
from secateur.jsontext import Lines
from secateur.model import Message
from secateur.policy import Policy, load
from secateur.pricing import get_rules, make_unit_price
from secateur.protect import Protection
from secateur.schedule import BreakEven, EveryRequest
from secateur.simulate.cache import Caching
from secateur.simulate.recall import compare_views, recall_of
from secateur.simulate.replay import ReplayedTurn, iterate_moments, replay_policy
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import Run, simulate
from secateur.simulate.several import read_recordings

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
LARGE = "large-session.jsonl.gz"
# By size, from the largest: long sessions, and such as the host never compacted.
SOME = {
    "claude_code_jsonl": (1,),
    "codex_rollout_jsonl": (2,),
    "mini_swe_agent_traj_json": (1,),
    "opencode_export_json": (0,),
}
LOGS = {"pi_session_jsonl": (2, 3)}
# As balance, but with edits on arrival in each of these sessions.
EXCERPTS = {"type": "excerpt", "by_price": True, "all_tools": False, "dedupe_lines": True}
EAGER = {"extends": "balance", "on_arrival": EXCERPTS}

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def some(wanted: Mapping[str, tuple[int, ...]]) -> list[Path]:
    """Files of folders by their place among the largest."""
    found = []
    for folder, places in wanted.items() if CORPUS else ():
        files = [file for file in (Path(CORPUS) / folder).rglob("*.*") if file.is_file()]
        files.sort(key=lambda file: (-file.stat().st_size, file.name))
        found += [files[place] for place in places]
    return found


def extends(shorter: tuple[Message, ...], longer: tuple[Message, ...]) -> bool:
    """Whether a view continues from another, message by message and text by text."""
    texts = ((one, [part.text for part in one.parts]) for one in longer)
    return len(shorter) <= len(longer) and all(
        one is other or [part.text for part in one.parts] == said
        for one, (other, said) in zip(shorter, texts, strict=False)
    )


def freed(turns: tuple[ReplayedTurn, ...], recording: Recording) -> int:
    """Tokens that went in all epochs."""
    last = {one.request.segment: one for one in turns}
    kept = {part.key: part.tokens for turn in last.values() for said in turn.seen for part in said.parts}
    held = [part for turn in last.values() for said in recording.get_context(turn.request) for part in said.parts]
    return sum(part.tokens - kept.get(part.key, 0) for part in held)


@pytest.mark.parametrize("file", some(SOME), ids=lambda file: f"{file.parent.parent.name}/{file.name}")
def test_views_move_at_epochs_alone_and_epochs_are_few(file: Path) -> None:
    policy = load("balance")
    assert isinstance(policy.schedule, BreakEven)
    recording = read_recording(read(file))
    turns = tuple(replay_policy(recording, policy, window=1_000_000))
    assert len(turns) >= 30
    for one, other in pairwise(turns):
        if one.request.segment == other.request.segment and not other.opened:
            assert extends(one.seen, other.seen), other.request.number
    assert sum(turn.opened for turn in turns) <= ceil(freed(turns, recording) / policy.schedule.min_tokens_freed)


@pytest.mark.parametrize("file", some(LOGS), ids=lambda file: f"{file.parent.parent.name}/{file.name}")
def test_the_engine_leaves_every_line_between_epochs_as_it_was(file: Path) -> None:
    """The log as it stood at each request, given to the engine as bytes."""
    recording = read_recording(read(file))
    whole = recording.document.native
    assert isinstance(whole, Lines)
    engine, before, epochs = Engine(EAGER, window=1_000_000, compact=False), list[bytes](), 0
    for request, at, idle_s in iterate_moments(recording):
        line = whole.child(max(max(said.lines, default=0) for said in recording.get_context(request)))
        assert line is not None
        view = engine.fit(whole.data[: line.end] + b"\n", session="s", now_ms=at, idle_s=idle_s)
        lines = view.request.splitlines()
        epochs += view.receipt.opened
        if not view.receipt.opened:
            assert all(one == other for one, other in zip_longest(before, lines[: len(before)])), request.number
        before = lines
    assert epochs


def claude(recording: Recording, policy: str | None) -> Run:
    """Priced as a Claude of that time, whoever answered."""
    rules = get_rules("claude-opus-4-5")
    assert rules is not None
    return simulate(recording, policy, make_unit_price(1.25, 0.1), caching=Caching(rules=rules), window=200_000)


def test_openclaw_writes_less_after_a_pause_and_what_follows_reads_that() -> None:
    """Four pauses longer than the cache lives; the view is trimmed at those at which it fills the window enough."""
    recording = read_recording(read(next(Path(CORPUS).rglob(LARGE))), compactions=False)
    plain, pruned = claude(recording, None), claude(recording, "openclaw")
    colds = [row.number for row in plain.rows if row.cold]
    opened = [row.number for row in pruned.rows if row.opened]
    assert len(colds) == 4
    assert opened
    assert set(opened) <= set(colds), "openclaw edits after a pause alone"
    assert pruned.bill.cache_breaks == plain.bill.cache_breaks == 0
    for number in opened:
        first, follow = pruned.rows[number], pruned.rows[number + 1]
        assert first.read == 0
        assert first.write < plain.rows[number].write
        assert follow.read == first.write
    assert pruned.bill.units < plain.bill.units


@cache
def short() -> tuple[Recording, ...]:
    """Two hundred talks with customers, eleven requests each in the middle."""
    data = read(next(Path(CORPUS).rglob("gpt-4o-airline.json.gz")))
    return tuple(one for one in read_recordings(data) if one.requests)


def bills(policy: Policy, kappa: float) -> tuple[list[float], int, list[float]]:
    """Of each short session the bill over the unpruned one; how many were edited; what recall these have."""
    rules = get_rules("claude-sonnet-5")
    assert rules is not None
    caching, price = Caching(rules=rules), make_unit_price(1.25, 1.25 / (1 + kappa))
    shares, edited, recall = list[float](), 0, list[float]()
    for one in short():
        plain, run = (simulate(one, each, price, caching=caching, window=200_000) for each in (None, policy))
        shares.append(run.bill.units / plain.bill.units)
        if run.bill.epochs:
            edited += 1
            seen = compare_views((one.get_context(turn.request), turn.seen) for turn in run.turns)
            recall.append(recall_of(one).score(seen).hard)
    return shares, edited, recall


@pytest.mark.parametrize("kappa", [11.5, 24.0, 49.0])
def test_short_sessions_are_left_alone(kappa: float) -> None:
    shares, edited, _ = bills(load("balance"), kappa)
    assert len(shares) == 200
    assert edited == 0
    assert set(shares) == {1.0}


@pytest.mark.parametrize("kappa", [11.5, 49.0])
def test_it_is_the_formula_that_leaves_them_alone(kappa: float) -> None:
    """With nothing protected but the newest result, under the schedule and without one."""
    policy = load("balance")
    bare = replace(policy, protect=Protection(last_results=1), compaction=None)
    shares, edited, recall = bills(bare, kappa)
    blind, often, lost = bills(replace(bare, schedule=EveryRequest()), kappa)
    assert max(shares) <= 1.01  # an edit may come just before the end: `max_overspend` bounds what it costs then
    assert edited < often / 2
    assert max(blind) > 1.05
    assert sum(recall) / len(recall) > sum(lost) / len(lost)
    assert edited < 10 if kappa > 40 else sum(shares) < 0.995 * len(shares)
