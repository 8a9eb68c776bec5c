"""What left is answered for: recorded sessions through a store, and every part that any request left out read back.

The sessions are found through SECATEUR_CORPUS, a folder with a MANIFEST.json.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli_runs import secateur
from secateur import Engine, documents
from secateur.answers.removals import list_removals
from secateur.lineage import handle_of
from secateur.recover.whole import read_whole
from secateur.sessions.receipt_log import make_blob
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import SessionId, Store

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
FORMATS = (
    "claude_code_jsonl",
    "codex_rollout_jsonl",
    "pi_session_jsonl",
    "copilot_cli_events_jsonl",
    "gemini_cli_session_json",
    "opencode_export_json",
    "swe_agent_traj_json",
    "mini_swe_agent_traj_json",
    "openhands_v0_events_json",
    "openai_chat_litellm_completion_json",
)
CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 4},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
CLEAR_TOML = """\
name = "clear"
protect = { last_messages = 4 }
prune = [{ type = "hard_clear" }]
schedule = { type = "every_request" }
"""
REQUESTS = 12  # that a session is replayed as
DAYS, A_DAY = 7, 8  # of sessions in a week

pytestmark = pytest.mark.skipif(not CORPUS, reason="SECATEUR_CORPUS does not name a folder of recorded sessions")


def sample(kind: str, most_bytes: int = 1_000_000) -> bytes:
    """The recorded session of a format with most tool results that is not too long."""
    listed = json.loads((Path(CORPUS) / "MANIFEST.json").read_text())
    found = [one for one in listed if one["format"] == kind and one["raw_bytes"] < most_bytes]
    path = Path(CORPUS) / max(found, key=lambda one: (one["tool_results"], one["path"]))["path"]
    data = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    return data.split(b"\n", 1)[0] if kind == "openhands_v0_events_json" else data  # a conversation a line


def chat() -> dict[str, Any]:
    """A long recorded request body."""
    body: dict[str, Any] = json.loads(sample("openai_chat_litellm_completion_json"))
    return body


def as_requests(body: dict[str, Any], count: int) -> list[bytes]:
    """The requests that a recorded history was: ever longer beginnings, each ending before an answer."""
    messages = body["messages"]
    ends = [n for n, one in enumerate(messages) if one["role"] == "assistant" and n]
    chosen = ends[:: max(1, len(ends) // count)]
    return [json.dumps({**body, "messages": messages[:end]}).encode() for end in chosen]


def removed(raw: bytes, native: bytes) -> dict[str, bytes]:
    """The bytes of each part that a view reads otherwise, by key, found without the plan or a receipt."""
    came, sent = documents.read(raw), documents.read(native)
    found = {}
    for was, now in zip(came.transcript.messages, sent.transcript.messages, strict=True):
        for part, shown in zip(was.parts, now.parts, strict=True):
            if part.text != shown.text:
                found[part.key] = make_blob(came, part).data
    return found


def answered(store: Store, name: str, gone: dict[str, bytes]) -> None:
    """`why` names every part that left, `recall` gives its very bytes, and the record holds."""
    state = store.load(SessionId(name))
    assert state is not None
    told = {one.key: one for one in list_removals(store, state) if one.out}
    assert told.keys() == gone.keys()
    for key, data in gone.items():
        assert told[key].handle == handle_of(data)
        assert told[key].reason
        blob = store.get_blob("", handle_of(data))
        assert blob is not None
        assert blob.data == data
    assert find_problems(store, SessionId(name)) == ()


def test_every_part_that_any_request_left_out_is_answered_for() -> None:
    store = MemoryStore()
    used = Engine(CLEAR, store=store)
    requests = as_requests(chat(), REQUESTS)
    for number, raw in enumerate(requests):
        view = used.fit(raw, session="s", now_ms=number + 1)
        answered(store, "s", removed(raw, view.request))
    assert removed(requests[-1], view.request)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_a_pruned_file_left_out_is_answered_for(tmp_path: Path, kind: str) -> None:
    raw, out, policy = sample(kind), tmp_path / "out", tmp_path / "clear.toml"
    url = f"sqlite:///{tmp_path}/kept.db"
    policy.write_text(CLEAR_TOML)
    kept = ("--policy", policy, "--session", "s", "--store", url)
    done = secateur("prune", "-", *kept, "--json", "-o", out, stdin=raw)
    assert done.code == 0, done.err
    gone = removed(raw, out.read_bytes())
    assert gone
    store = open_store(url)
    answered(store, "s", gone)
    store.close()
    handle, data = next((handle_of(data), data) for data in gone.values())
    assert f"recall {handle}]".encode() in out.read_bytes()
    assert secateur("recall", handle, "--store", url).out == data


def test_after_a_week_of_use_it_is_answered_at_once(tmp_path: Path) -> None:
    """Sessions of seven days in one file: the first one's bytes, and why they left, among all others'."""
    url, body = f"sqlite:///{tmp_path}/kept.db?synchronous=normal", chat()
    requests = as_requests(body, 4)
    for number in range(DAYS * A_DAY):
        used = Engine(CLEAR, store=url)
        for turn, raw in enumerate(requests):
            mine = raw.replace(b'"messages": [', b'"messages": [{"role": "user", "content": "task %d"}, ' % number, 1)
            used.fit(mine, session=f"s{number:03d}", now_ms=(number // A_DAY) * 86_400_000 + number * 1000 + turn)
        assert used.sessions.store is not None
        used.sessions.store.close()
    store = open_store(url)
    answered(store, "s000", of_first(requests[-1]))
    assert {row.receipts for row in store.list_sessions("")} == {len(requests)}
    store.close()
    whole_week = secateur("sessions", "--json", "--limit", DAYS * A_DAY, "--store", url).json["sessions"]
    assert len(whole_week) == DAYS * A_DAY
    assert secateur("why", "s000", "--json", "--store", url).json["removals"]


def of_first(raw: bytes) -> dict[str, bytes]:
    """What the last request of the first session left out."""
    mine = raw.replace(b'"messages": [', b'"messages": [{"role": "user", "content": "task 0"}, ', 1)
    view = Engine(CLEAR, store=MemoryStore()).fit(mine, session="s", now_ms=1)
    return removed(mine, view.request)


@pytest.mark.parametrize("kind", ["claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl"])
def test_a_session_that_its_host_compacted_is_whole_again(kind: str) -> None:
    listed = json.loads((Path(CORPUS) / "MANIFEST.json").read_text())
    found = [one for one in listed if one["format"] == kind and "compaction" in one["flags"]]
    path = Path(CORPUS) / min(found, key=lambda one: (one["raw_bytes"], one["path"]))["path"]
    done = read_whole(gzip.decompress(path.read_bytes()))
    assert done.compactions
    assert len(done.messages) > done.sent
    assert not any(message.origin == "summary" for message in done.messages)
