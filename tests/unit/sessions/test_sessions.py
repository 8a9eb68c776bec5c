"""Sessions in a store: apart from each other, saved by several at once, pinned, undone, and when the store fails."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from secateur import ConfigError, EditError, Engine, FormatError, StoreError
from secateur.chain import find_break, start
from secateur.lineage import handle_of, hash_text
from secateur.receipt import Receipt
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId, SessionUpdate, State

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
MODEL = "claude-opus-4-5"


def session(canary: str, rounds: int = 3, tool: str = "Bash") -> list[dict[str, Any]]:
    """The same task each time; only what the tools gave tells one session from the other."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(rounds):
        given = {"file_path": f"/src/{number}.py"}
        call = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{canary} {number} line\n" * 40}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return [*messages, {"role": "assistant", "content": "so far"}, {"role": "user", "content": "continue"}]


def longer(canary: str) -> list[dict[str, Any]]:
    """The same session, one round further."""
    return [*session(canary), *session(canary, 4)[7:]]


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": MODEL, "max_tokens": 9, "messages": messages}).encode()


def engine(store: Any, **more: Any) -> Engine:
    return Engine(more.pop("policy", CLEAR), MODEL, store=store, recall_handles="on", **more)


def kept(store: Any, name: str) -> list[Receipt]:
    return [msgspec.json.decode(link.body, type=Receipt) for link in store.list_receipts(SessionId(name))]


@pytest.mark.parametrize("named", [True, False])
def test_64_interleaved_sessions_never_meet(named: bool) -> None:
    """With identical first and last messages; each has its own name, or none has."""
    store, names = MemoryStore(), {}
    used = engine(store, max_cached_sessions=8)
    for rounds in (1, 2, 3):
        for number in range(64):
            canary = f"canary-{number:02d}"
            view = used.fit(body(session(canary, rounds)), session=f"s{number}" if named else None, now_ms=rounds)
            names[number] = view.session
            assert view.request.count(b"canary-") == view.request.count(canary.encode())
    assert len(set(names.values())) == 64
    for number, name in names.items():
        canary = f"canary-{number:02d}".encode()
        bytes_ = [found.data for held in store.list_blobs(SessionId(name)) if (found := store.get_blob("", held.id))]
        assert bytes_
        assert all(data.startswith(canary) for data in bytes_)


def test_tenants_never_meet() -> None:
    store = MemoryStore()
    data = body(session("theirs"))
    engine(store, tenant="one").fit(data, session="s", now_ms=1)
    view = engine(store, tenant="two").fit(data, session=None, now_ms=2)
    assert view.receipt.opened
    assert store.load(SessionId("s", "two")) is None
    assert store.get_blob("three", handle_of("theirs 0 line\n" * 40)) is None


def test_removed_bytes_can_be_read_back_by_the_handle_in_the_view() -> None:
    store = MemoryStore()
    view = engine(store).fit(body(session("mine")), session="s", now_ms=1)
    handle = handle_of("mine 0 line\n" * 40)
    assert f"recall {handle}" in view.request.decode()
    found = store.get_blob("", handle)
    assert found is not None
    assert found.data.decode() == "mine 0 line\n" * 40
    assert view.receipt.edits[0].handle == handle
    assert b"recall" not in engine(None).fit(body(session("mine")), now_ms=1).request


def test_fixed_placeholders_of_presets_stay_as_they_are_and_receipts_have_the_handles() -> None:
    turns = [*session("mine"), {"role": "assistant", "content": "done"}, {"role": "user", "content": "and now"}]
    view = engine(MemoryStore(), policy="opencode").fit(body(turns), session="s", now_ms=1)
    assert view.request.count(b"<tool-output-compacted />") == 3
    assert all(entry.handle for entry in view.receipt.edits)


