"""The largest recorded sessions of each host, compacted: appended, fitting, and loaded by a second reader.

SECATEUR_CORPUS names the folder that holds the sessions, with its MANIFEST.json.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recorded
from loaders import claude_code_loader, codex_loader, opencode_loader, pi_loader
from loaders.shown import Shown
from long_sessions import SUMS
from secateur import Engine, documents
from secateur.compaction.outcome import Compacted
from session_lines import shown

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
WINDOW = 60_000
LARGEST = 3
HOSTS: dict[str, tuple[str, Callable[[bytes], list[Shown]]]] = {
    "claude_code_jsonl": ("claude_code", claude_code_loader.load),
    "codex_rollout_jsonl": ("codex", codex_loader.load),
    "pi_session_jsonl": ("pi", pi_loader.load),
    "openclaw": ("openclaw", pi_loader.load),
    "opencode_export_json": ("opencode", opencode_loader.load),
}
OPENCLAW = b'{"type":"custom","id":"0000000x","parentId":null,"customType":"model-snapshot","data":{}}\n'

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def listed() -> list[tuple[str, str]]:
    """Host and path of the largest sessions of each host; OpenClaw's are Pi's with a line of its own."""
    if not CORPUS:
        return []
    entries = json.loads((Path(CORPUS) / "MANIFEST.json").read_text())
    found = []
    for host in HOSTS:
        kind = "pi_session_jsonl" if host == "openclaw" else host
        mine = sorted((e for e in entries if e["format"] == kind), key=lambda e: -e["chars"])
        found += [(host, e["path"]) for e in mine[:LARGEST]]
    return found


def content(host: str, path: str) -> bytes:
    data = recorded.data(path)
    if host == "openclaw":
        first, _, rest = data.partition(b"\n")
        return first + b"\n" + OPENCLAW + rest
    return data


@pytest.mark.parametrize(("host", "path"), listed())
def test_the_largest_sessions_become_fitting_ones_that_their_hosts_load(host: str, path: str) -> None:
    name, load = HOSTS[host]
    data = content(host, path)
    before = documents.read(data, name)
    view = Engine(SUMS, window=WINDOW, format=name).compact(data, now_ms=0)
    if not isinstance(view.compaction, Compacted):
        assert view.request is data
        assert view.receipt.tokens_view <= WINDOW
        pytest.skip(view.compaction.text if view.compaction else "nothing to do")
    if host != "opencode_export_json":
        assert view.request.startswith(data.rstrip(b"\n"))  # a log only grows at its end
    after = documents.read(view.request, name).transcript
    assert view.receipt.tokens_view < WINDOW
    assert view.compaction.summary.splitlines()[0] in {
        part.text.splitlines()[0] for message in after.messages for part in message.parts if part.text
    }
    assert shown(after) == load(view.request)
    kept = [message.parts for message in view.transcript.messages if message.role in ("assistant", "tool")]
    said = [[(part.kind, part.text) for part in parts] for parts in kept]
    again: list[Any] = [[(p.kind, p.text) for p in m.parts] for m in after.messages if m.role in ("assistant", "tool")]
    assert [one for one in again if one in said] == said
    assert len(before.transcript.messages) > len(after.messages)


@pytest.mark.parametrize(("host", "path"), [one for one in listed()[::LARGEST]])
def test_a_session_that_goes_on_is_compacted_again(host: str, path: str) -> None:
    name, load = HOSTS[host]
    first = Engine(SUMS, window=WINDOW, format=name).compact(content(host, path), now_ms=0)
    second = Engine(SUMS, window=WINDOW // 4, format=name).compact(first.request, now_ms=1)
    if not isinstance(second.compaction, Compacted):
        pytest.skip(second.compaction.text if second.compaction else "nothing to do")
    after = documents.read(second.request, name).transcript
    assert sum(message.origin == "summary" for message in after.messages) <= 2  # opencode's own question beside it
    assert shown(after) == load(second.request)
