"""Recorded sessions broken on purpose: cut, robbed of lines, ids doubled; mended, and loaded by the second readers.

The sessions are not part of the project; SECATEUR_CORPUS names the folder that holds them, with its MANIFEST.json.
"""

import gzip
import json
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loaders import claude_code_loader, codex_loader, pi_loader
from loaders.shown import Shown
from secateur.repair import repaired

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
HOSTS: dict[str, tuple[str, Any]] = {
    "pi_session_jsonl": ("pi", pi_loader.load),
    "claude_code_jsonl": ("claude_code", claude_code_loader.load),
    "codex_rollout_jsonl": ("codex", codex_loader.load),
}
LARGEST = 2_000_000  # bytes of a file that is broken: the others say the same, later

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def listed() -> list[tuple[str, str]]:
    if not CORPUS:
        return []
    entries = json.loads((Path(CORPUS) / "MANIFEST.json").read_text())
    return [(e["format"], e["path"]) for e in entries if e["format"] in HOSTS and e["raw_bytes"] < LARGEST]


def content(path: str) -> bytes:
    data = (Path(CORPUS) / path).read_bytes()
    return gzip.decompress(data) if path.endswith(".gz") else data


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
    broken = WAYS[way](content(path), random.Random(path))
    done = repaired(broken, name)
    shown = load(done.native)
    if name != "pi":  # Pi sends no answers that broke off: their calls wait for nothing
        assert not unpaired(shown)
    again = repaired(done.native, name)
    assert again.native == done.native
    assert again.mended == ()
    lines = set(done.native.splitlines())
    kept = sum(line in lines for line in broken.splitlines())
    assert len(broken.splitlines()) - kept <= 2 * len(done.mended)  # a new id stands on two lines