def test_threads_of_one_session_lose_nothing(tmp_path: Path) -> None:
    """Four engines on one file, all at the same session: each request is kept, in one chain."""
    url = f"sqlite:///{tmp_path}/s.db"
    requests = [body(session("mine", rounds)) for rounds in range(1, 7)]

    def work() -> None:
        used = engine(url)
        for number, request in enumerate(requests):
            used.fit(request, session="s", now_ms=number)
        used.close()  # what a crowded store had no time for is kept then

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = open_store(url)
    links = list(store.list_receipts(SessionId("s")))
    state = store.load(SessionId("s"))
    assert state is not None
    assert len(links) == state.receipts == 24
    assert find_break(links, start("", "s"), state.head) == ""
    assert engine(url).fit(requests[-1], session="s", now_ms=9).plan == state.plan


class Moved(MemoryStore):
    """A store in which another process saves first, some times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def save(self, state: State, change: SessionUpdate) -> State:
        if self.times > 0:
            self.times -= 1
            now = self.load(state.who) or state
            super().save(now, SessionUpdate(at=1))
        return super().save(state, change)


def test_a_session_that_moved_on_is_decided_again() -> None:
    store = Moved(3)
    view = engine(store).fit(body(session("mine")), session="s", now_ms=1)
    assert view.receipt.warnings == ()
    assert len(kept(store, "s")) == 1
    state = store.load(SessionId("s"))
    assert state is not None
    assert (state.plan, state.revision) == (view.plan, 4)


def test_every_request_leaves_a_receipt_that_fails_too() -> None:
    store = MemoryStore()
    used = engine(store)
    used.fit(body(session("mine", 1)[:1]), session="s", now_ms=1)
    with pytest.raises(FormatError):
        used.fit(b'{"messages": [', session="s", now_ms=2)
    used.fit(body(session("mine")), session="s", now_ms=3)
    told = kept(store, "s")
    assert [one.status for one in told] == ["unchanged", "failed", "opened"]
    assert told[1].error.startswith("UnknownFormat: no known format")
    entry = told[2].edits[0]
    assert entry.removed_hash.startswith(str(entry.handle))
    assert (entry.tool, entry.call_id, entry.strategy, entry.verb) == ("Bash", "c0", "hard_clear", "rewrite")
    links = list(store.list_receipts(SessionId("s")))
    assert find_break(links, start("", "s")) == ""
    changed = [msgspec.structs.replace(links[1], body=links[1].body.replace(b"failed", b"opened")), *links[2:]]
    assert "was changed" in find_break([links[0], *changed], start("", "s"))


def test_a_store_hashes_the_raw_text_that_left_and_else_its_key_names_it() -> None:
    stored = engine(MemoryStore()).fit(body(session("mine")), session="s", now_ms=1)
    loose = Engine(CLEAR, MODEL).fit(body(session("mine")), now_ms=1)
    raw = {part.key: part.text for message in stored.raw_transcript.messages for part in message.parts}
    keys = [one.key for one in stored.receipt.edits]
    assert keys
    assert [(one.key, one.removed_hash) for one in loose.receipt.edits] == [(key, "") for key in keys]
    assert [one.removed_hash for one in stored.receipt.edits] == [hash_text(raw[key]) for key in keys]


def test_receipts_hold_no_secret() -> None:
    store, key = MemoryStore(), "sk-ant-api03-" + "abcDEF123_" * 9
    messages = session(f"ANTHROPIC_API_KEY={key}")
    messages[1]["content"][0]["id"] = messages[2]["content"][0]["tool_use_id"] = key
    engine(store).fit(body(messages), session="s", now_ms=1)
    assert all(key.encode() not in link.body for link in store.list_receipts(SessionId("s")))
    assert any(
        key.encode() in found.data
        for held in store.list_blobs(SessionId("s"))
        if (found := store.get_blob("", held.id))
    )


USAGES: list[tuple[dict[str, Any], int, int]] = [
    ({"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 25}, 100, 70),
    ({"usage": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 70}}}, 100, 70),
    ({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 70}, "output_tokens": 3}, 100, 70),
    ({"usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 70}}, 100, 70),
    ({"inputTokens": 5, "cacheReadInputTokens": 70, "cacheWriteInputTokens": 25, "outputTokens": 2}, 100, 70),
    ({"input_tokens": 0, "output_tokens": 0}, 0, 0),
]


@pytest.mark.parametrize(("usage", "prompt", "read"), USAGES)
def test_usage_of_any_provider_calibrates_and_moves_the_clock(usage: dict[str, Any], prompt: int, read: int) -> None:
    store = MemoryStore()
    used = engine(store)
    view = used.fit(body(session("mine")), session="s", now_ms=1)
    used.record_usage(view, usage, now_ms=5)
    state = store.load(SessionId("s"))
    assert state is not None
    assert (state.clock.called, state.clock.read) == (5, read)
    ratio = min(max(prompt / view.receipt.tokens_view, 0.5), 3.0)
    assert {model: one.ratio for model, one in state.calibrations.items()} == ({MODEL: ratio} if prompt else {})


def test_the_window_is_held_against_what_the_provider_counts() -> None:
    """In the process that was told, and in another."""
    policy = CLEAR | {"schedule": {"type": "threshold", "over_window_share": 0.5}}
    for store in (MemoryStore(), None):
        used = engine(store, policy=policy, window=1_000)
        first = used.fit(body(session("mine", 2)), session="s", now_ms=1)
        assert not first.receipt.opened
        used.record_usage("s", {"input_tokens": first.receipt.tokens_view * 2}, now_ms=2)
        again = engine(store, policy=policy, window=1_000) if store else used
        view = again.fit(body(session("mine", 2)), session="s", now_ms=3)
        assert (view.receipt.opened, view.receipt.token_ratio) == (True, 2.0)


def test_a_clock_that_nobody_moved_is_unknown_and_one_that_was_is_known_everywhere() -> None:
    store = MemoryStore()
    policy = CLEAR | {"schedule": {"type": "threshold", "min_idle_s": 300}}
    messages = body(session("mine"))
    view = engine(store, policy=policy).fit(messages, session="s", now_ms=0)
    assert "no earlier call is known" in view.receipt.skipped_reason
    engine(store, policy=policy).record_usage(view, {"input_tokens": 9}, now_ms=1_000)
    assert "299 s ago" in engine(store, policy=policy).fit(messages, session="s", now_ms=300_000).receipt.skipped_reason
    assert "2 s ago" in engine(store, policy=policy).fit(messages, session="s", now_ms=302_000).receipt.skipped_reason
    assert engine(store, policy=policy).fit(messages, session="s", now_ms=603_000).receipt.opened


def test_what_is_read_from_the_cache_after_a_pause_shows_how_long_it_lives() -> None:
    store = MemoryStore()
    used = engine(store, policy="observe")
    for now, read in ((1_000, 90), (1_801_000, 90), (1_802_000, 0)):
        view = used.fit(body(session("mine")), session="s", now_ms=now)
        used.record_usage(view, {"input_tokens": 10, "cache_read_input_tokens": read}, now_ms=now)
        state = store.load(SessionId("s"))
        assert state is not None
        assert state.clock.ttl_s == {90: {1_000: 0, 1_801_000: 1_800.0}.get(now), 0: 0}[read]


@pytest.mark.parametrize(
    ("kind", "pattern", "stay"),
    [
        ("tool", "ba*", {0, 1, 2}),
        ("call", "c1", {1}),
        ("glob", "*/1.py", {1}),
        ("glob", "2.py", {2}),
        ("handle", handle_of("mine 0 line\n" * 40), {0}),
    ],
)
def test_pins_bring_back_what_they_name_and_keep_it(kind: str, pattern: str, stay: set[int]) -> None:
    store = MemoryStore()
    used = engine(store)
    used.fit(body(session("mine")), session="s", now_ms=1)
    used.pin("s", kind, pattern, now_ms=2)
    for again in (used, engine(store)):
        view = again.fit(body(longer("mine")), session="s", now_ms=3)
        shown = {n for n in range(3) if f"mine {n} line\\nmine".encode() in view.request}
        assert shown == stay
    assert {entry.verb for entry in kept(store, "s")[2].edits} >= {"restore"}
    used.unpin("s", kind, pattern, now_ms=4)
    assert not {
        n
        for n in range(3)
        if f"mine {n} line\\nmine".encode() in used.fit(body(longer("mine")), session="s", now_ms=5).request
    }
    with pytest.raises(ConfigError, match="no pin"):
        used.unpin("s", kind, pattern)


def test_pins_have_a_budget() -> None:
    used = engine(MemoryStore(), max_pinned_tokens=200)
    used.pin("s", "tool", "Bash", now_ms=1)
    view = used.fit(body(session("mine")), session="s", now_ms=2)
    assert [entry.call_id for entry in view.receipt.edits] == ["c1", "c2"]
    assert "pins protect" in view.receipt.warnings[0]
    with pytest.raises(ConfigError, match="pin by"):
        used.pin("s", "color", "red")


def test_an_undo_says_what_it_costs_and_what_it_took_back_stays_back() -> None:
    for store in (MemoryStore(), None):
        used = engine(store)
        first = used.fit(body(session("mine")), session="s", now_ms=1)
        undone = used.undo("s", now_ms=2)
        assert undone.tokens == first.receipt.tokens_raw - first.receipt.tokens_view > 0
        view = (engine(store) if store else used).fit(body(longer("mine")), session="s", now_ms=3)
        assert {entry.call_id for entry in view.receipt.edits} == {"c3"}
        with pytest.raises(EditError, match="no epoch 9"):
            used.undo("s", 9)
        assert used.undo("s", undone.by, now_ms=4).tokens == -undone.tokens


def test_a_store_that_fails_stops_nothing(tmp_path: Path) -> None:
    """What it cannot keep stays in the view; the receipts that waited come first when it is back."""
    path = tmp_path / "broken.db"
    path.write_bytes(b"this is no database, whatever its name says" * 99)
    used = engine(f"sqlite:///{path}")
    data = body(session("mine"))
    view = used.fit(data, session="s", now_ms=1)
    assert "continued without the store" in view.receipt.warnings[0]
    assert view.request == data
    assert "nothing is removed that could not be stored" in view.receipt.skipped_reason
    used.record_usage(view, {"input_tokens": 100}, now_ms=2)
    with pytest.raises(StoreError):
        used.undo("s")
    path.unlink()
    used.sessions.reach.breaker.rest_s = 0.0
    assert used.fit(data, session="s", now_ms=3).request == data  # it failed a moment ago
    used.sessions.reach.breaker.clock = lambda: time.monotonic() + 60
    again = used.fit(data, session="s", now_ms=4)
    assert (again.receipt.opened, again.receipt.warnings) == (True, ())
    store = open_store(f"sqlite:///{path}")
    assert [(one.at_ms, one.status) for one in kept(store, "s")] == [(1, "unchanged"), (3, "unchanged"), (4, "opened")]
    assert store.get_blob("", handle_of("mine 0 line\n" * 40)) is not None


def test_replay_says_what_it_lacks() -> None:
    store = MemoryStore()
    used = engine(store)
    used.fit(body(session("mine")), session="s", now_ms=1)
    with pytest.raises(StoreError, match="was not stored"):
        used.replay("s", 0)
    with pytest.raises(StoreError, match="no request 3"):
        used.replay("s", 3)
    with pytest.raises(StoreError, match="no session"):
        used.replay("t", 0)
    with pytest.raises(StoreError, match="not that of request 0"):
        used.replay("s", 0, body(session("other")))
    longer = [*session("mine"), {"role": "assistant", "content": "more"}, {"role": "user", "content": "and more"}]
    assert used.replay("s", 0, body(longer)).is_exact


def test_without_a_name_what_goes_on_stays_and_what_parts_is_another_session() -> None:
    store = MemoryStore()

    def placed(*said: str) -> str:
        messages = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(said)]
        return engine(store).fit(body(messages), session=None, now_ms=1).session

    first = placed("hi")
    assert placed("hi", "hello", "one") == first
    assert placed("hi", "hello", "one") == first  # sent again
    assert placed("hi", "hello", "one", "done", "two") == first
    fork = placed("hi", "hello", "other")
    assert fork != first
    assert placed("hi", "hello", "other", "done", "more") == fork
    assert placed("hi", "hello", "one", "done", "two", "done", "three") == first
    assert placed("good day") not in (first, fork)
