"""Laws of what leaves a store with time: receipts, of which an anchor remains.

Rule: as `stores` has it; `StoreKit` inherits these.
"""

from pathlib import Path

from secateur.chain import LEAST, Anchor
from secateur.stores.proof import find_problems
from secateur.stores.protocol import Blob, SessionUpdate, State, Store, make_state
from secateur.testing.changes import A, B, make_receipts

DAY = 86_400_000  # ms
DAY_S = 86_400.0


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
