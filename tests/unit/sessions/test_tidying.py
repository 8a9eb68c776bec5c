"""What is old leaves a store by itself: now and then, in bounds, and without ever stopping a request."""

import json
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine
from secateur.answers.removals import list_removals
from secateur.chain import LEAST
from secateur.errors import StoreError
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import Blob, Freed, SessionId, SessionUpdate, make_state
from short_sessions import CLEAR

DAY_MS = 86_400_000
BODY = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}).encode()


def grown(rounds: int) -> bytes:
    """A history of so many rounds with a tool."""
    messages: list[dict[str, Any]] = []
    for number in range(rounds + 1):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"make {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} " + "an output\n" * 90}
        messages += [{"role": "user", "content": f"do {number}"}, {"role": "assistant", "content": [call]}]
        messages += [{"role": "user", "content": [result]}, {"role": "assistant", "content": "done"}]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()


def old(store: MemoryStore, name: str, at: int) -> None:
    store.save(make_state(SessionId(name)), SessionUpdate(at=at, blobs=(Blob(name.encode()),)))


def blobs(store: MemoryStore) -> int:
    return store.measure_sizes().blobs


def test_a_request_lets_go_of_what_is_old_once_a_day_and_a_new_engine_does_not_ask_again() -> None:
    store = MemoryStore()
    old(store, "long ago", DAY_MS)
    old(store, "lately", 20 * DAY_MS)
    engine = Engine("observe", store=store)
    engine.fit(BODY, session="s", now_ms=40 * DAY_MS)
    assert blobs(store) == 1
    assert store.load(SessionId("long ago")) is not None
    old(store, "found late", DAY_MS)
    Engine("observe", store=store).fit(BODY, session="t", now_ms=40 * DAY_MS + 7_200_000)
    assert blobs(store) == 2
    engine.fit(BODY, session="s", now_ms=41 * DAY_MS)
    assert blobs(store) == 1


def test_how_long_bytes_are_kept_is_said_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECATEUR_RETENTION_DAYS", "90")
    store = MemoryStore()
    old(store, "long ago", DAY_MS)
    Engine("observe", store=store).fit(BODY, session="s", now_ms=40 * DAY_MS)
    assert blobs(store) == 1


def test_old_receipts_go_by_themselves_and_the_session_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    store, kept = MemoryStore(), Engine(CLEAR, store=MemoryStore())
    for number in range(30):
        for engine in (Engine(CLEAR, store=store), kept):
            view = engine.fit(grown(number), session="s", now_ms=number * DAY_MS)
    state = store.load(SessionId("s"))
    assert state is not None
    assert state.anchor.number == -1
    monkeypatch.setenv("SECATEUR_RECEIPT_DAYS", "5")
    late = [engine.fit(grown(31), session="s", now_ms=60 * DAY_MS) for engine in (Engine(CLEAR, store=store), kept)]
    assert late[0].request == late[1].request
    state = store.load(SessionId("s"))
    assert state is not None
    assert (state.receipts, state.anchor.number) == (31, 31 - LEAST - 1)
    assert find_problems(store, SessionId("s")) == ()
    told = {one.key: one for one in list_removals(store, state)}
    assert {edit.key for epoch in state.plan.epochs for edit in epoch.edits} <= told.keys()
    assert all(one.out for one in told.values())
    engine = Engine(CLEAR, store=store)
    with pytest.raises(
        StoreError, match="the receipt of request 3 of session 's' was deleted: retention deleted receipts 0"
    ):
        engine.replay("s", 3, grown(3))
    again = Engine(CLEAR, store=store).fit(grown(31), session="s", now_ms=61 * DAY_MS)
    assert (again.request, again.receipt.sequence) == (late[0].request, 31)
    assert Engine(CLEAR, store=store).replay("s", 29, grown(29)).request == view.request


def test_a_caller_whose_time_runs_ahead_makes_nobody_old() -> None:
    store = MemoryStore()
    old(store, "in the year 2200", 7_258_118_400_000)
    Engine("observe", store=store).fit(BODY, session="s", now_ms=99_000_000_000_000)
    assert blobs(store) == 1


def test_what_goes_wrong_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    view = Engine("observe", store=Stuck()).fit(BODY, session="s", now_ms=40 * DAY_MS)
    assert view.request == BODY
    assert view.receipt.warnings == ("expired data stays in the store for now: the file is kept busy",)
    monkeypatch.setenv("SECATEUR_RETENTION_DAYS", "some")
    (warning,) = Engine("observe", store=MemoryStore()).fit(BODY, session="s", now_ms=1).receipt.warnings
    assert "SECATEUR_RETENTION_DAYS=some is not a number of days" in warning


def test_of_a_large_store_a_part_goes_at_a_time(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/s.db?synchronous=normal")
    for number in range(60):
        store.save(
            make_state(SessionId(f"s{number}")), SessionUpdate(at=number, blobs=(Blob(b"same"), Blob(b"%d" % number)))
        )
    assert store.collect_garbage(DAY_MS, 1.0, every_s=60.0) == Freed(blobs=50, bytes=90)
    assert store.collect_garbage(2 * DAY_MS, 1.0, every_s=60.0) == Freed(blobs=11, bytes=24)


class Stuck(MemoryStore):
    """A store that cannot let anything go."""

    def collect_garbage(self, *_: Any, **__: Any) -> Freed:
        raise StoreError("the file is kept busy")
