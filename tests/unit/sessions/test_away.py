"""A store that cannot be reached: who waits for it, for how long, what stays unchanged meanwhile, and what comes after.

Calls are counted and the clock is given: nothing here waits.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine, View
from secateur.chain import Link, find_break, start
from secateur.errors import StillTooLong, StoreError
from secateur.sessions.receipt_log import read
from secateur.sessions.store_access import WAIT_S, Breaker
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import FoundSession, Rejected, SessionId, SessionUpdate, State
from short_sessions import CLEAR, body

FRESH = {**CLEAR, "name": "fresh", "sticky": False}


class Distant(MemoryStore):
    """A store that can be cut off. It counts who asks, and how long they would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.cut = False
        self.calls = 0
        self.waits: list[float] = []

    def with_wait_limit(self, wait_s: float) -> "Distant":
        self.waits.append(wait_s)
        return self

    def load(self, who: SessionId) -> State | None:
        self._called()
        return super().load(who)

    def save(self, state: State, change: SessionUpdate) -> State:
        self._called()
        return super().save(state, change)

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        self._called()
        return super().find(tenant, keys)

    def list_receipts(self, who: SessionId, first: int = 0, last: int | None = None) -> Iterator[Link]:
        self._called()
        return super().list_receipts(who, first, last)

    def _called(self) -> None:
        self.calls += 1
        if self.cut:
            raise StoreError("the line is cut")


class Scene:
    """An engine, its store, and the clock of its breaker."""

    def __init__(self, policy: Any = CLEAR, **more: Any) -> None:
        self.store = Distant()
        self.now = 0.0
        self.engine = self.other(policy, **more)

    def other(self, policy: Any = CLEAR, **more: Any) -> Engine:
        engine = Engine(policy, store=self.store, recall_handles="on", **more)
        assert engine.sessions.reach is not None
        engine.sessions.reach.breaker.clock = lambda: self.now
        return engine

    def fit(self, rounds: int, session: str | None = "s", **more: Any) -> View:
        return self.engine.fit(body(rounds), session=session, now_ms=rounds, **more)

    def asked(self, act: Any) -> int:
        """How many calls something makes."""
        before = self.store.calls
        act()
        return self.store.calls - before


def test_the_first_request_tries_and_the_next_ones_leave_the_store_alone_until_it_is_tried_again() -> None:
    scene = Scene()
    scene.fit(2)
    scene.store.cut = True
    assert scene.asked(lambda: scene.fit(3)) == 1
    assert scene.asked(lambda: [scene.fit(n) for n in (4, 5, 6)]) == 0
    assert scene.asked(lambda: scene.fit(3, session="another")) == 0
    assert scene.asked(lambda: scene.engine.fit(body(3, "other"), session=None)) == 0
    assert scene.asked(lambda: scene.engine.record_usage("s", {"input_tokens": 9}, now_ms=9)) == 0
    scene.now = 10.0
    assert scene.asked(lambda: scene.fit(7)) == 1  # it is tried by one, and fails
    assert scene.asked(lambda: scene.fit(8)) == 0
    scene.now, scene.store.cut = 20.0, False
    scene.fit(9)
    assert [read(link.body).at_ms for link in scene.store.list_receipts(SessionId("s"))] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert [read(link.body).at_ms for link in scene.store.list_receipts(SessionId("another"))] == [3]
    assert find_problems(scene.store, SessionId("s")) == ()


def test_engines_of_one_store_wait_for_it_once(tmp_path: Path) -> None:
    scene = Scene()
    engines = [scene.engine, *(scene.other() for _ in range(3))]
    for number, engine in enumerate(engines):
        engine.fit(body(2), session=f"s{number}", now_ms=2)
    scene.store.cut = True
    assert (
        scene.asked(lambda: [engine.fit(body(3), session=f"s{n}", now_ms=3) for n, engine in enumerate(engines)]) == 1
    )
    scene.now, scene.store.cut = 10.0, False
    for engine in engines:
        engine.fit(body(2), session="new", now_ms=4)
    for number in range(4):  # what waited in each of them was brought to the store by its first request after that
        who = SessionId(f"s{number}")
        assert [read(link.body).at_ms for link in scene.store.list_receipts(who)] == [2, 3]
        assert find_problems(scene.store, who) == ()
    addresses = [f"sqlite:///{tmp_path}/{name}.db" for name in ("a", "a", "b")]
    one, same, other = (Engine(CLEAR, store=address).sessions.reach for address in addresses)
    assert one is not None
    assert same is not None
    assert other is not None
    assert one.breaker is same.breaker
    assert one.breaker is not other.breaker


