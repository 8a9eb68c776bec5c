"""Recorded sessions at growing lengths, turn by turn under one plan: the prefix moves only where an epoch says so.

The policies are the presets, and one that acts early, so that short sessions see epochs too. SECATEUR_CORPUS names the
folder that holds the sessions.
"""

import gzip
import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import carried
import recorded
from secateur import Engine, View, fit
from secateur.model import Transcript
from secateur.policy import list_preset_names

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
EARLY: dict[str, Any] = {
    "name": "early",
    "protect": {"last_messages": 6},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "threshold", "over_prunable_tokens": 500},
}
POLICIES = [*list_preset_names(), EARLY]
KINDS = ("claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl")
EACH = 8  # turns: one in so many is made again by a cold process, beside those at epochs

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def captured() -> list[list[bytes]]:
    """Bodies of consecutive requests as Claude Code sent them, one list a conversation."""
    files = sorted(Path(CORPUS).glob("anthropic_messages_requests_jsonl/*/*.gz")) if CORPUS else []
    found: list[list[bytes]] = []
    for file in files:
        for line in read(file).splitlines():
            body = json.loads(line)["request"]["body"]
            if len(body["messages"]) == 1:
                found.append([])
            found[-1].append(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())
    return found


def completions() -> list[list[bytes]]:
    """All calls of a run, as chat bodies."""
    runs = sorted(Path(CORPUS).glob("checkpoint_series/openai_chat_litellm_completion_json/*")) if CORPUS else []
    found = []
    for run in runs:
        logs = [json.loads(read(file)) for file in sorted(run.iterdir())]
        found.append([json.dumps({"model": "gpt-4o", "messages": log["messages"]}).encode() for log in logs])
    return found


def grown() -> list[list[bytes]]:
    """One recorded conversation, cut behind each round, as chat bodies."""
    files = sorted(Path(CORPUS).glob("mini_swe_agent_traj_json/*/*.gz"), key=lambda file: -file.stat().st_size)
    found = []
    for file in files[: 2 if recorded.WHOLE else 1]:
        value = json.loads(read(file))
        messages = value["messages"] if isinstance(value, dict) else value
        kept = [{name: one for name, one in message.items() if name != "extra"} for message in messages]
        ends = [n for n, message in enumerate(kept, 1) if message["role"] not in ("assistant", "exit")]
        found.append([json.dumps({"model": "gpt-4o", "messages": kept[:end]}).encode() for end in ends])
    return found


def elements(body: bytes) -> list[str]:
    return [json.dumps(_unmarked(message)) for message in json.loads(body)["messages"]]


def _unmarked(value: Any) -> Any:
    """Cache markers move from turn to turn, and a lone text may be written either way."""
    if isinstance(value, dict):
        return {name: _unmarked(one) for name, one in value.items() if name != "cache_control"}
    return [_unmarked(one) for one in value] if isinstance(value, list) else value


def told(policy: Any) -> str:
    return policy if isinstance(policy, str) else policy["name"]


@pytest.mark.parametrize("policy", POLICIES, ids=told)
@pytest.mark.parametrize("series", [*captured(), *completions(), *grown()] or [[]], ids=lambda one: f"{len(one)}turns")
def test_the_prefix_moves_only_where_an_epoch_is_recorded(series: list[bytes], policy: Any) -> None:
    engine = Engine(policy)
    views = [engine.fit(body, session="s", now_ms=turn, idle_s=1_000) for turn, body in enumerate(series)]
    came, shown = [elements(body) for body in series], [elements(view.request) for view in views]
    for turn, (one, other) in enumerate(pairwise(views)):
        if _extends(came[turn], came[turn + 1]) and not other.receipt.opened:
            assert _extends(shown[turn], shown[turn + 1])
        assert other.receipt.opened == (other.plan != one.plan)
    _same_when_cold(series, views, policy)


def _extends(shorter: list[str], longer: list[str]) -> bool:
    return longer[: len(shorter)] == shorter


