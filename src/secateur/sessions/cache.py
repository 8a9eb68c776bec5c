"""What an engine remembers of its sessions, each with a lock of its own; and the branch that a request continues from.

Rule: one request of a session at a time, and no session waits for another. Memory only saves work: dropping it changes
no byte.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from secateur import forking
from secateur.api import Violation
from secateur.documents import Document, is_grown
from secateur.jsontext import Text
from secateur.model import Epoch, Message
from secateur.plan import Plan
from secateur.projection import Projection
from secateur.receipt import Receipt
from secateur.render.emitter import Emitter
from secateur.sessions.lookup import Chain, has_view, is_open
from secateur.sessions.pieces import Pieces
from secateur.sessions.receipt_log import SentHash
from secateur.sessions.request_tree import Branches, PrefixHash
from secateur.sessions.void_edits import MissingParts
from secateur.stores.protocol import SessionId, State


class Branch(Struct, frozen=True):
    """The plan that a view is to be made with, and where it is in the session's own."""

    plan: Plan
    saved: int  # its first so many epochs are in the store
    offset: int  # as the session's epochs from this number on


def shift_reverts(epochs: tuple[Epoch, ...], by: int) -> tuple[Epoch, ...]:
    """The epochs as part of a plan where they start `by` places later."""
    if not by:
        return epochs
    return tuple(one if one.reverts is None else replace(one, reverts=one.reverts + by) for one in epochs)


class SkippedDecision(Struct, frozen=True):
    """A decision to prune nothing, and the numbers that it was made by."""

    window: int
    used: int
    reason: str


class RepairedRequest(Struct, frozen=True):
    """A request's messages as received, and as they were sent on but for edits: repaired."""

    came: tuple[Message, ...]
    repaired: tuple[Message, ...]


class CachedSession:
    """One session's place: its state as it was last saved, and the work of its last request."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.work: Projection | None = None
        self.state: State | None = None  # None: not loaded yet
        self.known: State | None = None  # as it was kept before it was loaded again
        self.unsaved: tuple[Epoch, ...] = ()  # opened while there was no store to keep them
        self.shown: Plan | None = None  # what the last view was made with; None: not known yet
        self.last: Receipt | None = None
        self.waiting: tuple[Receipt, ...] = ()  # that no store has yet
        self.repaired: RepairedRequest | None = None  # the last request sent, before and after its repairs
        self.skipped: SkippedDecision | None = None  # of the last request, where nothing was pruned
        self.pieces = Pieces()
        self.chain = Chain()
        self.sent = SentHash()
        self.prefix = PrefixHash()
        self.branches: Branches | None = None  # None: not known yet
        self.lost = MissingParts()

    @cached_property
    def emitter(self) -> Emitter:
        """The edits of the session's views in the coordinates of its documents."""
        return Emitter()

    def validate(self, work: Projection) -> list[Violation]:
        """What the provider would reject of the view; nothing of one without edits, which is the request itself."""
        return self.emitter.find_new_violations(work) if work.fold.parts or work.ranges else []

    def discard_work(self) -> None:
        """Forget what was read and written: an error may have left it half made."""
        self.work = None
        self.__dict__.pop("emitter", None)

    def record_sent(self, work: Projection, receipt: Receipt) -> None:
        """Record that a view was sent. A side call without edits does not change the main line."""
        self.last = receipt
        if self.shown is None or not self.shown.epochs or work.plan.epochs or self._is_continued(work):
            self.shown = work.plan
        if self.branches is not None:
            self.branches.add(receipt)

    def _is_continued(self, work: Projection) -> bool:
        """Whether this history contains a point where the last view's epochs were opened."""
        tips = {epoch.head_key for epoch in self.shown.epochs} if self.shown is not None else set()
        return any(message.key in tips for message in work.document.transcript.messages)

    def recall(self, loaded: State) -> None:
        """Keep epochs that were saved and are missing now: the store was replaced, or a copy was restored.

        Views were sent with them; they are saved again with the next request.
        """
        known, self.known = self.known, None
        if known is None or known.revision <= loaded.revision:
            return
        kept = loaded.plan.epochs
        if known.plan.epochs[: len(kept)] == kept:
            self.unsaved = known.plan.epochs[len(kept) :]

    def copy_idle(self) -> "CachedSession":
        """A new working state of the same session, without anything of a request in progress."""
        new = CachedSession()
        new.state, new.known, new.unsaved, new.waiting = self.state, self.known, self.unsaved, self.waiting
        new.shown, new.last, new.branches = self.shown, self.last, self.branches
        return new


