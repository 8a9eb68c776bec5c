"""Sessions kept: in memory for speed, and in a store so that they go on in any process.

Rule: a state and a request give the same view, whatever is remembered beside them. A store that fails stops nothing:
the request goes on without it, and what could not be kept is kept with the next one that can. Which edits are made is
not decided here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import EditError, StoreError
from secateur.keeping.memory import Desk, Memory, has_view
from secateur.keeping.pieces import Pieces, cut
from secateur.keeping.place import Place, place
from secateur.keeping.record import blobs, last_receipt, recorded
from secateur.keeping.tidying import Tidying
from secateur.keeping.views import tip_of, view_chain
from secateur.model import Epoch, Transcript
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.stores.protocol import Blob, Change, Conflict, State, Store, Who, changed, fresh

__all__ = ["ATTEMPTS", "Base", "Desk", "Keeping", "Place", "shifted"]

UNSAVED = 64  # receipts that wait for a store at most; older ones go first
UNREAD = "unread"  # where requests are recorded whose session nobody could tell
ATTEMPTS = 16  # at saving a session that others save too; each of them moved on in between


class Base(Struct, frozen=True):
    """The plan that a view is to be made with, and where it stands in the session's own."""

    plan: Plan
    saved: int  # its first so many epochs are in the store
    offset: int  # as the session's epochs from this number on


class Keeping:
    """The sessions of one tenant."""

    def __init__(self, store: "Store | str | None", tenant: str, sessions: int, raw: bool) -> None:
        """Nothing is opened yet. Raises ConfigError for an address that no store can have."""
        if isinstance(store, str):
            from secateur.stores import open_store  # only who has one pays for loading it

            store = open_store(store)
        self.store = store
        self.tenant = tenant
        self.raw = raw  # keep each message of the raw history too
        self.memory = Memory(sessions)
        self._tidying = Tidying()

    # --- finding -------------------------------------------------------------------------------------------------

    def unplaced(self, session: str) -> bool:
        """Whether the history itself must say which session this is. A failing store knows none."""
        if self.store is None or (session and self.memory.has(session)):
            return False
        try:
            return not session or not has_view(self.store.load(Who(session, self.tenant)))
        except StoreError:
            return False

    def place(self, session: str, read: Transcript) -> Place:
        """Where such a request belongs."""
        if self.store is None:
            return Place(session)
        try:
            return place(self.store, self.tenant, session, read)
        except StoreError:
            return Place(session)

    @contextmanager
    def desk(self, session: str) -> Iterator[Desk]:
        """The desk of a session, for this thread alone; a new one where it has no name."""
        if session:
            with self.memory.desk(session) as desk:
                yield desk
        else:
            yield Desk()

    def opened(self, desk: Desk, session: str) -> tuple[State, str]:
        """The session's state, and what was wrong with the store, if anything."""
        if desk.state is None and self.store is not None:
            try:
                desk.state = self.store.load(Who(session, self.tenant))
            except StoreError as error:
                return fresh(Who(session, self.tenant)), str(error)
        return desk.state or fresh(Who(session, self.tenant)), ""

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
        if desk.last is None and self.store is not None:
            desk.last = last_receipt(self.store, state)
        return desk.last

    # --- saving --------------------------------------------------------------------------------------------------

    def save(self, desk: Desk, state: State, base: Base, sent: tuple[Any, Receipt]) -> None:
        """Keep what a request did: its view as it is `sent`, and the receipt of that.

        Raises Conflict where the session moved on meanwhile, and StoreError; then nothing of it is kept.
        """
        native, receipt = sent
        work, store = desk.work, self.store
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
            blobs=(*blobs(work.document, epochs), *raw, *desk.beside),
            views=tuple(filter(None, (tip and tip_of(tip), chain.key if chain.key != tip else ""))),
            tip=tip,
            manifest=manifest,
            format=receipt.format,
            model=receipt.model,
        )
        desk.state = store.save(state, change)
        desk.unsaved, desk.waiting, desk.pieces, desk.chain = (), (), pieces, chain
        desk.shown, desk.last, desk.said = work.plan, receipt, ""

    def tidied(self, now: int) -> str:
        """Let the store let go of what is old, if it is time; what went wrong, or ""."""
        return self._tidying.tidied(self.store, now) if self.store is not None else ""

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
        desk.shown, desk.last, desk.said = work.plan, receipt, ""

    def note_failure(self, session: str, receipt: Receipt) -> None:
        """Keep the receipt of a request that failed, if that can be."""
        if self.store is not None:
            with suppress(StoreError):
                self.note(
                    session or UNREAD,
                    lambda desk, state: Change(at=receipt.at, receipts=recorded((receipt,), state, desk.unsaved)),
                )

    def note_unkept(self, session: str, change: "Noted") -> None:
        """Remember what a command says of a session, where no store keeps it now."""
        with self.desk(session) as desk:
            state = desk.state or fresh(Who(session, self.tenant))
            made = change(desk, state)
            calibrations = {**state.calibrations, **(made.calibrations or {})}
            desk.state = replace(state, clock=made.clock or state.clock, calibrations=calibrations)

    def note(self, session: str, change: "Noted") -> State:
        """Keep what a command says of a session, onto whatever state it is in. Raises StoreError."""
        with self.desk(session) as desk:
            for _ in range(ATTEMPTS):
                state, wrong = self.opened(desk, session)
                if wrong:
                    raise StoreError(wrong)
                made = change(desk, state)
                if self.store is None:
                    desk.unsaved = (*desk.unsaved, *made.epochs)
                    desk.state = changed(state, replace(made, epochs=(), receipts=()))
                    return desk.state
                try:
                    carried = desk.unsaved if made.receipts else ()  # no epoch without a receipt that names it
                    desk.state = self.store.save(state, replace(made, epochs=(*carried, *made.epochs)))
                    desk.unsaved = desk.unsaved[len(carried) :]
                    return desk.state
                except Conflict:
                    self.again(desk)
        raise StoreError(f"session {session!r} is saved by others all the time: try again")

    def again(self, desk: Desk) -> None:
        """Forget what was known of a session that others moved on."""
        desk.state, desk.shown, desk.last, desk.pieces, desk.unsaved = None, None, None, Pieces(), ()


Noted = Callable[[Desk, State], Change]


def shifted(epochs: tuple[Epoch, ...], by: int) -> tuple[Epoch, ...]:
    """The epochs as part of a plan in which they stand `by` places later."""
    if not by:
        return epochs
    return tuple(one if one.undoes is None else replace(one, undoes=one.undoes + by) for one in epochs)
