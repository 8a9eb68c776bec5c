"""Laws of a store that others use at the same time: who cannot wait, and what is an answer.

Rule: as `stores` has it; `StoreKit` inherits these.
"""

from pathlib import Path

from secateur.stores.proof import problems
from secateur.stores.protocol import Blob, Conflict, Rejected, SessionUpdate, Store, fresh
from secateur.testing.changes import A, receipts_of, refused


class InUse:
    """Part of `StoreKit`."""

    def opened(self, folder: Path) -> Store:
        """A new, empty store; files go into `folder`."""
        raise NotImplementedError("write opened(folder): it returns the store to be tested")

    def test_who_cannot_wait_sees_and_saves_the_same(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        first = store.save(fresh(A), SessionUpdate(at=1, receipts=receipts_of(fresh(A), 1)))
        hasty = store.within(0.25)
        assert hasty.load(A) == first
        second = hasty.save(first, SessionUpdate(at=2, receipts=receipts_of(first, 1), blobs=(Blob(b"removed"),)))
        assert store.load(A) == second
        assert problems(store.within(0.0), A) == ()
        refused(lambda: hasty.save(first, SessionUpdate(at=3)), Conflict)

    def test_a_refusal_is_told_from_a_failure(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state = store.save(fresh(A), SessionUpdate(at=1, receipts=receipts_of(fresh(A), 2)))
        refused(lambda: store.save(fresh(A), SessionUpdate(at=2)), Rejected)
        refused(lambda: store.save(state, SessionUpdate(at=2, receipts=receipts_of(fresh(A), 1))), Rejected)
        refused(lambda: store.blob("acme", "not-hex"), Rejected)

    def test_a_snapshot_is_of_one_moment(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        first = store.save(fresh(A), SessionUpdate(at=1, receipts=receipts_of(fresh(A), 2), blobs=(Blob(b"removed"),)))
        with store.snapshot() as moment:
            later = store.save(first, SessionUpdate(at=2, receipts=receipts_of(first, 1), blobs=(Blob(b"more"),)))
            assert moment.load(A) == first
            assert len(list(moment.receipts(A))) == 2
            assert [one.id for one in moment.blobs(A)] == [Blob(b"removed").id]
            assert problems(moment, A) == ()
        assert store.load(A) == later
        assert problems(store, A) == ()
