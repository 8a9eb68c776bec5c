"""Sessions: in memory for speed, and in a store so that they continue in any process.

Rule: the same state and request always give the same view; memory is only a cache. A failing store stops nothing: the
request continues without it, and unsaved data is saved with the next request that can, in order. Requests use it
through `reach`, commands directly. Which edits are made is not decided here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import EditError, StoreError
from secateur.model import Transcript
from secateur.plan import Plan
from secateur.projection import Projection
from secateur.receipt import Receipt
from secateur.sessions.cache import Branch, CachedSession, SessionCache, shift_reverts
from secateur.sessions.calibration import clear_left_out, record_sent
from secateur.sessions.lookup import (
    SessionMatch,
    extend_chain,
    has_view,
    is_owned,
    list_lineage_keys,
    mark_raw_tip,
    place,
)
from secateur.sessions.pieces import Pieces, cut
from secateur.sessions.recall_handles import find_recall_folder, parse_setting
from secateur.sessions.receipt_log import collect_blobs, find_last_receipt, link_receipts
from secateur.sessions.request_tree import Branches, find_shown_range, load_branch_tree
from secateur.sessions.store_access import Retention, StoreAccess, build_update
from secateur.stores.protocol import Blob, Conflict, SessionId, SessionUpdate, State, Store, apply_update, make_state

__all__ = ["ATTEMPTS", "Branch", "CachedSession", "SessionManager", "SessionMatch", "SentView", "shift_reverts"]

UNSAVED = 1_000  # receipts of one session that wait for a store at most; older ones go first
UNREAD = "unread"  # where requests are recorded whose session is unknown
ATTEMPTS = 16  # at saving a session that others save too; each of them moved on in between


class SentView(Struct, frozen=True):
    """A view as it goes out, its receipt, and bytes to keep that are in no part of it."""

    native: Any
    receipt: Receipt
    blobs: tuple[Blob, ...] = ()


class SessionManager:
    """The sessions of one tenant."""

    def __init__(
        self, store: "Store | str | None", tenant: str, sessions: int, raw: bool, handles: str = "auto"
    ) -> None:
        """Nothing is opened yet. Raises ConfigError for an address that no store can have."""
        if isinstance(store, str):
            from secateur.stores import open_store  # only who has one pays for loading it

            store = open_store(store)
        self.store = store  # as commands ask it; it may keep them waiting
        self.reach = StoreAccess(store) if store is not None else None  # as requests ask it
        self.tenant = tenant  # for calls without a tenant
        self.raw = raw  # keep each message of the raw history too
        self.handles = parse_setting(handles)
        self.recall_folder = find_recall_folder(self.handles, self.store)
        self.calls = True  # a model is called with each view; not where a command looks at a file
        self.memory = SessionCache(sessions)
        self._tidying = Retention()

    # --- finding -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A request begins in this thread."""
        if self.reach is not None:
            self.reach.begin()

    def needs_lookup(self, who: SessionId) -> bool:
        """Whether the history itself must say which session this is. A failing store knows none."""
        if self.reach is None or (who.session and self.memory.has(who)):
            return False
        try:
            return not who.session or not has_view(self.reach.load(who))
        except StoreError:
            return not who.session

    def find(self, who: SessionId, read: Transcript) -> SessionMatch:
        """Find where such a request belongs; while the store is unavailable, as far as memory knows."""
        if self.reach is None:
            return SessionMatch(who.session)
        try:
            return place(self.reach, who.tenant, who.session, read)
        except StoreError:
            name = who.session or self.memory.find_nearest(who.tenant, list_lineage_keys(read.messages))
            return SessionMatch(name, owned=bool(who.session or who.tenant))

    @contextmanager
    def check_out(self, who: SessionId) -> Iterator[CachedSession]:
        """Check out a session's working state for this thread alone; a new one if the session has no name."""
        if who.session:
            with self.memory.check_out(who) as cached:
                yield cached
        else:
            yield CachedSession()

    def load_state(
        self, cached: CachedSession, who: SessionId, store: "Store | StoreAccess | None"
    ) -> tuple[State, str]:
        """The session's state, and what was wrong with the store, if anything: it may be known all the same."""
        wrong = store.explain_away() if isinstance(store, StoreAccess) else ""
        if cached.state is None and store is not None and not wrong:
            try:
                cached.state = store.load(who)
                if cached.known is not None:
                    cached.recall(cached.state or make_state(who))
            except StoreError as error:
                wrong = str(error)
        state = cached.state or make_state(who)
        if self.store is None:
            cached.state = state
        return state, wrong

    # --- plans ---------------------------------------------------------------------------------------------------

    def branch_from(self, cached: CachedSession, state: State, place: SessionMatch, plan: Plan | None) -> Branch:
        """The plan that continues: the given one, or the session's. Raises EditError if they contradict each other."""
        stored = state.plan.epochs
        whole = Plan((*stored, *cached.unsaved)) if cached.unsaved else state.plan
        if plan is not None and plan.epochs[: len(stored)] != stored:
            raise EditError(
                "the given plan is not this session's: pass either a plan or a session, or name a new session"
            )
        own = plan if plan is not None else whole if whole.epochs else place.inherited
        return Branch(own, len(stored), 0)

    def get_last_branch(self, cached: CachedSession, state: State) -> Branch:
        """The branch of the last view; for policies without sticky edits the plan holds more than that."""
        if cached.shown is None:
            last = self.get_last_receipt(cached, state)
            first, end = (0, 0)
            if last is not None and self.reach is not None:
                with suppress(StoreError):
                    first, end = find_shown_range(self.reach, state, last)
            cached.shown = Plan(shift_reverts(state.plan.epochs[first:end], -first))
        offset = len(state.plan.epochs) - len(cached.shown.epochs)
        same = offset >= 0 and shift_reverts(state.plan.epochs[offset:], -offset) == cached.shown.epochs
        return Branch(cached.shown, *((len(cached.shown.epochs), offset) if same else (0, len(state.plan.epochs))))

    def get_last_receipt(self, cached: CachedSession, state: State) -> Receipt | None:
        """The receipt of the session's last view."""
        if cached.last is None and self.reach is not None and state.receipts:
            with suppress(StoreError):
                cached.last = find_last_receipt(self.reach, state)
        return cached.last

    def load_branches(self, cached: CachedSession, state: State, work: Projection) -> Branches:
        """The branches of the session, as far as this history needs them."""
        last = self.get_last_receipt(cached, state) if cached.branches is None or not cached.branches.whole else None
        cached.branches = load_branch_tree(self.reach, state, cached.branches, last, work.message_index)
        return cached.branches

    # --- saving --------------------------------------------------------------------------------------------------

    def commit(self, cached: CachedSession, state: State, base: Branch, sent: SentView) -> None:
        """Keep what a request did: its view as it is sent, and its receipt.

        Raises Conflict where the session moved on meanwhile, and StoreError; then nothing of it is kept.
        """
        native, receipt = sent.native, sent.receipt
        work, store = cached.work, self.reach
        assert work is not None
        assert store is not None
        read, epochs = work.document.transcript, work.plan.epochs[base.saved :]
        receipts = (*cached.waiting, receipt)
        chain = extend_chain(work, cached.chain, native)
        tip = read.messages[-1].key if read.messages else ""
        pieces, manifest = cached.pieces, None
        raw: tuple[Blob, ...] = ()
        if self.raw:
            same = work.same if cached.pieces.ids else 0
            pieces, manifest, raw = cut(work.document, cached.pieces, state.receipts + len(receipts) - 1, same)
        added = shift_reverts(epochs, base.offset)
        change = SessionUpdate(
            at=receipt.at_ms,
            epochs=added,
            receipts=link_receipts(receipts, state, added),
            blobs=(*collect_blobs(work.document, epochs), *raw, *sent.blobs),
            files=bool(self.recall_folder),
            views=tuple(filter(None, (tip and mark_raw_tip(tip), chain.key if chain.key != tip else ""))),
            tip=tip,
            manifest=manifest,
            format=receipt.format,
            model=receipt.model,
            clock=record_sent(state.clock, receipt, self.calls) if is_owned(state.who) else None,
            calibrations=clear_left_out(state.calibrations) if state.calibrations else None,
        )
        cached.state = store.save(state, change)
        cached.unsaved, cached.waiting, cached.pieces, cached.chain = (), (), pieces, chain
        cached.record_sent(work, receipt)

    def number_receipt(self, receipt: Receipt, cached: CachedSession, state: State, native: Any) -> Receipt:
        """The receipt with its session, its number there, and the hash of the view as sent."""
        hashed = isinstance(native, bytes | str) or self.raw
        sent = cached.sent.hash_view(native) if hashed else ""
        return replace(
            receipt, session=state.who.session, sequence=state.receipts + len(cached.waiting), view_hash=sent
        )

    def collect_garbage(self, now: int) -> str:
        """Let the store delete old data, if it is time; returns the error, or ""."""
        return self._tidying.tidy(self.reach, now) if self.reach is not None else ""

    def remember(self, cached: CachedSession, base: Branch, receipt: Receipt) -> None:
        """Remember what a request did, where no store keeps it now."""
        work = cached.work
        assert work is not None
        cached.pieces = Pieces()
        if self.store is None:
            cached.unsaved = work.plan.epochs
        else:
            cached.unsaved = work.plan.epochs[base.saved :] if not base.offset else ()
            cached.waiting = (*cached.waiting, receipt)[-UNSAVED:]
        if cached.state is not None and is_owned(cached.state.who):
            known = cached.state
            clock, told = record_sent(known.clock, receipt, self.calls), clear_left_out(known.calibrations)
            cached.state = replace(known, clock=clock, calibrations={**known.calibrations, **told})
        cached.record_sent(work, receipt)

    def keep_receipt(self, who: SessionId, receipt: Receipt) -> None:
        """Keep a receipt that comes with nothing else to keep; in memory where the store fails."""
        if self.reach is None:
            return
        who = who if who.session else SessionId(UNREAD, who.tenant)
        try:
            self.note(who, lambda cached, state: build_update(cached, state, receipt), self.reach, carry=False)
        except StoreError:
            with self.check_out(who) as cached:
                cached.waiting = (*cached.waiting, receipt)[-UNSAVED:]

    def note_unkept(self, who: SessionId, change: "Noted") -> None:
        """Remember a note about a session that no store can save now; nothing for an unknown session."""
        with self.check_out(who) as cached:
            if cached.state is None and self.store is not None:
                return
            state = cached.state or make_state(who)
            made = change(cached, state)
            calibrations = {**state.calibrations, **(made.calibrations or {})}
            cached.state = replace(state, clock=made.clock or state.clock, calibrations=calibrations)

    def note(self, who: SessionId, change: "Noted", store: "Store | StoreAccess | None", carry: bool = True) -> State:
        """Save a note about a session, whatever its state. Raises StoreError.

        With `carry`, epochs that wait for the store are saved with it; the change's receipt names them.
        """
        with self.check_out(who) as cached:
            for _ in range(ATTEMPTS):
                state, wrong = self.load_state(cached, who, store)
                if wrong:
                    raise StoreError(wrong)
                made = change(cached, state)
                if store is None:
                    cached.unsaved = (*cached.unsaved, *made.epochs)
                    cached.state = apply_update(state, replace(made, epochs=(), receipts=()))
                    return cached.state
                try:
                    # no epoch without a receipt that names it
                    carried = cached.unsaved if carry and made.receipts else ()
                    cached.state = store.save(state, replace(made, epochs=(*carried, *made.epochs)))
                    cached.unsaved = cached.unsaved[len(carried) :]
                    cached.waiting = () if made.receipts else cached.waiting
                    return cached.state
                except Conflict:
                    self.reload(cached)
        raise StoreError(f"session {who.session!r} is being saved by other processes all the time: try again")

    def reload(self, cached: CachedSession) -> None:
        """Forget what was known of a session that others moved on; its epochs only once they are seen to be kept."""
        cached.known = cached.state or cached.known
        cached.state, cached.shown, cached.last, cached.pieces, cached.unsaved = None, None, None, Pieces(), ()
        cached.branches = None


Noted = Callable[[CachedSession, State], SessionUpdate]
