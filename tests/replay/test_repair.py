"""Recorded sessions broken on purpose: cut, robbed of lines, ids doubled; mended, and loaded by the second readers.

The sessions are not part of the project; SECATEUR_CORPUS names the folder that holds them, with its MANIFEST.json.
"""

import json
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import recorded
from loaders import claude_code_loader, codex_loader, opencode_loader, pi_loader
from loaders.shown import Shown
from secateur.api.repair import RepairResult, repair

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
HOSTS: dict[str, tuple[str, Any]] = {
    "pi_session_jsonl": ("pi", pi_loader.load),
    "claude_code_jsonl": ("claude_code", claude_code_loader.load),
    "codex_rollout_jsonl": ("codex", codex_loader.load),
}
LARGEST = 2_000_000  # bytes of a file that is broken: the others say the same, later

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def entries() -> list[dict[str, Any]]:
    """The recorded sessions that are not too large."""
    found = json.loads((Path(CORPUS) / "MANIFEST.json").read_text()) if CORPUS else []
    return [entry for entry in found if entry["raw_bytes"] < LARGEST]


def listed() -> list[tuple[str, str]]:
    """Some sessions of each host that writes lines."""
    sizes = {(entry["format"], entry["path"]): entry["raw_bytes"] for entry in entries() if entry["format"] in HOSTS}
    return recorded.sample(sizes, lambda one: one[0], each=3)


def exported() -> list[str]:
    """Some sessions of opencode."""
    sizes = {entry["path"]: entry["raw_bytes"] for entry in entries() if entry["format"] == "opencode_export_json"}
    return recorded.sample(sizes, lambda path: "")


def cut(data: bytes, chance: random.Random) -> bytes:
    """The file as a crash leaves it."""
    return data[: chance.randrange(len(data) // 2, len(data))]


def robbed(data: bytes, chance: random.Random) -> bytes:
    """Without some of the lines that hold results."""
    lines = data.splitlines(keepends=True)
    results = [at for at, line in enumerate(lines) if re.search(rb'"tool_result"|"toolResult"|_call_output"', line)]
    gone = set(chance.sample(results, min(3, len(results))))
    return b"".join(line for at, line in enumerate(lines) if at not in gone)


def uncalled(data: bytes, chance: random.Random) -> bytes:
    """Without some of the lines that hold calls."""
    lines = data.splitlines(keepends=True)
    calls = [at for at, line in enumerate(lines) if re.search(rb'"tool_use"|"toolCall"|"function_call"', line)]
    gone = set(chance.sample(calls, min(3, len(calls))))
    return b"".join(line for at, line in enumerate(lines) if at not in gone)


def doubled(data: bytes, chance: random.Random) -> bytes:
    """With the id of one call on another."""
    ids = sorted(set(re.findall(rb'"(?:toolu_|call_)[A-Za-z0-9]{12,}"', data)))
    one, other = chance.sample(ids, 2) if len(ids) > 1 else (b"\0", b"\0")
    return data.replace(other, one)


WAYS = {"cut": cut, "robbed": robbed, "uncalled": uncalled, "doubled": doubled}


def unpaired(shown: list[Shown]) -> Counter[str]:
    """Calls and results of a loaded session that have no other half."""
    calls = Counter(one.call for one in shown if one.kind == "tool_call")
    results = Counter(one.call for one in shown if one.kind == "tool_result")
    return (calls - results) + (results - calls)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "path"), listed())
def test_a_broken_session_loads_again(kind: str, path: str, way: str) -> None:
    name, load = HOSTS[kind]
    broken = WAYS[way](recorded.data(path), random.Random(path))
    done = repair(broken, name)
    shown = load(done.document)
    if name != "pi":  # Pi sends no answers that broke off: their calls wait for nothing
        assert not unpaired(shown)
    again = repair(done.document, name)
    assert again.document == done.document
    assert again.repairs == ()
    lines = set(done.document.splitlines())
    kept = sum(line in lines for line in broken.splitlines())
    assert len(broken.splitlines()) - kept <= 2 * len(done.repairs)  # a new id is on two lines


def interrupted(session: dict[str, Any], chance: random.Random) -> set[str]:
    """Calls of an opencode session robbed of their end, as a crash leaves them; one more bears another's id."""
    parts = [part for message in session["messages"] for part in message["parts"]]
    calls = [part for part in parts if part["type"] == "tool"]
    running, waiting, other = (chance.sample(calls, 3) * 3)[:3] if len(calls) > 2 else (calls * 3)[:3]
    running["state"] = {"status": "running", "input": running["state"]["input"], "time": {"start": 1}}
    waiting["state"] = {"status": "pending", "input": {}, "raw": ""}
    other["callID"] = running["callID"]
    chance.choice(parts)["id"] = parts[0]["id"]
    return {running["id"], waiting["id"]}


@pytest.mark.parametrize("path", exported())
def test_an_interrupted_opencode_session_loads_again(path: str) -> None:
    session = json.loads(recorded.data(path))
    robbed_of = interrupted(session, random.Random(path))
    broken = json.dumps(session, indent=2, ensure_ascii=False).encode()
    done = repair(broken, "opencode")
    shown = opencode_loader.load(done.document)
    assert not unpaired(shown)
    calls = Counter(one.call for one in shown if one.kind == "tool_call")
    assert set(calls.values()) == {1}
    assert len(robbed_of) <= sum(one.text == "[no result: the call was interrupted]" for one in shown)
    assert repair(done.document, "opencode") == RepairResult(done.document)
    kept = Counter(done.document.splitlines())
    assert sum((Counter(broken.splitlines()) - kept).values()) <= 4 * len(done.repairs)


@pytest.mark.parametrize("path", exported())
def test_a_sound_opencode_session_comes_out_as_it_went_in(path: str) -> None:
    data = recorded.data(path)
    assert repair(data) == RepairResult(data)
