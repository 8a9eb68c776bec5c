"""Laws of sessions that a store keeps: they go on anywhere, part, come back edited and are undone."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from laws.histories import HISTORY, anthropic
from laws.natives import body, by_user, elements, ends
from secateur import Engine, View, documents
from secateur.sessions.lookup import list_lineage_keys
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

FEW = settings(max_examples=30)  # each plays a session several times
BOUND = "claude-opus-5-5"  # its signed reasoning is bound to its prefix
EAGER: dict[str, Any] = {
    "name": "eager",
    "protect": {"last_messages": 2, "tools": ["skill"]},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
TRIMMED: dict[str, Any] = {
    **EAGER,
    "name": "trimmed",
    "on_arrival": {"type": "excerpt", "max_chars": 150},
    "prune": [{"type": "soft_trim", "max_chars": 120, "head_chars": 40, "tail_chars": 40}, {"type": "hard_clear"}],
    "schedule": {"type": "threshold", "over_tokens": 60},
}
FRESH: dict[str, Any] = {
    **EAGER,
    "name": "fresh",
    "sticky": False,
    "prune": [{"type": "hard_clear", "min_total_chars": 300}],
}
POLICY = st.sampled_from([EAGER, TRIMMED, FRESH])


def engine(store: MemoryStore, policy: Any, **more: Any) -> Engine:
    return Engine(policy, more.pop("model", BOUND), store=store, window=24_000, **more)


def steps(data: st.DataObject, messages: list[Any]) -> list[list[Any]]:
    """Histories as a client sends them: growing, rewound, forked."""
    found = []
    for number in range(data.draw(st.integers(2, 4))):
        some = messages[: data.draw(st.sampled_from(ends(messages)), label="sent so far")]
        found.append([*some, by_user(messages, f"another way {number}")] if data.draw(st.booleans()) else some)
    return found


@FEW
@given(HISTORY, POLICY, st.booleans(), st.data())
def test_resumed_is_uninterrupted(messages: list[Any], policy: Any, named: bool, data: st.DataObject) -> None:
    """The same bytes, plans and receipts whether an engine remembers, forgets, or is another one each time."""
    session = "s" if named else None
    shown: list[list[Any]] = [[], [], []]
    stores = [MemoryStore() for _ in shown]
    one, forgetful = engine(stores[0], policy), engine(stores[1], policy)
    usage = data.draw(st.sampled_from([None, {"input_tokens": 900, "cache_read_input_tokens": 50}]))
    for number, some in enumerate(steps(data, messages)):
        request = body(some)
        forgetful.clear_cache()
        for place, used in enumerate((one, forgetful, engine(stores[2], policy))):
            view = used.fit(request, session=session, now_ms=number * 1000)
            if usage:
                used.record_usage(view, usage, now_ms=number * 1000 + 10)
            shown[place].append((view.request, view.plan, view.receipt, view.session))
    assert shown[0] == shown[1] == shown[2]


@FEW
@given(HISTORY, POLICY, st.data())
def test_every_view_can_be_replayed(messages: list[Any], policy: Any, data: st.DataObject) -> None:
    store = MemoryStore()
    used = engine(store, policy, store_raw=True)
    sent: list[tuple[View, bytes]] = []
    for number, some in enumerate(steps(data, messages)):
        sent.append((used.fit(body(some), session="s", now_ms=number), body(some)))
        if data.draw(st.booleans()):
            used.clear_cache()
    for number, (view, raw) in enumerate(sent):
        assert view.receipt.sequence == number
        for history in (None, raw):
            again = engine(store, policy).replay("s", number, history)
            assert (again.request, again.is_exact) == (view.request, True)


@FEW
@given(HISTORY, st.sampled_from([EAGER, TRIMMED]), st.data())
def test_a_view_that_is_fed_back_lands_in_its_session(messages: list[Any], policy: Any, data: st.DataObject) -> None:
    end = data.draw(st.sampled_from(ends(messages)))
    store = MemoryStore()
    view = engine(store, policy).fit(body(messages[:end]), session="s", now_ms=1)
    if view.request == body(messages[:end]):
        return
    back = json.loads(view.request)
    name = next(name for name in ("messages", "input", "contents") if name in back)
    back[name].append(by_user(messages, "more"))
    name_ = data.draw(st.sampled_from([None, "other"]))
    assert engine(store, policy).fit(json.dumps(back).encode(), session=name_, now_ms=2).session == "s"


@FEW
@given(HISTORY, st.sampled_from([EAGER, TRIMMED]), st.data())
def test_views_are_known_by_the_keys_that_reading_them_gives(
    messages: list[Any], policy: Any, data: st.DataObject
) -> None:
    used = engine(MemoryStore(), policy)
    for number, some in enumerate(steps(data, messages)):
        view = used.fit(body(some), session="s", now_ms=number)
        read = documents.read(view.request, model=BOUND).transcript
        with used.sessions.check_out(SessionId("s")) as desk:
            assert desk.chain.key == read.messages[-1].key


@FEW
@given(HISTORY, st.sampled_from([EAGER, TRIMMED]), st.data())
def test_a_fork_has_the_epochs_of_its_history(messages: list[Any], policy: Any, data: st.DataObject) -> None:
    store = MemoryStore()
    used = engine(store, policy)
    for number, end in enumerate(sorted({data.draw(st.sampled_from(ends(messages))) for _ in range(3)})):
        used.fit(body(messages[:end]), session="s", now_ms=number)
    first = store.load(SessionId("s"))
    assert first is not None
    fork = [*messages[: data.draw(st.sampled_from(ends(messages)))], by_user(messages, "another way")]
    view = used.fit(body(fork), session="fork", now_ms=9)
    here = set(list_lineage_keys(view.raw_transcript.messages))
    mine = [epoch for epoch in first.plan.epochs if epoch.head_key in here]
    assert view.plan.epochs[: len(mine)] == tuple(mine)
    again = store.load(SessionId("fork"))
    assert again is not None
    assert again.plan == view.plan


@FEW
@given(HISTORY, st.sampled_from([EAGER, TRIMMED]), st.data())
def test_undo_gives_the_bytes_from_before(messages: list[Any], policy: Any, data: st.DataObject) -> None:
    """Undoing all epochs, newest first, gives the raw bytes; undoing the undos brings the view back."""
    store = MemoryStore()
    used = engine(store, policy, model="claude-opus-4-5")
    for number, end in enumerate(sorted({data.draw(st.sampled_from(ends(messages))) for _ in range(3)})):
        view = used.fit(body(messages[:end]), session="s", now_ms=number)
    raw, epochs = body(messages[:end]), len(view.plan.epochs)
    undone = [used.undo("s", number, now_ms=50 + number) for number in reversed(range(epochs))]
    assert used.fit(raw, session="s", now_ms=60).request == raw
    assert sum(one.tokens for one in undone) >= 0
    for one in undone:
        used.undo("s", one.by, now_ms=70)
    if data.draw(st.booleans()):
        used = engine(store, policy, model="claude-opus-4-5")
    assert used.fit(raw, session="s", now_ms=80).request == view.request


@FEW
@given(anthropic(), st.sampled_from([EAGER, TRIMMED]), st.data())
def test_what_a_client_leaves_as_it_was_stays_edited(messages: list[Any], policy: Any, data: st.DataObject) -> None:
    """A client that rewrites the beginning of its history loses no edit whose part says the same still."""
    store = MemoryStore()
    first = engine(store, policy, model="claude-opus-4-5").fit(body(messages), session="s", now_ms=1)
    rewritten = [{"role": "user", "content": "all that was before is forgotten"}, *messages[1:]]
    view = engine(store, policy, model="claude-opus-4-5").fit(body(rewritten), session="s", now_ms=2)
    if first.receipt.active_edits:
        assert elements(view.request)[1:] == elements(first.request)[1:]
