"""What sessions share by lineage is epochs, however they interleave; a name or an owner has the rest."""

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from laws.histories import HISTORY
from laws.natives import body, by_user, ends
from secateur import Engine, View
from secateur.errors import ConfigError, EditError
from secateur.sessions.lookup import is_owned
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import Clock, SessionId

FEW = settings(max_examples=40, deadline=None)
EAGER: dict[str, Any] = {
    "name": "eager",
    "protect": {"last_messages": 2, "tools": ["skill"]},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "threshold", "over_window_share": 0.01},
}
WHOSE = st.sampled_from([("", ""), ("s1", ""), ("", "acme"), ("s1", "acme")])
DEED = st.sampled_from(["observe", "pin", "undo"])


class Client:
    """One agent, with or without a name and an owner."""

    def __init__(self, engine: Engine, whose: tuple[str, str]) -> None:
        self.engine = engine
        self.name, self.tenant = whose
        self.view: View[Any] | None = None

    def fit(self, messages: list[Any], now: int) -> View[Any]:
        self.view = self.engine.fit(body(messages), session=self.name or None, tenant=self.tenant, now_ms=now)
        return self.view

    def does(self, deed: str, now: int) -> bool:
        """Whether what it asks for was done."""
        assert self.view is not None
        session = self.view.session
        with suppress(ConfigError, EditError):
            if deed == "observe":
                figure = self.view.receipt.tokens_view * 2
                self.engine.record_usage(
                    self.view, {"input_tokens": figure, "cache_read_input_tokens": figure - 1}, now_ms=now
                )
            elif deed == "pin":
                self.engine.pin(session, "tool", "*", tenant=self.tenant, now_ms=now)
            else:
                self.engine.undo(session, tenant=self.tenant, now_ms=now)
            return True
        return False


@FEW
@given(HISTORY, WHOSE, st.booleans(), st.data())
def test_what_one_session_says_of_itself_changes_no_view_of_another(
    messages: list[Any], whose: tuple[str, str], diverges: bool, data: st.DataObject
) -> None:
    """A stranger with the same history and no name sees the same whether the other one speaks of itself or not."""
    shown: list[list[Any]] = [[], []]
    steps = sorted({data.draw(st.sampled_from(ends(messages))) for _ in range(3)})
    deeds = [data.draw(st.lists(DEED, max_size=2)) for _ in steps]
    for speaks in (False, True):
        store = MemoryStore()
        engine = Engine(EAGER, "claude-opus-4-5", store=store, window=9_000)
        one, stranger = Client(engine, whose), Client(engine, ("", ""))
        for number, (end, said) in enumerate(zip(steps, deeds, strict=True)):
            some = messages[:end]
            if not number or whose == ("", ""):
                one.fit(some, number * 100)
            for deed in said if speaks and number else ():
                done = one.does(deed, number * 100 + 1)
                assert done == (deed == "observe" or any(whose)) or deed == "undo"
            mine = [*some, by_user(messages, "another way")] if diverges and number else some
            view = stranger.fit(mine, number * 100 + 2)
            shown[speaks].append((view.request, view.plan, view.receipt.token_ratio, view.receipt.idle_s))
            assert not is_owned(SessionId(view.session))
            state = store.load(SessionId(view.session))
            assert state is not None
            assert (state.pins, state.clock, state.calibrations) == ((), Clock(), {})
    assert shown[False] == shown[True]


@FEW
@given(HISTORY, st.sampled_from([("s1", ""), ("", "acme"), ("s1", "acme")]), st.data())
def test_who_has_a_name_or_an_owner_has_a_clock_pins_and_undo(
    messages: list[Any], whose: tuple[str, str], data: st.DataObject
) -> None:
    store = MemoryStore()
    one = Client(Engine(EAGER, "claude-opus-4-5", store=store, window=9_000), whose)
    view = one.fit(messages[: data.draw(st.sampled_from(ends(messages)))], 1)
    assert one.does("observe", 2)
    assert one.does("pin", 3)
    assert one.does("undo", 4) == view.receipt.opened
    state = store.load(SessionId(view.session, whose[1]))
    assert state is not None
    assert len(state.pins) == 1
    assert state.clock.called == 2
    assert all(row.who.tenant == whose[1] for row in store.list_sessions())
