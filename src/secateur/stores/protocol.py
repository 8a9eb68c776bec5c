"""What every store keeps, and what it promises: plans, receipts, removed bytes, clocks, calibrations, pins.

    state = store.load(who) or fresh(who)
    state = store.save(state, Change(at=now, epochs=(epoch,), receipts=linked([body], state.head, state.receipts)))

Rule: a change is saved whole or not at all, and only onto the state it was made from; everything is kept under
(tenant, session), and one tenant never sees another's. What `save` has answered survives the end of the process.
Values only: how they are kept is each store's own affair.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from secateur.cachecost.misses import Misses
from secateur.chain import Anchor, Link, start
from secateur.errors import StoreError
from secateur.lineage import hash_text
from secateur.model import Epoch
from secateur.plan import Plan
from secateur.usage import UsageBill

BlobKind = Literal["text", "json", "media", "raw", "summary"]
PinKind = Literal["message", "call", "tool", "glob", "handle"]


class Rejected(StoreError):
    """The store answers, but not this: what was asked cannot be kept or given, and asking again changes nothing.

    Any other StoreError says that the store itself cannot be reached or used now; requests then leave it alone a while.
    """


class Conflict(Rejected):
    """The session moved on since this state was loaded: load it again and decide again."""


class SessionId(Struct, frozen=True):
    """The identity of a session. A session is never found by a last message or an agent's name."""

    session: str
    tenant: str = ""


class Clock(Struct, frozen=True):
    """The state of the provider's prompt cache, as far as known."""

    called: int = 0  # when the model was last called, in ms since 1970; 0: unknown, which counts as cold
    model: str = ""
    provider: str = ""
    ttl_s: float = 0  # learned from cache reads; 0: the provider's own
    read: int = 0  # tokens that the last answer reported as read from the cache
    gone_s: float = 0  # the longest pause after which nothing was read, though the view only grew; 0: none
    misses: int = 0  # how many such pauses there were; a read after a longer one clears both
    sent: dict[str, int] = {}  # when the newest request for each model went out, in ms since 1970
    by_hand: int = 0  # when a command last opened an epoch: no model was called with its view
    missed: Misses = Misses()  # answers that found no cache where one should have been


class Calibration(Struct, frozen=True):
    """A provider's count of input tokens compared with ours, for one model."""

    ratio: float = 1.0  # reported / counted
    samples: int = 0
    over: float = 1.0  # the model's factor that our count held when this was learned (`tokens.get_factor`)
    window: int = 0  # the model's, from the provider's refusal of a longer request; 0: unknown
    left_out: tuple[int, int] = (0, 0)  # a sample that cannot be true (reported, counted), for the next receipt to say
    bill: UsageBill = UsageBill()  # of all answers of this model so far


class Pin(Struct, frozen=True):
    """Something that stays in the view whatever the policy says."""

    kind: PinKind  # glob: over the paths in a call's arguments
    pattern: str  # a message's or part's key, a call's id, a tool's name, a path pattern, a handle
    at: int = 0  # when it was set, in ms since 1970
    tokens: int = 0  # what it holds fast


class State(Struct, frozen=True):
    """All of a session but its receipts and bytes."""

    who: SessionId
    revision: int = 0  # one more with every save; 0: never saved
    plan: Plan = Plan()
    clock: Clock = Clock()
    calibrations: dict[str, Calibration] = {}  # by model
    pins: tuple[Pin, ...] = ()
    head: str = ""  # hash of the newest receipt; of a session without one: `chain.start`
    receipts: int = 0  # how many there are, and so the number of the next
    tip: str = ""  # last key of the raw history at the newest save
    format: str = ""
    model: str = ""
    parent: str = ""  # the session (same tenant) that its first epochs came from
    created: int = 0  # ms since 1970
    touched: int = 0  # newest save, in ms since 1970
    anchor: Anchor = Anchor()  # the last receipt that retention took; `receipts` still counts those that went


class Blob(Struct, frozen=True):
    """Bytes that left a view, exactly as they were. `text` is UTF-8, lone surrogates passed as they are."""

    data: bytes
    kind: BlobKind = "text"
    key: str = ""  # lineage key of the part they were; "" for pieces of a raw document

    @property
    def id(self) -> str:
        """The hash of the bytes: what the store files them under. Handles are its beginnings."""
        return hash_text(self.data)


class BlobRef(Struct, frozen=True):
    """A blob that a session refers to, without its bytes."""

    id: str  # the whole hash, 32 hex digits, whose first 12 are the handle; "" for bytes that are gone
    kind: BlobKind
    key: str
    size: int  # bytes as they were
    stored: int  # bytes they take
    at: int  # first saved for this session, in ms since 1970


class Manifest(Struct, frozen=True):
    """The pieces of a request's raw document, in order."""

    sequence: int  # number of the request's receipt
    shared: int  # so many pieces at the start are those of the session's manifest before this one
    pieces: tuple[str, ...]  # ids of the blobs that come after them


class SessionUpdate(Struct, frozen=True, kw_only=True):
    """What one request, or one command, adds to a session. None and "" change nothing."""

    at: int  # ms since 1970
    epochs: tuple[Epoch, ...] = ()  # appended to the plan
    receipts: tuple[Link, ...] = ()  # each linked to the one before, the first to the state's head
    blobs: tuple[Blob, ...] = ()  # kept once, however often they are saved; the session refers to them from now on
    files: bool = False  # texts name files: a store with a folder for files writes the blobs there too
    views: tuple[str, ...] = ()  # keys of the last messages of the view that was sent, where it differs from raw
    tip: str = ""
    clock: Clock | None = None
    calibrations: dict[str, Calibration] | None = None  # of these models; others stay
    pins: tuple[Pin, ...] | None = None  # all of them
    manifest: Manifest | None = None
    format: str = ""
    model: str = ""
    parent: str = ""  # with it, the session refers to all blobs that the parent refers to


