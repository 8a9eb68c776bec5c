"""The chain of receipts proves the plan too: what is changed in it afterwards is found."""

import sqlite3
from pathlib import Path

import pytest

from secateur import Engine
from secateur.errors import StoreError
from secateur.sessions.receipt_log import read
from secateur.stores import open_store
from secateur.stores.memory import MemoryStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import SessionId, SessionUpdate, State
from short_sessions import CLEAR, body


def used(path: Path) -> str:
    """A store with a session of three epochs and an undo."""
    url = f"sqlite:///{path}"
    engine = Engine(CLEAR, store=url)
    for rounds in (2, 3, 4):
        engine.fit(body(rounds, "out"), session="s", now_ms=rounds)
    engine.undo("s", now_ms=9)
    return url


TAMPERED = {
    "another text": (
        "UPDATE epochs SET body = replace(body, 'secateur', 'nobody') WHERE number = 1",
        "epoch 1 was changed",
    ),
    "exchanged": ("UPDATE epochs SET body = (SELECT body FROM epochs WHERE number = 0)", "epoch 1 was changed"),
    "the undo away": ("DELETE FROM epochs WHERE number = 3", "has 3 epochs, but its receipts name 4"),
    "all away": ("DELETE FROM epochs", "has 0 epochs, but its receipts name 4"),
    "one more": (
        "INSERT INTO epochs SELECT session, 4, head_key, body FROM epochs WHERE number = 0",
        "has 5 epochs, but its receipts name 4",
    ),
}


@pytest.mark.parametrize("way", TAMPERED)
def test_a_plan_changed_in_the_store_is_found(way: str, tmp_path: Path) -> None:
    sql, said = TAMPERED[way]
    store = open_store(used(tmp_path / "s.db"))
    assert find_problems(store, SessionId("s")) == ()
    store.close()
    connection = sqlite3.connect(tmp_path / "s.db")
    with connection:
        connection.execute(sql)
    connection.close()
    (found,) = find_problems(store, SessionId("s"))
    assert said in found


def test_epochs_that_came_while_the_store_failed_are_named_by_the_receipt_they_are_saved_with() -> None:
    store = Failing()
    engine = Engine(CLEAR, store=store)
    first = engine.fit(body(2, "out"), session="s", now_ms=1)
    other = Engine(CLEAR).fit(body(3, "out"), plan=first.plan, now_ms=2)
    store.full = True
    assert engine.fit(body(3, "out"), session="s", plan=other.plan, now_ms=2).request == other.request
    store.full = False
    engine.sessions.reach.breaker.record_success()
    engine.record_usage("s", {"input_tokens": 500}, now_ms=3)
    assert find_problems(store, SessionId("s")) == ()
    engine.pin("s", "tool", "Read", now_ms=4)
    engine.fit(body(4, "out"), session="s", now_ms=5)
    assert find_problems(store, SessionId("s")) == ()
    state = store.load(SessionId("s"))
    assert state is not None
    assert (
        sum(len(read(link.body).epoch_hashes) for link in store.list_receipts(SessionId("s")))
        == len(state.plan.epochs)
        == 3
    )


class Failing(MemoryStore):
    """A store whose disk is full now and then."""

    full = False

    def save(self, state: State, change: SessionUpdate) -> State:
        if self.full:
            raise StoreError("the disk is full")
        return super().save(state, change)
