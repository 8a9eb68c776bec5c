"""Which session a request without a name belongs to, by what was said alone; and whose the session is."""

import json
from typing import Any

import pytest

from secateur import Engine, fit
from secateur.errors import ConfigError, StoreError
from secateur.sessions.lookup import MOST_LOADED, is_open, is_owned, make_name, mark_raw_tip
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import FoundSession, SessionId, State

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}


def body(rounds: int, last: str = "") -> bytes:
    """So many rounds; in the last of them the result may be another one."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        text = last if last and number == rounds - 1 else f"line {number}\n" * 90
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": found}).encode()


def engine(store: MemoryStore, tenant: str = "") -> Engine:
    return Engine(CLEAR, store=store, tenant=tenant)


def times(view: Any) -> list[int]:
    return [epoch.at_ms for epoch in view.plan.epochs]


@pytest.mark.parametrize("tenant", ["", "t"])
@pytest.mark.parametrize("fed_back", [False, True])
def test_what_goes_on_is_the_same_session_in_any_process(tenant: str, fed_back: bool) -> None:
    store = MemoryStore()
    first = engine(store, tenant).fit(body(3), now_ms=1_000)
    assert first.session == make_name(first.receipt.head_key, 0)
    request = json.loads(body(4))
    if fed_back:  # a client that keeps the view as its history
        request["messages"][:7] = json.loads(first.request)["messages"]
    second = engine(store, tenant).fit(request, now_ms=2_000)
    assert second.session == first.session
    assert times(second) == [1_000, 2_000]
    assert [row.who.session for row in store.list_sessions(tenant)] == [first.session]


def test_what_parts_from_a_session_is_a_new_one_with_the_epochs_from_before() -> None:
    store = MemoryStore()
    first = engine(store).fit(body(3), now_ms=1_000)
    engine(store).fit(body(4), now_ms=2_000)
    other = engine(store).fit(body(4, "another result"), now_ms=3_000)
    assert other.session != first.session
    assert times(other) == [1_000, 3_000]  # the second epoch's head is in the other history alone
    state = store.load(SessionId(other.session))
    assert state is not None
    assert [epoch.at_ms for epoch in state.plan.epochs] == [1_000, 3_000]


def test_the_name_of_a_caller_is_nobody_elses_but_its_epochs_go_along() -> None:
    store = MemoryStore()
    engine(store).fit(body(3), session="mine", now_ms=1_000)
    second = engine(store).fit(body(4), now_ms=2_000)
    assert second.session == make_name(second.receipt.head_key, 0)
    assert times(second) == [1_000, 2_000]


def test_a_tenant_owns_all_of_its_sessions() -> None:
    store = MemoryStore()
    engine(store, "t").fit(body(3), session="mine", now_ms=1_000)
    assert engine(store, "t").fit(body(4), now_ms=2_000).session == "mine"
    stranger = engine(store, "u").fit(body(4), now_ms=3_000)
    assert stranger.session != "mine"
    assert times(stranger) == [3_000]


def test_a_session_that_is_nobodys_has_no_pins() -> None:
    store = MemoryStore()
    view = engine(store).fit(body(3), now_ms=1_000)
    with pytest.raises(ConfigError, match="a pin needs a name .* or an owner"):
        engine(store).pin(view.session, "tool", "Bash")
    kept = engine(store, "t").fit(body(3), now_ms=1_000)
    assert engine(store, "t").pin(kept.session, "tool", "Bash")[0].pattern == "Bash"


def test_a_named_session_knows_its_clock_and_one_by_lineage_does_not() -> None:
    for session, idle_s in (("mine", 60.0), (None, None)):
        store = MemoryStore()
        engine(store).fit(body(3), session=session, now_ms=1_000)
        later = engine(store).fit(body(4), session=session, now_ms=61_000)
        assert later.receipt.idle_s == idle_s


@pytest.mark.parametrize(
    ("who", "owned", "open_to_all"),
    [
        (SessionId("mine"), True, False),
        (SessionId(make_name("k", 0)), False, True),
        (SessionId("unnamed-0123"), True, False),
        (SessionId("mine", "t"), True, True),
        (SessionId(make_name("k", 0), "t"), True, True),
    ],
)
def test_whose_a_session_is(who: SessionId, owned: bool, open_to_all: bool) -> None:
    assert (is_owned(who), is_open(who)) == (owned, open_to_all)
    assert make_name("k", 1) != make_name("k", 0)


class Distant(MemoryStore):
    """A store that can be cut off."""

    cut = False

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        if self.cut:
            raise StoreError("the line is cut")
        return super().find(tenant, keys)


def test_while_the_store_is_away_memory_tells_where_a_request_belongs() -> None:
    store = Distant()
    owner = engine(store, "t")
    owner.fit(body(3), session="mine", now_ms=1_000)
    store.cut = True
    view = owner.fit(body(4), now_ms=2_000)
    assert view.receipt.warnings[0].endswith(": the line is cut")
    assert view.session == "mine"
    assert times(view) == [1_000]  # its epochs stay, and none is opened that could not be kept


def test_a_request_that_memory_does_not_know_either_goes_out_as_it_came() -> None:
    store = Distant()
    store.cut = True
    view = engine(store).fit(body(3), now_ms=1_000)
    assert view.receipt.warnings[0].endswith(": the line is cut")
    assert (view.session, view.request) == ("", body(3))


@pytest.mark.parametrize("policy", ["observe", {**CLEAR, "protect": {"last_messages": 2, "tools": ["Read"]}}])
def test_a_view_that_only_grew_is_known_by_its_lineage_as_well(policy: Any) -> None:
    """The second and the third request add what no edit touches, so their chains continue from the one before."""
    store = MemoryStore()
    warm = Engine(policy, store=store)
    requests = [json.loads(body(3)) for _ in range(3)]
    for number, request in enumerate(requests):
        words = [("assistant", "done"), ("user", "and now?")] * number
        request["messages"] += [{"role": role, "content": text} for role, text in words]
    views = [warm.fit(json.dumps(one).encode(), session="s", now_ms=1_000 * n) for n, one in enumerate(requests)]
    for view in views:
        last = fit(view.request, policy="observe").receipt.head_key
        assert [one.session for one in store.find("", (last, mark_raw_tip(last)))] == ["s"]


def test_a_session_without_a_name_goes_on_from_what_was_read_of_its_last_request() -> None:
    store = MemoryStore()
    one = engine(store)
    first = one.fit(body(3), now_ms=1_000)
    grown = one.fit(body(5), now_ms=2_000)
    assert grown.session == first.session
    assert all(a is b for a, b in zip(first.raw_transcript.messages, grown.raw_transcript.messages[:-4], strict=True))
    afresh = engine(MemoryStore())
    afresh.fit(json.loads(body(3)), now_ms=1_000)
    assert json.loads(grown.request) == afresh.fit(json.loads(body(5)), now_ms=2_000).request


def test_another_model_in_between_is_counted_in_its_own_tokens() -> None:
    one = engine(MemoryStore())
    one.fit(body(3), now_ms=1_000)
    other = body(4).replace(b"claude-opus-4-5", b"gpt-5.2")
    parts = one.fit(other, now_ms=2_000).raw_transcript.messages[2].parts
    assert parts == fit(other, policy=CLEAR, now_ms=2_000).raw_transcript.messages[2].parts


def test_of_many_sessions_with_one_beginning_only_those_used_last_are_looked_at() -> None:
    store = Counting()
    for number in range(40):
        engine(store).fit(body(2, f"another end {number}"), session=f"s{number}", now_ms=number)
        engine(store).fit(body(1), session=f"s{number}", now_ms=100 + number)
    store.loads = 0
    engine(store).fit(body(2, "one more end"), now_ms=1_000)
    assert store.loads <= 2 * MOST_LOADED + 3


class Counting(MemoryStore):
    """A store that counts how often a session is loaded."""

    loads = 0

    def load(self, who: SessionId) -> State | None:
        self.loads += 1
        return super().load(who)