def _same_when_cold(series: list[bytes], views: list[View], policy: Any) -> None:
    """Views again, by a process that has only the plan: the last before and the first after each epoch, and others."""
    opens = [*(view.receipt.opened for view in views), True]
    for turn, (body, view) in enumerate(zip(series, views, strict=True)):
        if recorded.WHOLE or turn % EACH == 0 or opens[turn] or opens[turn + 1]:
            assert fit(body, policy="observe", plan=view.plan).request == view.request
    assert views[-1].receipt.policy == told(policy)


def snapshots(kind: str) -> Iterator[list[Path]]:
    for run in sorted(Path(CORPUS).glob(f"checkpoint_series/{kind}/*")) if CORPUS else []:
        yield sorted(run.iterdir())


@pytest.mark.parametrize("policy", POLICIES, ids=told)
@pytest.mark.parametrize("kind", KINDS)
def test_snapshots_of_one_log_share_their_plan(kind: str, policy: Any) -> None:
    """What was edited in a snapshot reads the same in one that goes on from it, unless an epoch or the host changed it.

    Some series go back: then what is edited behind the place where two snapshots part is each one's own.
    """
    for files in snapshots(kind):
        series = [read(file) for file in files]
        _shared(series, policy)
        if sorted(series, key=len) != series:
            _shared(sorted(series, key=len), policy)


def _shared(series: list[bytes], policy: Any) -> None:
    plan, seen = None, list[tuple[list[str], dict[str, str]]]()
    for turn, data in enumerate(series):
        view = fit(data, policy=policy, plan=plan, now_ms=turn, idle_s=1_000)
        keys, came, now = (
            [one.key for one in view.raw_transcript.messages],
            texts(view.raw_transcript),
            texts(view.transcript),
        )
        if not view.receipt.opened:
            behind = [(len(sent), number) for number, (sent, _) in enumerate(seen) if keys[: len(sent)] == sent]
            shown = came | (seen[max(behind)[1]][1] if behind else {})
            assert all(text == shown[key] for key, text in now.items())
        plan, seen = view.plan, [*seen, (keys, now)]


def texts(read: Transcript) -> dict[str, str]:
    return {part.key: part.text for message in read.messages for part in message.parts}


def sampled() -> list[str]:
    """Some sessions of each kind, the largest among them."""
    files = [file for kind in KINDS for file in sorted(Path(CORPUS).glob(f"{kind}/*/*.gz"))] if CORPUS else []
    sizes = {file.relative_to(CORPUS).as_posix(): file.stat().st_size for file in files}
    return recorded.sample(sizes, lambda path: path.partition("/")[0], each=4)


@pytest.mark.parametrize("path", sampled())
def test_every_session_goes_through(path: str) -> None:
    """No traceback, pairs intact, pinned parts not rewritten, and totals equal to what the written file shows."""
    data = recorded.data(path)
    read_back = {data: fit(data, policy="observe", now_ms=1)}  # policies may come to the same view
    for policy in POLICIES:
        view = carried.fit(data, policy=policy, window=60_000, now_ms=1, idle_s=1_000, compact=False)
        again = read_back.get(view.request) or fit(view.request, policy="observe", now_ms=1)
        read_back[view.request] = again
        assert again.receipt.tokens_raw == view.receipt.tokens_view, told(policy)
        assert pairs(again.raw_transcript) == pairs(view.raw_transcript), told(policy)
        check_pinned(view)


def check_pinned(view: View[bytes]) -> None:
    """Pinned parts are the same objects. A strategy for reasoning may remove some, but none of the running turn."""
    kept = {part.key: part for one in view.transcript.messages for part in one.parts}
    dropped = {edit.key for edit in view.receipt.edits if (edit.verb, edit.strategy) == ("remove", "drop_reasoning")}
    came = view.raw_transcript.messages
    asked = [
        number
        for number, one in enumerate(came)
        if one.role == "user" and all(part.kind != "tool_result" for part in one.parts)
    ]
    for number, message in enumerate(came):
        for part in message.parts:
            if part.pinned and part.key in dropped:
                assert (part.kind, part.key in kept, number < asked[-1]) == ("reasoning", False, True)
            elif part.pinned:
                assert kept[part.key] is part


def pairs(read: Transcript) -> list[tuple[str, str]]:
    """Calls and results, in order, each with its id."""
    return [(part.kind, part.call_id) for message in read.messages for part in message.parts if part.call_id]