class FoundSession(Struct, frozen=True):
    """A session that a history belongs to, or continues."""

    session: str
    key: str  # the one of the keys asked for that was found
    by: Literal["tip", "view"]  # an epoch's tip, or a message of a view that was sent
    touched: int  # the session's newest save, in ms since 1970


class SessionRow(Struct, frozen=True):
    """One session in a list."""

    who: SessionId
    format: str
    model: str
    parent: str
    created: int  # ms since 1970
    touched: int
    epochs: int
    receipts: int
    blobs: int
    blob_bytes: int  # as they were
    gone: int = 0  # of the receipts, those that retention took


class Sizes(Struct, frozen=True):
    """The content of a store, and its size."""

    sessions: int
    epochs: int
    receipts: int
    blobs: int
    blob_bytes: int  # as they were
    stored_bytes: int  # of blobs, compressed
    receipt_bytes: int
    file_bytes: int  # on disk, write-ahead log included; 0: in memory
    free_bytes: int  # of these, given back by `gc`
    oldest: int  # when the oldest session was created, in ms since 1970; 0: none
    place: str  # where it is
    schema: int  # number of its newest migration; 0: none


class Freed(Struct, frozen=True):
    """What `gc` or `purge` deleted."""

    sessions: int = 0
    receipts: int = 0
    blobs: int = 0
    bytes: int = 0  # of blobs, as they were stored
    pending: bool = False  # others still read the store as it was: copies stay in it until the next purge or `gc`


class Store(Protocol):
    """The methods of a store. All can be called from several threads; every failure is a StoreError."""

    def load(self, who: SessionId) -> State | None:
        """The session as it was last saved; None if it never was."""

    def save(self, state: State, change: SessionUpdate) -> State:
        """Save a change onto the state it was made from, whole or not at all; the state after it.

        Raises Conflict if the session is at another revision, StoreError if the receipts do not continue its chain.
        """

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        """Sessions with an epoch's tip or a sent view's key among these keys: those of the latest keys first."""

    def list_receipts(self, who: SessionId, first: int = 0, last: int | None = None) -> Iterator[Link]:
        """Receipts numbered `first` to `last`, both included, in order."""

    def get_blob(self, tenant: str, handle: str) -> Blob | None:
        """The bytes stored under a handle or a longer prefix of an id; None if there are none.

        Raises StoreError if several begin so, or if the bytes are not the bytes that were saved.
        """

    def list_blobs(self, who: SessionId) -> tuple[BlobRef, ...]:
        """The blobs a session refers to, in the order they were saved."""

    def get_manifest(self, who: SessionId, sequence: int) -> tuple[str, ...] | None:
        """Ids of all pieces of the raw document of a request; None if it was not kept."""

    def list_manifests(self, who: SessionId) -> tuple[Manifest, ...]:
        """List how to reassemble the raw documents of a session's requests, as far as they were stored, in order."""

    def list_sessions(self, tenant: str | None = None) -> tuple[SessionRow, ...]:
        """The sessions of a tenant, or of all, last touched first."""

    def purge(self, tenant: str, session: str | None = None) -> Freed:
        """Delete a session, or all of a tenant's, and every blob that no other session refers to; no byte stays.

        Nothing else is stopped or rejected. A process that still reads the store's earlier state keeps copies in it:
        `Freed.pending` says so, and the next `purge` or `collect_garbage` deletes them.
        """

    def collect_garbage(
        self,
        now: int,
        retention_s: float,
        forget_s: float | None = None,
        every_s: float = 0.0,
        receipts_s: float | None = None,
    ) -> Freed:
        """Remove old data: blobs, views and manifests of sessions idle for `retention_s` seconds.

        Plans stay, unless the session was idle for `forget_s` seconds. Receipts saved more than `receipts_s` seconds
        ago are deleted, but never a session's newest (`anchor.LEAST`), and leave an anchor. `now` is in ms since 1970.
        With `every_s`, as engines call it, nothing is done if any process did it within that time; a store may then
        leave a part for the next time, so that no request waits long.
        """

    def measure_sizes(self) -> Sizes:
        """Counts and sizes of the stored data."""

    def snapshot(self) -> AbstractContextManager["Store"]:
        """The store as it is at one moment, to read from, whatever others write meanwhile."""

    def with_wait_limit(self, wait_s: float) -> "Store":
        """The same store with limited waits: calls wait at most `wait_s` seconds for others, then raise."""

    def close(self) -> None:
        """Give back what it holds open. A closed store may be used again: it opens itself."""


def make_state(who: SessionId) -> State:
    """The state of a session that was never saved."""
    return State(who, head=start(who.tenant, who.session))


def apply_update(state: State, change: SessionUpdate) -> State:
    """The state after a change: what `save` returns, and what `load` returns from then on."""
    return replace(
        state,
        revision=state.revision + 1,
        plan=Plan((*state.plan.epochs, *change.epochs)) if change.epochs else state.plan,
        clock=state.clock if change.clock is None else change.clock,
        calibrations={**state.calibrations, **(change.calibrations or {})},
        pins=state.pins if change.pins is None else change.pins,
        head=change.receipts[-1].hash if change.receipts else state.head,
        receipts=state.receipts + len(change.receipts),
        tip=change.tip or state.tip,
        format=change.format or state.format,
        model=change.model or state.model,
        parent=change.parent or state.parent,
        created=state.created or change.at,
        touched=max(state.touched, change.at),
    )