def test_a_request_hands_the_store_a_quarter_of_a_second_in_all_and_a_command_any_time() -> None:
    scene = Scene()
    reach = scene.engine.sessions.reach
    assert reach is not None
    took = 0.1
    clock = iter(range(1_000))
    reach._clock = lambda: next(clock) // 2 * took + next(clock) % 2 * 0.0
    scene.fit(2)
    assert scene.store.waits[0] == WAIT_S
    assert all(0.0 <= wait <= WAIT_S for wait in scene.store.waits)
    assert scene.store.waits == sorted(scene.store.waits, reverse=True)
    before = len(scene.store.waits)
    scene.engine.pin("s", "tool", "Bash")
    scene.engine.undo("s")
    assert len(scene.store.waits) == before


@pytest.mark.parametrize("policy", [CLEAR, FRESH], ids=["sticky", "fresh"])
def test_a_session_known_in_memory_keeps_its_epochs_and_loses_nothing_more(policy: Any) -> None:
    scene = Scene(policy)
    before = scene.fit(3)
    assert before.receipt.opened
    scene.store.cut = True
    held = scene.fit(5)
    assert held.request.startswith(before.request[: -len(b"]}")])
    assert not held.receipt.opened
    assert held.receipt.skipped_reason == "the store is unavailable, and nothing is removed that could not be stored"
    assert held.receipt.warnings == ("this request continued without the store: the line is cut",)
    assert "skipped for a while: the line is cut" in scene.fit(6).receipt.warnings[0]
    scene.now, scene.store.cut = 10.0, False
    back = scene.fit(7)
    assert back.receipt.opened
    assert back.receipt.warnings == ()
    held_ = {one.id for one in scene.store.list_blobs(SessionId("s"))}
    assert {entry.handle for entry in back.receipt.edits} <= {one[:12] for one in held_}


def test_an_unknown_session_goes_out_as_it_came_and_goes_on_with_its_epochs_afterwards() -> None:
    scene = Scene()
    first = scene.fit(3)
    scene.engine = scene.other()
    scene.store.cut = True
    for session in ("s", "new", None):
        assert scene.fit(4, session=session).request == body(4)
    scene.now, scene.store.cut = 10.0, False
    assert scene.fit(4).plan.epochs[: len(first.plan.epochs)] == first.plan.epochs
    links = list(scene.store.list_receipts(SessionId("s")))
    assert [read(link.body).at_ms for link in links] == [3, 4, 4]
    assert find_break(links, start("", "s")) == ""


def test_an_unnamed_session_is_found_in_memory_meanwhile() -> None:
    scene = Scene()
    first = scene.fit(3, session=None)
    scene.store.cut = True
    scene.engine.fit(body(3, "other"), session=None, now_ms=3)
    held = scene.fit(4, session=None)
    assert (held.session, held.plan) == (first.session, first.plan)
    assert held.receipt.active_edits > 0


def test_a_view_over_its_window_is_told_of_where_nothing_may_be_summed_up() -> None:
    scene = Scene({**CLEAR, "compaction": {"over_window_share": 0.5}}, window=4_000)
    scene.store.cut = True
    with pytest.raises(StillTooLong, match="store is unavailable"):
        scene.engine.fit(body(40), session="s", now_ms=1)


def test_receipts_of_other_sessions_are_brought_by_whoever_comes_first() -> None:
    scene = Scene()
    names = [f"s{number}" for number in range(20)]
    scene.store.cut = True
    for name in names:
        scene.fit(2, session=name)
    scene.now, scene.store.cut = 10.0, False
    for rounds in (2, 3, 4):
        scene.fit(rounds, session="first")
    assert all(len(list(scene.store.list_receipts(SessionId(name)))) == 1 for name in names)


def test_receipts_that_wait_are_kept_when_the_engine_is_closed() -> None:
    scene = Scene()
    scene.fit(2)
    scene.store.cut = True
    scene.fit(3)
    scene.store.cut = False
    scene.engine.close()
    assert [read(link.body).at_ms for link in scene.store.list_receipts(SessionId("s"))] == [2, 3]


class Picky(Distant):
    """A store that refuses one session."""

    def save(self, state: State, change: SessionUpdate) -> State:
        if state.who.session == "bad":
            raise Rejected("no such name here")
        return super().save(state, change)


