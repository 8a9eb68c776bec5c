"""Detects requests that were sent before: here, or at another proxy on the same store.

Rule: a request that this process saw is known by its bytes. One that another process saw is known by the stored
session: the end of the history that was sent last. Nothing is guessed: if a session has advanced since, the request is
not a retry but continues it.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from msgspec import Struct

from secateur import documents
from secateur.sessions import SessionManager
from secateur.stores.protocol import SessionId, State

_REQUESTS = 4_096  # by which a retry is known

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The last few values, by key; for several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value, which becomes the newest; None without one."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def list_values(self) -> list[V]:
        """All of them."""
        with self._lock:
            return [*self._values.values()]

    def put(self, key: K, value: V) -> None:
        """Keep a value; the one that was unused longest goes."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)


class RequestText(Struct, frozen=True):
    """The text that identifies a request."""

    format: str
    model: str
    session: str
    body: bytes

    @property
    def mark(self) -> tuple[str, str, str, int, int]:
        """A short value for it, which holds in this process alone."""
        return self.format, self.model, self.session, len(self.body), hash(self.body)


class Retries:
    """The requests of one editor."""

    def __init__(self) -> None:
        self._known: Recent[tuple[object, ...], SessionId] = Recent(_REQUESTS)

    def note(self, tenant: str, text: RequestText, who: SessionId) -> None:
        """A request was answered with a view of this session."""
        self._known.put((tenant, *text.mark), who)

    def find(self, tenant: str, text: RequestText) -> SessionId | None:
        """The session of a request that was asked here before; None if it is new."""
        return self._known.get((tenant, *text.mark))


def find_asked_elsewhere(
    sessions: SessionManager, tenant: str, text: RequestText, receipts: int | None
) -> SessionId | None:
    """The session of a request that another process was asked with last; None if it is new.

    `receipts` is how many the session had after the newest request of this process; None if there was none. Raises
    StoreError where the store does not answer.
    """
    access = sessions.reach
    assert access is not None
    sessions.begin()
    state: State | None = None
    if text.session:
        who = SessionId(text.session, tenant)
        if receipts is not None and not any(access.list_receipts(who, receipts, receipts)):
            return None  # the session has not advanced: checking that costs less than reading all of its epochs
        state = access.load(who)
        if state is None or not state.tip:
            return None
    last = sessions.memory.find_grown(tenant, text.body)
    transcript = documents.read_on(last, text.body, text.format, text.model)[0].transcript
    if state is None and transcript.messages:
        state = sessions.find(SessionId("", tenant), transcript).state
    is_same = state is not None and transcript.messages and state.tip == transcript.messages[-1].key
    return state.who if state is not None and is_same else None
