"""Past views, byte for byte, however the request came, and wherever the session continues."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}


def messages(rounds: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"role": "user", "content": "größer 漢字"}]
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"é {number} line\n" * 40}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return found


def request(rounds: int) -> dict[str, Any]:
    return {"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages(rounds), "system": f"now {rounds}"}


def text(rounds: int) -> str:
    return json.dumps(request(rounds), ensure_ascii=False, indent=1)


WAYS: dict[str, Any] = {
    "bytes": lambda rounds: text(rounds).encode(),
    "text": text,
    "with a mark": lambda rounds: b"\xef\xbb\xbf" + text(rounds).encode(),
    "utf-16": lambda rounds: text(rounds).encode("utf-16"),
    "objects": request,
    "a list": messages,
    "head changes": lambda rounds: json.dumps({"metadata": {"n": rounds}, **request(rounds)}).encode(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_past_view_is_made_again_from_what_was_kept_and_from_what_is_handed_in(way: str) -> None:
    store = MemoryStore()
    engine = Engine(CLEAR, store=store, store_raw=True, format="anthropic_messages")
    views = [engine.fit(WAYS[way](rounds), session="s", now_ms=rounds).request for rounds in (2, 3, 4)]
    for number, view in enumerate(views):
        kept = engine.replay("s", number)
        assert kept.is_exact
        if isinstance(view, bytes):
            assert kept.request == view
        handed = engine.replay("s", number, WAYS[way](number + 2))
        assert (handed.request, handed.is_exact) == (view, True)


def test_each_message_is_kept_once() -> None:
    store = MemoryStore()
    engine = Engine(CLEAR, store=store, store_raw=True)
    for rounds in range(1, 9):
        engine.fit(json.dumps(request(rounds)).encode(), session="s", now_ms=rounds)
    raw = [held for held in store.list_blobs(SessionId("s")) if held.kind == "raw"]
    assert sum(held.size for held in raw) < 2 * len(json.dumps(request(8)))


def test_a_session_log_is_replayed_too() -> None:
    lines = [
        {"type": "user", "uuid": "u0", "parentUuid": None, "message": {"role": "user", "content": "hi"}},
    ]
    for number, message in enumerate(messages(3)[1:], 1):
        kind = message["role"]
        lines.append({"type": kind, "uuid": f"u{number}", "parentUuid": f"u{number - 1}", "message": message})
    log = b"".join(json.dumps({"sessionId": "x", **line}).encode() + b"\n" for line in lines)
    engine = Engine(CLEAR, store=MemoryStore(), store_raw=True)
    view = engine.fit(log, session="s", now_ms=1)
    assert view.receipt.opened
    assert engine.replay("s", 0).request == view.request


CHILD = """
import json, sys
from secateur import Engine
engine = Engine(json.loads(sys.argv[2]), store=sys.argv[1])
view = engine.fit(sys.stdin.buffer.read(), session=None, now_ms=2)
engine.record_usage(view, {"input_tokens": 77}, now_ms=3)
sys.stdout.buffer.write(view.request)
"""


def test_another_process_goes_on_with_the_same_bytes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    engine = Engine(CLEAR, store=url)
    first = engine.fit(json.dumps(request(3)).encode(), session=None, now_ms=1)
    longer = json.dumps(request(4)).encode()
    child = [sys.executable, "-W", "error", "-c", CHILD, url, json.dumps(CLEAR)]
    done = subprocess.run(child, input=longer, capture_output=True, check=True)
    again = engine.fit(longer, session=first.session, now_ms=4)
    assert again.request == done.stdout
    assert len(again.plan.epochs) == 2
    state = open_store(url).load(SessionId(first.session))
    assert state is not None
    assert (state.receipts, state.clock.called) == (3, 0)  # no one named it: it has no clock
