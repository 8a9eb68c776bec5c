"""Laws of a store that others use at the same time: who cannot wait, and what is an answer.

Rule: as `stores` has it; `StoreKit` inherits these.
"""

from pathlib import Path

from secateur.stores.proof import find_problems
from secateur.stores.protocol import Blob, Conflict, Rejected, SessionUpdate, Store, make_state
from secateur.testing.changes import A, expect_error, make_receipts


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
