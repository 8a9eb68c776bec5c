"""Sessions kept: in memory for speed, and in a store so that they go on in any process.

Rule: a state and a request give the same view, whatever is remembered beside them. A store that fails stops nothing:
the request goes on without it, and what could not be kept is kept with the next one that can, in order. Requests ask
it through `reach`, commands as it is. Which edits are made is not decided here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import EditError, StoreError
from secateur.keeping.branches import Branches, branches
from secateur.keeping.calibrating import said
from secateur.keeping.clock import went_out
from secateur.keeping.memory import Desk, Memory, has_view
from secateur.keeping.naming import is_owned
from secateur.keeping.pieces import Pieces, cut
from secateur.keeping.place import Place, place
from secateur.keeping.plans import Base, shifted
from secateur.keeping.reach import Reach
from secateur.keeping.record import blobs, last_receipt, recorded
from secateur.keeping.tidying import Tidying
from secateur.keeping.views import lineage, tip_of, view_chain
from secateur.keeping.waiting import waited
from secateur.model import Transcript
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.session import Projection
from secateur.stores.protocol import Blob, Change, Conflict, State, Store, Who, changed, fresh

__all__ = ["ATTEMPTS", "Base", "Desk", "Keeping", "Place", "SentView", "shifted"]

UNSAVED = 1_000  # receipts of one session that wait for a store at most; older ones go first
UNREAD = "unread"  # where requests are recorded whose session nobody could tell
ATTEMPTS = 16  # at saving a session that others save too; each of them moved on in between


class SentView(Struct, frozen=True):
    """A view as it goes out, its receipt, and bytes to keep that are in no part of it."""

    native: Any
    receipt: Receipt
    blobs: tuple[Blob, ...] = ()


class Keeping:
    """The sessions of one tenant."""

    def __init__(self, store: "Store | str | None", tenant: str, sessions: int, raw: bool) -> None:
        """Nothing is opened yet. Raises ConfigError for an address that no store can have."""
        if isinstance(store, str):
            from secateur.stores import open_store  # only who has one pays for loading it

            store = open_store(store)
        self.store = store  # as commands ask it; it may keep them waiting
        self.reach = Reach(store) if store is not None else None  # as requests ask it
        self.tenant = tenant  # of whoever names none
        self.raw = raw  # keep each message of the raw history too
        self.calls = True  # a model is called with each view; not where a command looks at a file
        self.memory = Memory(sessions)
        self._tidying = Tidying()

    # --- finding -------------------------------------------------------------------------------------------------

    def who(self, session: str | None, tenant: str | None = None) -> Who:
        """A session, or one without a name, of this tenant or of another one."""
        return Who(session or "", self.tenant if tenant is None else tenant)

    def begin(self) -> None:
        """A request begins in this thread."""
        if self.reach is not None:
            self.reach.begin()

    def unplaced(self, who: Who) -> bool:
        """Whether the history itself must say which session this is. A failing store knows none."""
        if self.reach is None or (who.session and self.memory.has(who)):
            return False
        try:
            return not who.session or not has_view(self.reach.load(who))
        except StoreError:
            return not who.session

    def place(self, who: Who, read: Transcript) -> Place:
        """Where such a request belongs; while the store is away, as far as memory knows."""
        if self.reach is None:
            return Place(who.session)
        try:
            return place(self.reach, who.tenant, who.session, read)
        except StoreError:
            name = who.session or self.memory.nearest(who.tenant, lineage(read))
            return Place(name, owned=bool(who.session or who.tenant))

    @contextmanager
    def desk(self, who: Who) -> Iterator[Desk]:
        """The desk of a session, for this thread alone; a new one where it has no name."""
        if who.session:
            with self.memory.desk(who) as desk:
                yield desk
        else:
            yield Desk()

    def opened(self, desk: Desk, who: Who, store: "Store | Reach | None") -> tuple[State, str]:
        """The session's state, and what was wrong with the store, if anything: it may be known all the same."""
        wrong = store.away() if isinstance(store, Reach) else ""
        if desk.state is None and store is not None and not wrong:
            try:
                desk.state = store.load(who)
                desk.recall(desk.state or fresh(who))
            except StoreError as error:
                wrong = str(error)
        state = desk.state or fresh(who)
        if self.store is None:
            desk.state = state
        return state, wrong

    # --- plans ---------------------------------------------------------------------------------------------------

    def base(self, desk: Desk, state: State, place: Place, plan: Plan | None) -> Base:
        """The plan that goes on: the one handed in, or the session's. Raises EditError where they contradict."""
        stored = state.plan.epochs
        whole = Plan((*stored, *desk.unsaved)) if desk.unsaved else state.plan
        if plan is not None and plan.epochs[: len(stored)] != stored:
            raise EditError("the plan handed in is not this session's: give one of them, or name a new session")
        own = plan if plan is not None else whole if whole.epochs else place.inherited
        return Base(own, len(stored), 0)

    def shown(self, desk: Desk, state: State) -> Base:
        """What the last view was made with: where a policy's edits do not hold, the plan says more than that."""
        if desk.shown is None:
            last = self.last(desk, state)
            first, end = last.epochs if last else (0, 0)
            desk.shown = Plan(shifted(state.plan.epochs[first:end], -first))
        offset = len(state.plan.epochs) - len(desk.shown.epochs)
        same = offset >= 0 and shifted(state.plan.epochs[offset:], -offset) == desk.shown.epochs
        return Base(desk.shown, *((len(desk.shown.epochs), offset) if same else (0, len(state.plan.epochs))))

    def last(self, desk: Desk, state: State) -> Receipt | None:
        """The receipt of the session's last view."""
        if desk.last is None and self.reach is not None:
            with suppress(StoreError):
                desk.last = last_receipt(self.reach, state)
        return desk.last

    def branches(self, desk: Desk, state: State, work: Projection) -> Branches:
        """The branches of the session, as far as this history asks for them."""
        last = self.last(desk, state) if desk.branches is None or not desk.branches.whole else None
        desk.branches = branches(self.reach, state, desk.branches, last, work.places)
        return desk.branches

    # --- saving --------------------------------------------------------------------------------------------------

    def save(self, desk: Desk, state: State, base: Base, sent: SentView) -> None:
        """Keep what a request did: its view as it is sent, and its receipt.

        Raises Conflict where the session moved on meanwhile, and StoreError; then nothing of it is kept.
        """
        native, receipt = sent.native, sent.receipt
        work, store = desk.work, self.reach
        assert work is not None
        assert store is not None
        read, epochs = work.document.transcript, work.plan.epochs[base.saved :]
        receipts = (*desk.waiting, receipt)
        chain = view_chain(work, desk.chain, native)
        tip = read.messages[-1].key if read.messages else ""
        pieces, manifest = desk.pieces, None
        raw: tuple[Blob, ...] = ()
        if self.raw:
            same = work.same if desk.pieces.ids else 0
            pieces, manifest, raw = cut(work.document, desk.pieces, state.receipts + len(receipts) - 1, same)
        added = shifted(epochs, base.offset)
        change = Change(
            at=receipt.at,
            epochs=added,
            receipts=recorded(receipts, state, added),
            blobs=(*blobs(work.document, epochs), *raw, *sent.blobs),
            views=tuple(filter(None, (tip and tip_of(tip), chain.key if chain.key != tip else ""))),
            tip=tip,
            manifest=manifest,
            format=receipt.format,
            model=receipt.model,
            clock=went_out(state.clock, receipt, self.calls) if is_owned(state.who) else None,
            calibrations=said(state.calibrations),
        )
        desk.state = store.save(state, change)
        desk.unsaved, desk.waiting, desk.pieces, desk.chain = (), (), pieces, chain
        desk.went_out(work, receipt)

    def numbered(self, receipt: Receipt, desk: Desk, state: State, native: Any) -> Receipt:
        """The receipt with its session, its number there, and the hash of the view as it is sent."""
        hashed = isinstance(native, bytes | str) or self.raw
        sent = desk.sent.next(native) if hashed else ""
        return replace(receipt, session=state.who.session, number=state.receipts + len(desk.waiting), sent=sent)

    def tidied(self, now: int) -> str:
        """Let the store let go of what is old, if it is time; what went wrong, or ""."""
        return self._tidying.tidied(self.reach, now) if self.reach is not None else ""

    def remember(self, desk: Desk, base: Base, receipt: Receipt) -> None:
        """Remember what a request did, where no store keeps it now."""
        work = desk.work
        assert work is not None
        desk.pieces = Pieces()
        if self.store is None:
            desk.unsaved = work.plan.epochs
        else:
            desk.unsaved = work.plan.epochs[base.saved :] if not base.offset else ()
            desk.waiting = (*desk.waiting, receipt)[-UNSAVED:]
        if desk.state is not None and is_owned(desk.state.who):
            known = desk.state
            clock, told = went_out(known.clock, receipt, self.calls), said(known.calibrations)
            desk.state = replace(known, clock=clock, calibrations={**known.calibrations, **told})
        desk.went_out(work, receipt)

    def note_failure(self, who: Who, receipt: Receipt) -> None:
        """Keep the receipt of a request that failed, if that can be."""
        if self.reach is None:
            return
        who = who if who.session else self.who(UNREAD, who.tenant)
        try:
            self.note(who, lambda desk, state: waited(desk, state, receipt), self.reach, carry=False)
        except StoreError:
            with self.desk(who) as desk:
                desk.waiting = (*desk.waiting, receipt)[-UNSAVED:]

    def note_unkept(self, who: Who, change: "Noted") -> None:
        """Remember what is said of a session, where no store keeps it now; of one that is not known, nothing."""
        with self.desk(who) as desk:
            if desk.state is None and self.store is not None:
                return
            state = desk.state or fresh(who)
            made = change(desk, state)
            calibrations = {**state.calibrations, **(made.calibrations or {})}
            desk.state = replace(state, clock=made.clock or state.clock, calibrations=calibrations)

    def note(self, who: Who, change: "Noted", store: "Store | Reach | None", carry: bool = True) -> State:
        """Keep what is said of a session, onto whatever state it is in. Raises StoreError.

        With `carry`, epochs that wait for the store are kept with it; the change's receipt names them.
        """
        with self.desk(who) as desk:
            for _ in range(ATTEMPTS):
                state, wrong = self.opened(desk, who, store)
                if wrong:
                    raise StoreError(wrong)
                made = change(desk, state)
                if store is None:
                    desk.unsaved = (*desk.unsaved, *made.epochs)
                    desk.state = changed(state, replace(made, epochs=(), receipts=()))
                    return desk.state
                try:
                    # no epoch without a receipt that names it
                    carried = desk.unsaved if carry and made.receipts else ()
                    desk.state = store.save(state, replace(made, epochs=(*carried, *made.epochs)))
                    desk.unsaved = desk.unsaved[len(carried) :]
                    desk.waiting = () if made.receipts else desk.waiting
                    return desk.state
                except Conflict:
                    self.again(desk)
        raise StoreError(f"session {who.session!r} is saved by others all the time: try again")

    def again(self, desk: Desk) -> None:
        """Forget what was known of a session that others moved on; its epochs only once they are seen to be kept."""
        desk.known = desk.state or desk.known
        desk.state, desk.shown, desk.last, desk.pieces, desk.unsaved = None, None, None, Pieces(), ()
        desk.branches = None


Noted = Callable[[Desk, State], Change]