def test_a_refusal_is_an_answer() -> None:
    scene = Scene()
    scene.store = Picky()
    scene.engine = scene.other()
    assert "no such name here" in scene.fit(3, session="bad").receipt.warnings[0]
    assert scene.fit(3, session="good").receipt.opened


def test_a_breaker_lets_one_caller_try_and_shuts_or_opens_by_what_came_of_it() -> None:
    now = [0.0]
    breaker = Breaker(lambda: now[0], rest_s=10.0)
    assert breaker.try_admit() == ""
    breaker.record_failure("down")
    assert (breaker.shut(), breaker.try_admit()) == ("down", "down")
    now[0] = 1.0
    assert [breaker.try_admit(), breaker.try_admit()] == ["", "down"]
    breaker.record_failure("still down")
    now[0] = 2.5
    assert breaker.try_admit() == "still down"
    now[0] = 3.0
    assert breaker.try_admit() == ""
    assert breaker.record_success()
    assert not breaker.record_success()
    assert breaker.try_admit() == ""


def test_each_failure_of_a_caller_who_tried_doubles_the_rest_up_to_its_limit() -> None:
    now, rests = [0.0], []
    breaker = Breaker(lambda: now[0], rest_s=10.0)
    for _ in range(6):
        assert breaker.try_admit() == ""
        breaker.record_failure("down")
        began = now[0]
        while breaker.shut():
            now[0] += 0.5
        rests.append(now[0] - began)
    assert rests == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


def test_requests_that_failed_together_count_once() -> None:
    now = [0.0]
    breaker = Breaker(lambda: now[0], rest_s=10.0)
    assert [breaker.try_admit() for _ in range(5)] == [""] * 5
    for _ in range(5):
        breaker.record_failure("down")
    now[0] = 1.0
    assert [breaker.try_admit(), breaker.try_admit()] == ["", "down"]
    breaker.record_success()
    breaker.record_failure("down")
    now[0] = 2.0
    assert breaker.try_admit() == ""


@pytest.mark.parametrize("back", [False, True], ids=["gone", "an older copy"])
def test_a_store_that_was_replaced_gets_the_epochs_of_the_sessions_that_are_known(tmp_path: Path, back: bool) -> None:
    path = tmp_path / "s.db"
    engine = Engine(CLEAR, store=f"sqlite:///{path}")
    assert engine.sessions.reach is not None
    now = [0.0]
    engine.sessions.reach.breaker.clock = lambda: now[0]
    engine.fit(body(2), session="s", now_ms=1)
    with open_store(f"sqlite:///{path}").snapshot() as copy:
        assert copy.load(SessionId("s")) is not None
    engine.sessions.store.close()  # type: ignore[union-attr]
    older = path.read_bytes()
    view = engine.fit(body(3), session="s", now_ms=2)
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    if back:
        path.write_bytes(older)
    said = engine.fit(body(3), session="s", now_ms=3)
    assert "was deleted or replaced while it was in use" in said.receipt.warnings[0]
    assert (said.request, said.plan) == (view.request, view.plan)
    now[0] = 10.0
    again = engine.fit(body(3), session="s", now_ms=4)
    assert (again.request, again.plan) == (view.request, view.plan)
    store = open_store(f"sqlite:///{path}")
    state = store.load(SessionId("s"))
    assert state is not None
    assert state.plan == view.plan
    assert find_problems(store, SessionId("s")) == ()
    assert [read(link.body).at_ms for link in store.list_receipts(SessionId("s"))] == ([1, 3, 4] if back else [3, 4])


def test_a_locked_file_is_given_the_requests_wait_and_a_command_its_own(tmp_path: Path) -> None:
    """The wait that SQLite itself was told, on the connections that were opened."""
    engine = Engine(CLEAR, store=f"sqlite:///{tmp_path}/s.db")
    engine.fit(body(2), session="s", now_ms=1)
    store, reach = engine.sessions.store, engine.sessions.reach
    assert store is not None
    assert reach is not None
    reach.breaker.clock = lambda: 0.0
    other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    view = engine.fit(body(3), session="s", now_ms=2)
    assert "locked by another process for 0.2" in view.receipt.warnings[0]
    hasty = store.with_wait_limit(1.0)._file._open["write"]  # type: ignore[attr-defined]
    assert hasty.execute("PRAGMA busy_timeout").fetchone()[0] <= 250
    other.close()
    reach.breaker.record_success()
    engine.undo("s", now_ms=3)
    patient = store._file._open["write"]  # type: ignore[attr-defined]
    assert patient.execute("PRAGMA busy_timeout").fetchone()[0] > 29_000
