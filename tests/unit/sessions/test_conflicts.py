"""Two engines on one store: a session that moved on meanwhile is decided anew, on what it says by now."""

from secateur import Engine
from secateur.sessions import ATTEMPTS
from secateur.sessions.receipt_log import read
from secateur.stores.memory import MemoryStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import Conflict, SessionId, SessionUpdate, State
from short_sessions import CLEAR, WHO, body


class Contested(MemoryStore):
    """A store in which others are faster, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times
        self.loads = 0

    def load(self, who: SessionId) -> State | None:
        self.loads += 1
        return super().load(who)

    def save(self, state: State, change: SessionUpdate) -> State:
        if self.times:
            self.times -= 1
            raise Conflict("another request of this session was faster")
        return super().save(state, change)


def test_a_request_goes_on_from_what_another_engine_kept() -> None:
    store = MemoryStore()
    one, other = Engine(CLEAR, store=store), Engine(CLEAR, store=store)
    one.fit(body(2), session="s", now_ms=1_000)
    second = other.fit(body(3), session="s", now_ms=2_000)
    third = one.fit(body(4), session="s", now_ms=3_000)
    assert [view.receipt.warnings for view in (second, third)] == [(), ()]
    assert [epoch.at_ms for epoch in third.plan.epochs] == [1_000, 2_000, 3_000]
    receipts = [read(link.body) for link in store.list_receipts(WHO)]
    assert [(one.sequence, one.epochs) for one in receipts] == [(0, (0, 1)), (1, (0, 2)), (2, (0, 3))]
    assert list(find_problems(store, WHO)) == []


def test_a_session_is_read_again_for_each_attempt() -> None:
    loads = []
    for times in (0, 1, 2):
        store = Contested(times)
        view = Engine(CLEAR, store=store).fit(body(3), session="s", now_ms=1_000)
        assert (view.receipt.warnings, view.receipt.sequence) == ((), 0)
        assert len(list(store.list_receipts(WHO))) == 1
        loads.append(store.loads)
    assert [number - loads[0] for number in loads] == [0, 1, 2]


def test_after_some_attempts_a_request_goes_on_alone_and_says_why() -> None:
    store = Contested(ATTEMPTS)
    engine = Engine(CLEAR, store=store)
    view = engine.fit(body(3), session="s", now_ms=1_000)
    said = "this request continued without the store: another request of this session was faster"
    assert view.receipt.warnings == (said,)
    assert view.request == body(3)  # nothing leaves that could not be kept
    assert list(store.list_receipts(WHO)) == []
    again = engine.fit(body(4), session="s", now_ms=2_000)
    assert again.receipt.warnings == ()
    assert [read(link.body).at_ms for link in store.list_receipts(WHO)] == [1_000, 2_000]
