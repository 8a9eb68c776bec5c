"""Laws of stores in special states: with removed receipts and an anchor, and used by others at the same time.

Rule: `StoreKit` inherits these; `stores` has the rule for all of them. The first part is what the laws save and ask.
"""

from collections.abc import Callable
from pathlib import Path

from secateur.chain import LEAST, Anchor, Link, encode_canonical, link_bodies
from secateur.stores.proof import find_problems
from secateur.stores.protocol import Blob, Conflict, Rejected, SessionId, SessionUpdate, State, Store, make_state

A, B = SessionId("one", "acme"), SessionId("two", "acme")
STRANGER = SessionId("one", "other")

DAY = 86_400_000  # ms
DAY_S = 86_400.0


def make_receipts(state: State, count: int) -> tuple[Link, ...]:
    """The next receipts of a session, each different."""
    bodies = [encode_canonical({"number": state.receipts + number}) for number in range(count)]
    return link_bodies(bodies, state.head, state.receipts)


def expect_error(act: Callable[[], object], error: type[Exception]) -> None:
    try:
        act()
    except error:
        return
    raise AssertionError(f"nothing was raised where {error.__name__} was promised")


class Aging:
    """Part of `StoreKit`."""

    def opened(self, folder: Path) -> Store:
        """A new, empty store; files go into `folder`."""
        raise NotImplementedError("write opened(folder): it returns the store to be tested")

    def test_old_receipts_go_and_leave_an_anchor(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        _make_aged_session(store, 600)
        links = list(store.list_receipts(A))
        assert store.collect_garbage(600 * DAY, 10**9, receipts_s=100 * DAY_S).receipts == 499
        state = store.load(A)
        assert state is not None
        assert state.anchor == Anchor(498, links[498].hash, silent=True)
        assert (state.receipts, state.head) == (600, links[-1].hash)
        assert list(store.list_receipts(A)) == links[499:]
        assert list(store.list_receipts(A, 0, 500)) == links[499:501]
        assert list(store.list_receipts(A, 7, 8)) == []
        assert [(row.receipts, row.gone) for row in store.list_sessions()] == [(600, 499)]
        assert store.measure_sizes().receipts == 101
        assert find_problems(store, A) == ()
        assert store.collect_garbage(600 * DAY, 10**9, receipts_s=100 * DAY_S).receipts == 0
        assert store.purge("acme").receipts == 101

    def test_the_newest_receipts_stay_and_the_chain_goes_on(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        old = _make_aged_session(store, 3 * LEAST)
        assert store.collect_garbage(10_000 * DAY, 10**12, receipts_s=0.0).receipts == 2 * LEAST
        state = store.save(old, SessionUpdate(at=9_000 * DAY, receipts=make_receipts(old, 2), blobs=(Blob(b"more"),)))
        loaded = store.load(A)
        assert loaded is not None
        assert (loaded.receipts, loaded.head) == (3 * LEAST + 2, state.head)
        assert loaded.anchor.number == 2 * LEAST - 1  # though the state that was saved onto did not know it
        assert find_problems(store, A) == ()
        assert store.collect_garbage(10_000 * DAY, 10**12, receipts_s=0.0).receipts == 2
        assert store.collect_garbage(10_000 * DAY, 10**12).receipts == 0
        assert find_problems(store, A) == ()

    def test_what_was_saved_late_holds_what_stands_after_it(self, tmp_path: Path) -> None:
        """A chain has no holes: what is old goes up to the first receipt that is not."""
        store = self.opened(tmp_path)
        state = make_state(B)
        for at in (1, 500, *range(2, 40)):
            state = store.save(state, SessionUpdate(at=at * DAY, receipts=make_receipts(state, 1)))
        assert store.collect_garbage(501 * DAY, 10**9, receipts_s=100 * DAY_S).receipts == 1
        assert [link.sequence for link in store.list_receipts(B)] == list(range(1, 40))
        assert find_problems(store, B) == ()


def _make_aged_session(store: Store, count: int) -> State:
    """A session with a receipt per day."""
    state = make_state(A)
    for number in range(count):
        state = store.save(state, SessionUpdate(at=(number + 1) * DAY, receipts=make_receipts(state, 1)))
    return state


class InUse:
    """Part of `StoreKit`."""

    def opened(self, folder: Path) -> Store:
        """A new, empty store; files go into `folder`."""
        raise NotImplementedError("write opened(folder): it returns the store to be tested")

    def test_who_cannot_wait_sees_and_saves_the_same(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        first = store.save(make_state(A), SessionUpdate(at=1, receipts=make_receipts(make_state(A), 1)))
        hasty = store.with_wait_limit(0.25)
        assert hasty.load(A) == first
        second = hasty.save(first, SessionUpdate(at=2, receipts=make_receipts(first, 1), blobs=(Blob(b"removed"),)))
        assert store.load(A) == second
        assert find_problems(store.with_wait_limit(0.0), A) == ()
        expect_error(lambda: hasty.save(first, SessionUpdate(at=3)), Conflict)

    def test_a_refusal_is_told_from_a_failure(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state = store.save(make_state(A), SessionUpdate(at=1, receipts=make_receipts(make_state(A), 2)))
        expect_error(lambda: store.save(make_state(A), SessionUpdate(at=2)), Rejected)
        expect_error(lambda: store.save(state, SessionUpdate(at=2, receipts=make_receipts(make_state(A), 1))), Rejected)
        expect_error(lambda: store.get_blob("acme", "not-hex"), Rejected)

    def test_a_snapshot_is_of_one_moment(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        first = store.save(
            make_state(A), SessionUpdate(at=1, receipts=make_receipts(make_state(A), 2), blobs=(Blob(b"removed"),))
        )
        with store.snapshot() as moment:
            later = store.save(first, SessionUpdate(at=2, receipts=make_receipts(first, 1), blobs=(Blob(b"more"),)))
            assert moment.load(A) == first
            assert len(list(moment.list_receipts(A))) == 2
            assert [one.id for one in moment.list_blobs(A)] == [Blob(b"removed").id]
            assert find_problems(moment, A) == ()
        assert store.load(A) == later
        assert find_problems(store, A) == ()
