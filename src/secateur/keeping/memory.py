"""What an engine remembers of its sessions, each with a lock of its own.

Rule: one request of a session at a time, and no session waits for another. What is remembered beside what a store
holds only saves work: dropping it changes no byte.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from msgspec import Struct

from secateur import forking
from secateur.keeping.branches import Branches
from secateur.keeping.hashing import Running
from secateur.keeping.naming import is_open
from secateur.keeping.pieces import Pieces
from secateur.keeping.rewritten import Lost
from secateur.keeping.views import Chain
from secateur.model import Epoch, Message
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.render.emitter import Emitter
from secateur.session import Projection
from secateur.session.prefix import Prefix
from secateur.stores.protocol import State, Who


class SkippedDecision(Struct, frozen=True):
    """A decision to prune nothing, and the numbers that it was made by."""

    window: int
    used: int
    reason: str


class RepairedRequest(Struct, frozen=True):
    """A request's messages as they came, and as they were sent on but for edits: repaired."""

    came: tuple[Message, ...]
    repaired: tuple[Message, ...]


class Desk:
    """One session's place: its state as it was last saved, and the work of its last request."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.work: Projection | None = None
        self.emitter = Emitter()
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
        self.sent = Running()
        self.prefix = Prefix()
        self.branches: Branches | None = None  # None: not known yet
        self.lost = Lost()

    def discard_work(self) -> None:
        """Forget what was read and written: an error may have left it half made."""
        self.work, self.emitter = None, Emitter()

    def went_out(self, work: Projection, receipt: Receipt) -> None:
        """A view was sent. A side call that nothing was done to says nothing of the line that it stands beside."""
        self.last = receipt
        if self.shown is None or not self.shown.epochs or work.plan.epochs or self._goes_on(work):
            self.shown = work.plan
        if self.branches is not None:
            self.branches.add(receipt)

    def _goes_on(self, work: Projection) -> bool:
        """Whether this history holds a point at which the last view's epochs were opened."""
        tips = {epoch.tip for epoch in self.shown.epochs} if self.shown is not None else set()
        return any(message.key in tips for message in work.document.transcript.messages)

    def recall(self, loaded: State) -> None:
        """Hold on to epochs that were kept and are not there any more: the store was replaced, or a copy was put back.

        Views were sent with them; they are kept anew with the next request.
        """
        known, self.known = self.known, None
        if known is None or known.revision <= loaded.revision:
            return
        kept = loaded.plan.epochs
        if known.plan.epochs[: len(kept)] == kept:
            self.unsaved = known.plan.epochs[len(kept) :]

    def again(self) -> "Desk":
        """A new desk of the same session: what it had kept, and nothing of a request at hand."""
        new = Desk()
        new.state, new.known, new.unsaved, new.waiting = self.state, self.known, self.unsaved, self.waiting
        new.shown, new.last, new.branches = self.shown, self.last, self.branches
        return new


def has_view(state: State | None) -> bool:
    """Whether a view of the session was ever sent: a request that failed leaves its receipt and nothing else."""
    return state is not None and bool(state.tip or state.plan.epochs)


class Memory:
    """At most `most` desks, the longest unused ones go first; one that is in use never goes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._desks: OrderedDict[Who, Desk] = OrderedDict()
        self._lock = Lock()
        forking.listed(self)

    def before_fork(self) -> None:
        """Nobody takes a desk or gives one back."""
        self._lock.acquire()

    def after_fork(self, child: bool) -> None:
        """In the child nobody is at a desk; those that somebody was at when the process was copied are made anew."""
        if child:
            for who in [who for who, desk in self._desks.items() if desk.users]:
                self._desks[who] = self._desks[who].again()
        self._lock.release()

    @contextmanager
    def desk(self, who: Who) -> Iterator[Desk]:
        """The desk of a session, for this thread alone until it is given back."""
        with self._lock:
            desk = self._desks.pop(who, None) or Desk()
            self._desks[who] = desk
            desk.users += 1
        try:
            with desk.lock:
                yield desk
        finally:
            with self._lock:
                desk.users -= 1
                self._tidy()

    @contextmanager
    def free(self, who: Who) -> Iterator[Desk | None]:
        """The desk of a session that nobody is at; None where somebody is, or it is forgotten."""
        with self._lock:
            desk = self._desks.get(who)
            if desk is not None and not desk.lock.acquire(blocking=False):
                desk = None
            elif desk is not None:
                desk.users += 1
        try:
            yield desk
        finally:
            if desk is not None:
                desk.lock.release()
                with self._lock:
                    desk.users -= 1

    def has(self, who: Who) -> bool:
        """Whether a session of which a view was sent is remembered."""
        desk = self._desks.get(who)
        return desk is not None and desk.state is not None and has_view(desk.state)

    def nearest(self, tenant: str, keys: tuple[str, ...]) -> str:
        """The session without a name, or of the same owner, that ends deepest in this history; "" for none."""
        places = {key: number for number, key in enumerate(keys)}
        with self._lock:
            known = [
                (who, desk) for who, desk in self._desks.items() if who.tenant == tenant and desk.state and is_open(who)
            ]
        found = [
            (max(places.get(desk.state.tip, -1) if desk.state else -1, places.get(desk.chain.key, -1)), who.session)
            for who, desk in known
        ]
        deepest = max(found, default=(-1, ""))
        return deepest[1] if deepest[0] >= 0 else ""

    def waiting(self) -> list[Who]:
        """Sessions of which only receipts wait for the store, and that nobody is at."""
        with self._lock:
            alone = [(who, desk) for who, desk in self._desks.items() if not desk.users]
        return [who for who, desk in alone if desk.waiting and not desk.unsaved]

    def clear(self) -> None:
        """Forget all that is not in use."""
        with self._lock:
            self._tidy(0)

    def _tidy(self, most: int | None = None) -> None:
        over = len(self._desks) - (self._most if most is None else most)
        for who in [who for who, desk in self._desks.items() if not desk.users][: max(0, over)]:
            del self._desks[who]
