"""What every store must do: a class of tests to inherit from, with one method to write.

Rule: each test opens a store of its own in an empty folder and uses only the protocol, so it works for every kind of
store. Failures that only files can have (a full disk, a killed writer) are not tested here.
"""

from functools import partial
from pathlib import Path
from threading import Thread

from secateur.chain import find_break, link_bodies, start
from secateur.errors import StoreError
from secateur.lineage import handle_of, hash_text
from secateur.model import Epoch, NewMessage, Remove, Replace, Restore, Rewrite
from secateur.stores.proof import find_problems, load_raw
from secateur.stores.protocol import (
    Blob,
    Calibration,
    Clock,
    Conflict,
    Manifest,
    Pin,
    SessionId,
    SessionUpdate,
    Store,
    make_state,
)
from secateur.testing.store_states import STRANGER, A, Aging, B, InUse, expect_error, make_receipts

DAY = 86_400_000  # ms


class StoreKit(InUse, Aging):
    """Inherit from it in a class named Test…, and write `opened`. pytest runs the rest."""

    def test_an_empty_store_knows_nothing(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        assert store.load(A) is None
        assert store.find("acme", ("k",)) == ()
        assert list(store.list_receipts(A)) == []
        assert store.get_blob("acme", "0123456789ab") is None
        assert store.list_blobs(A) == ()
        assert store.get_manifest(A, 0) is None
        assert store.list_sessions() == ()
        assert store.measure_sizes().sessions == 0

    def test_all_that_was_saved_is_loaded(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        replaced = Replace(
            "a", "b", (NewMessage("user", "said \ud800", "summary", {"n": [1, None]}),), strategy="compact"
        )
        edits = (Rewrite("k", "short", strategy="soft_trim"), Remove("r"), replaced, Restore("k"))
        first = store.save(
            make_state(A),
            SessionUpdate(
                at=5,
                epochs=(Epoch(4, "tip", "it pays", edits),),
                clock=Clock(5, "m", "anthropic", 300.0, 12),
                calibrations={"m": Calibration(1.25, 3)},
                pins=(Pin("glob", "src/*.py", 5, 70),),
                tip="t1",
                format="anthropic_messages",
                model="m",
            ),
        )
        more = SessionUpdate(at=9, epochs=(Epoch(8, "tip2", "undo", (), reverts=0),), calibrations={"n": Calibration()})
        second = store.save(first, more)
        assert store.load(A) == second
        assert second.revision == 2
        assert second.plan.epochs == (Epoch(4, "tip", "it pays", edits), Epoch(8, "tip2", "undo", (), reverts=0))
        assert set(second.calibrations) == {"m", "n"}
        assert (second.created, second.touched, second.tip) == (5, 9, "t1")

    def test_what_is_empty_clears_and_what_is_unsaid_stays(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        pinned = store.save(make_state(A), SessionUpdate(at=1, pins=(Pin("tool", "read"),), clock=Clock(1)))
        kept = store.save(pinned, SessionUpdate(at=2))
        assert (kept.pins, kept.clock) == (pinned.pins, Clock(1))
        assert store.save(kept, SessionUpdate(at=3, pins=())).pins == ()

    def test_a_change_is_saved_onto_the_state_it_was_made_from_only(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        first = store.save(make_state(A), SessionUpdate(at=1, receipts=make_receipts(make_state(A), 1)))
        store.save(first, SessionUpdate(at=2, tip="mine"))
        lost = SessionUpdate(at=3, tip="theirs", blobs=(Blob(b"lost"),), receipts=make_receipts(first, 1))
        expect_error(lambda: store.save(first, lost), Conflict)
        expect_error(lambda: store.save(make_state(A), lost), Conflict)
        state = store.load(A)
        assert state is not None
        assert (state.tip, state.receipts) == ("mine", 1)
        assert store.get_blob("acme", hash_text(b"lost")) is None

    def test_a_session_that_was_begun_anew_is_not_the_one_that_was_deleted(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        old = store.save(make_state(A), SessionUpdate(at=1, receipts=make_receipts(make_state(A), 2)))
        store.purge("acme", "one")
        new = store.save(make_state(A), SessionUpdate(at=2, receipts=make_receipts(make_state(A), 1), tip="new"))
        assert new.revision == old.revision
        late = SessionUpdate(at=3, receipts=make_receipts(old, 1), epochs=(Epoch(3, "t", "late", ()),), tip="old")
        expect_error(lambda: store.save(old, late), Conflict)
        assert store.load(A) == new
        assert find_problems(store, A) == ()

    def test_receipts_are_one_chain(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state = make_state(A)
        for _ in range(3):
            state = store.save(state, SessionUpdate(at=1, receipts=make_receipts(state, 200)))
        links = list(store.list_receipts(A))
        assert len(links) == state.receipts == 600
        assert find_break(links, start("acme", "one"), state.head) == ""
        assert [link.sequence for link in store.list_receipts(A, 255, 258)] == [255, 256, 257, 258]
        assert list(store.list_receipts(A, 599)) == links[599:]
        assert list(store.list_receipts(A, 3, 2)) == []
        assert list(store.list_receipts(STRANGER)) == []

    def test_receipts_that_do_not_follow_arerefused(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state = store.save(make_state(A), SessionUpdate(at=1, receipts=make_receipts(make_state(A), 2)))
        expect_error(
            lambda: store.save(state, SessionUpdate(at=2, receipts=make_receipts(make_state(A), 1))), StoreError
        )
        expect_error(
            lambda: store.save(state, SessionUpdate(at=2, receipts=link_bodies([b"{}"], "0" * 64, 2))), StoreError
        )
        assert store.load(A) == state

    def test_bytes_come_back_exactly_by_handle(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        every = bytes(range(256)) * 40
        texts = ["", "short", "long " * 5_000, "lone \ud800 surrogate", "\x00"]
        blobs = (Blob(every, "media", "k0"), *(Blob(text.encode("utf-8", "surrogatepass")) for text in texts))
        store.save(make_state(A), SessionUpdate(at=1, blobs=blobs))
        assert store.get_blob("acme", hash_text(every)) == Blob(every, "media", "k0")
        for text in texts:
            found = store.get_blob("acme", handle_of(text))
            assert found is not None
            assert found.data.decode("utf-8", "surrogatepass") == text
        held = {one.id: one for one in store.list_blobs(A)}
        assert held.keys() == {blob.id for blob in blobs}
        assert held[hash_text(every)].size == len(every)
        assert find_problems(store, A) == ()

    def test_a_handle_that_is_no_handle_or_two_is_an_error(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        blobs = tuple(Blob(str(number).encode()) for number in range(1_000))
        store.save(make_state(A), SessionUpdate(at=1, blobs=blobs))
        begins = sorted(blob.id[:4] for blob in blobs)
        twice = next(one for one, other in zip(begins, begins[1:], strict=False) if one == other)
        for handle in ("", "abc", "not-hex", "%_%_%_", twice):
            expect_error(partial(store.get_blob, "acme", handle), StoreError)

    def test_the_same_bytes_are_kept_once_until_the_last_session_lets_go(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        shared = Blob(b"shared " * 100, key="k")
        for who in (A, B):
            store.save(make_state(who), SessionUpdate(at=1, blobs=(shared, shared, Blob(f"of {who.session}".encode()))))
        assert store.measure_sizes().blobs == 3
        assert store.purge("acme", "one").blobs == 1
        assert store.get_blob("acme", shared.id) == shared
        assert store.purge("acme", "two").blobs == 2
        assert store.get_blob("acme", shared.id) is None
        assert store.measure_sizes().blobs == 0

    def test_a_session_that_inherits_holds_its_parents_bytes(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        store.save(make_state(A), SessionUpdate(at=1, blobs=(Blob(b"removed", key="k"),)))
        state = store.save(make_state(B), SessionUpdate(at=2, parent="one"))
        store.purge("acme", "one")
        assert state.parent == "one"
        assert [one.id for one in store.list_blobs(B)] == [hash_text(b"removed")]
        assert store.get_blob("acme", hash_text(b"removed")) == Blob(b"removed", key="k")

    def test_tenants_never_meet(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        epoch, blob = Epoch(1, "same tip", "why", ()), Blob(b"the same bytes")
        mine = store.save(make_state(A), SessionUpdate(at=1, epochs=(epoch,), views=("v",), blobs=(blob,), tip="mine"))
        assert store.load(STRANGER) is None
        assert store.find("other", ("same tip", "v")) == ()
        assert store.get_blob("other", blob.id) is None
        store.save(make_state(STRANGER), SessionUpdate(at=1, epochs=(epoch,), blobs=(blob,), tip="theirs"))
        assert [row.who for row in store.list_sessions("other")] == [STRANGER]
        assert len(store.list_sessions()) == 2
        assert store.purge("other").sessions == 1
        assert store.load(A) == mine
        assert store.get_blob("acme", blob.id) == blob

    def test_sessions_are_found_by_tip_and_by_view(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        store.save(
            make_state(A), SessionUpdate(at=1, epochs=(Epoch(1, "t1", "", ()), Epoch(1, "t2", "", ())), views=("v1",))
        )
        store.save(make_state(B), SessionUpdate(at=2, epochs=(Epoch(2, "t1", "", ()),), views=("v1", "v2")))
        history = ("t1", *(f"k{number}" for number in range(2_000)), "v2", "t2", "")
        assert [(one.session, one.key, one.by) for one in store.find("acme", history)] == [
            ("one", "t2", "tip"),
            ("two", "v2", "view"),
            ("two", "t1", "tip"),
            ("one", "t1", "tip"),
        ]

    def test_a_raw_document_comes_back_byte_for_byte(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state, documents = make_state(A), []
        before: list[str] = []
        for turn in range(6):
            told = [f"[{number}]" for number in range(turn + 2 if turn != 4 else 1)] + [f"end {turn}"]
            pieces = [Blob(text.encode(), "raw") for text in told]
            ids = [piece.id for piece in pieces]
            shared = next((n for n, (x, y) in enumerate(zip(before, ids, strict=False)) if x != y), 0)
            made = Manifest(state.receipts, shared, tuple(ids[shared:]))
            change = SessionUpdate(
                at=turn, receipts=make_receipts(state, 1), blobs=tuple(pieces[shared:]), manifest=made
            )
            state, before = store.save(state, change), ids
            documents.append("".join(told).encode())
        state = store.save(state, SessionUpdate(at=9, receipts=make_receipts(state, 1)))
        assert [load_raw(store, A, number) for number in range(6)] == documents
        assert load_raw(store, A, 6) is None

    def test_what_is_old_goes_and_plans_and_receipts_stay(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        for who, at in ((A, DAY), (B, 3 * DAY)):
            change = SessionUpdate(
                at=at, receipts=make_receipts(make_state(who), 1), blobs=(Blob(who.session.encode()),), views=("v",)
            )
            store.save(make_state(who), change)
        assert store.collect_garbage(10 * DAY, 30 * 86_400.0).blobs == 0
        assert store.collect_garbage(4 * DAY, 2 * 86_400.0).blobs == 1
        assert store.get_blob("acme", hash_text(b"one")) is None
        assert store.get_blob("acme", hash_text(b"two")) is not None
        assert [one.session for one in store.find("acme", ("v",))] == ["two"]
        assert len(list(store.list_receipts(A))) == 1
        assert find_problems(store, A) == ()
        assert store.collect_garbage(4 * DAY, 86_400.0, 2 * 86_400.0).sessions == 1
        assert [row.who for row in store.list_sessions()] == [B]

    def test_what_is_asked_now_and_then_is_done_once_in_that_time(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        for who, at in ((A, DAY), (B, 4 * DAY)):
            store.save(make_state(who), SessionUpdate(at=at, blobs=(Blob(who.session.encode()),)))
        assert store.collect_garbage(4 * DAY, 2 * 86_400.0, every_s=86_400.0).blobs == 1
        assert store.collect_garbage(5 * DAY - 1, 0.0, every_s=86_400.0).blobs == 0
        assert store.collect_garbage(5 * DAY, 43_200.0, every_s=86_400.0).blobs == 1

    def test_rows_and_sizes_add_up(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state = store.save(
            make_state(A), SessionUpdate(at=7, receipts=make_receipts(make_state(A), 2), model="m", format="pi")
        )
        store.save(state, SessionUpdate(at=8, epochs=(Epoch(8, "t", "", ()),), blobs=(Blob(b"x" * 9_000), Blob(b"y"))))
        store.save(make_state(B), SessionUpdate(at=9))
        newest, row = store.list_sessions("acme")
        assert newest.who == B
        assert (row.who, row.format, row.model, row.created, row.touched) == (A, "pi", "m", 7, 8)
        assert (row.epochs, row.receipts, row.blobs, row.blob_bytes) == (1, 2, 2, 9_001)
        sizes = store.measure_sizes()
        assert (sizes.sessions, sizes.epochs, sizes.receipts, sizes.blobs, sizes.blob_bytes) == (2, 1, 2, 2, 9_001)
        assert 0 < sizes.stored_bytes <= 9_001
        assert sizes.oldest == 7

    def test_threads_append_and_nothing_is_lost(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        threads = [Thread(target=_append, args=(store, SessionId(f"s{number % 2}"), 10)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in ("s0", "s1"):
            state = store.load(SessionId(name))
            assert state is not None
            assert state.receipts == 40
            assert find_problems(store, SessionId(name)) == ()

    def test_a_closed_store_opens_itself_again(self, tmp_path: Path) -> None:
        store = self.opened(tmp_path)
        state = store.save(make_state(A), SessionUpdate(at=1))
        store.close()
        store.close()
        assert store.load(A) == state


def _append(store: Store, who: SessionId, times: int) -> None:
    """Save receipts, and decide again wherever another was quicker."""
    for _ in range(times):
        while True:
            state = store.load(who) or make_state(who)
            try:
                store.save(
                    state, SessionUpdate(at=1, receipts=make_receipts(state, 1), blobs=(Blob(b"%d" % state.receipts),))
                )
                break
            except Conflict:
                continue