class SessionCache:
    """At most `most` desks, the longest unused ones go first; one that is in use never goes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sessions: OrderedDict[SessionId, CachedSession] = OrderedDict()
        self._lock = Lock()
        forking.register_forks(self)

    def prepare_fork(self) -> None:
        """Hold the lock, so that no session is checked out or returned."""
        self._lock.acquire()

    def resume_after_fork(self, child: bool) -> None:
        """Renew sessions in the child that were checked out at the fork, and release the lock."""
        if child:
            for who in [who for who, cached in self._sessions.items() if cached.users]:
                self._sessions[who] = self._sessions[who].copy_idle()
        self._lock.release()

    @contextmanager
    def check_out(self, who: SessionId) -> Iterator[CachedSession]:
        """Check out the working state of a session for this thread alone, until it is returned."""
        with self._lock:
            cached = self._sessions.pop(who, None) or CachedSession()
            self._sessions[who] = cached
            cached.users += 1
        try:
            with cached.lock:
                yield cached
        finally:
            with self._lock:
                cached.users -= 1
                self._tidy()

    @contextmanager
    def try_check_out(self, who: SessionId) -> Iterator[CachedSession | None]:
        """Check out a session that is not in use; None if it is in use or no longer cached."""
        with self._lock:
            cached = self._sessions.get(who)
            if cached is not None and not cached.lock.acquire(blocking=False):
                cached = None
            elif cached is not None:
                cached.users += 1
        try:
            yield cached
        finally:
            if cached is not None:
                cached.lock.release()
                with self._lock:
                    cached.users -= 1

    def has(self, who: SessionId) -> bool:
        """Whether a session of which a view was sent is remembered."""
        cached = self._sessions.get(who)
        return cached is not None and cached.state is not None and has_view(cached.state)

    def find_nearest(self, tenant: str, keys: tuple[str, ...]) -> str:
        """The unnamed session of this tenant that ends deepest in this history; "" for none."""
        places = {key: number for number, key in enumerate(keys)}
        with self._lock:
            known = [
                (who, cached)
                for who, cached in self._sessions.items()
                if who.tenant == tenant and cached.state and is_open(who)
            ]
        found = [
            (
                max(places.get(cached.state.tip, -1) if cached.state else -1, places.get(cached.chain.key, -1)),
                who.session,
            )
            for who, cached in known
        ]
        deepest = max(found, default=(-1, ""))
        return deepest[1] if deepest[0] >= 0 else ""

    def find_grown(self, tenant: str, data: bytes) -> Document | None:
        """The last request of the session used last that this one continues from; None if it continues from none."""
        with self._lock:
            known = [cached.work for who, cached in reversed(self._sessions.items()) if who.tenant == tenant]
        last = (work.last_document for work in known if work is not None)
        return next((one for one in last if one is not None and is_grown(one, data)), None)

    def list_waiting(self) -> list[SessionId]:
        """Idle sessions where only receipts still have to be stored."""
        with self._lock:
            alone = [(who, cached) for who, cached in self._sessions.items() if not cached.users]
        return [who for who, cached in alone if cached.waiting and not cached.unsaved]

    def count_bytes(self) -> int:
        """Bytes of the requests that are remembered; what was made of them takes about twice as much again."""
        with self._lock:
            return sum(map(_count_body, self._sessions.values()))

    def shrink(self, most_bytes: int) -> None:
        """Forget sessions, the longest unused first, until the requests that are remembered have so many bytes.

        A session that is in use stays, and so does one of which something still has to be stored.
        """
        with self._lock:
            size = sum(map(_count_body, self._sessions.values()))
            for who, cached in [*self._sessions.items()]:
                if size <= most_bytes:
                    return
                if not (cached.users or cached.unsaved or cached.waiting):
                    size -= _count_body(cached)
                    del self._sessions[who]

    def clear(self) -> None:
        """Forget all that is not in use."""
        with self._lock:
            self._tidy(0)

    def _tidy(self, most: int | None = None) -> None:
        over = len(self._sessions) - (self._most if most is None else most)
        for who in [who for who, cached in self._sessions.items() if not cached.users][: max(0, over)]:
            del self._sessions[who]


def _count_body(cached: CachedSession) -> int:
    """Bytes of the request that a session is remembered by; 0 for one that is not text."""
    last = cached.work.last_document if cached.work is not None else None
    return len(last.native.data) if last is not None and type(last.native) is Text else 0
