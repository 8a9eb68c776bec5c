"""Which session a model's question is about.

Rule: never guessed by time or by name alone. It is the session the server was started for; else the one whose handle
the caller has seen, since handles are in its own context and cannot be guessed; else the only one there is. Another
tenant's handles are unknown.
"""

from pathlib import Path

from secateur.answers.recall import normalize_handle
from secateur.errors import ConfigError, StoreError
from secateur.lineage import HANDLE_DIGITS
from secateur.stores import open_store
from secateur.stores.protocol import Blob, BlobRef, SessionId, State, Store
from secateur.stores.sqlite import SqliteStore

NOTHING_KEPT = "nothing is kept here yet: nothing was removed, or sessions are kept in another store"
SEEN = "give `seen`, a handle that stands in your context (`recall 1a2b3c4d5e6f`)"


class Scope:
    """Finds the session. With `remember`, if one caller has the server for itself, a handle is needed only once."""

    def __init__(self, store: str | Store, tenant: str = "", session: str = "", remember: bool = True) -> None:
        self.url = store if isinstance(store, str) else ""
        self.tenant = tenant
        self.store: Store = open_store(store) if isinstance(store, str) else store
        self._session = session
        self._remember = remember
        self._found = ""

    def get_session(self, seen: str = "") -> State:
        """Return the session in question. Raises ConfigError, StoreError."""
        self._check_store()
        if self._session:
            return self._load_session(self._session)
        if seen:
            return self._find_session(seen)
        if self._found:
            return self._load_session(self._found)
        rows = self.store.list_sessions(self.tenant)
        if not rows:
            raise StoreError(NOTHING_KEPT)
        if len(rows) != 1:
            raise ConfigError(f"{len(rows)} sessions are kept here, and it is not known which is yours: {SEEN}")
        return self._load_session(rows[0].who.session)

    def get_blob(self, handle: str) -> tuple[State, Blob]:
        """Return the bytes of a handle and the session that refers to them. Raises ConfigError, StoreError."""
        self._check_store()
        state = self.get_session(handle if len(normalize_handle(handle)) >= HANDLE_DIGITS else "")
        blob = self.store.get_blob(self.tenant, normalize_handle(handle)) if self.has_handle(state, handle) else None
        if blob is None:
            raise StoreError(
                f"nothing is kept under {handle!r:.80} for this session: copy it as it stands in a placeholder; "
                "what is old may be gone"
            )
        return state, blob

    def has_handle(self, state: State, handle: str) -> bool:
        """Return whether a session refers to bytes of this handle."""
        return any(one.id.startswith(normalize_handle(handle)) for one in list_held(self.store, state))

    def _check_store(self) -> None:
        if isinstance(self.store, SqliteStore) and not Path(self.store.path).exists():
            raise StoreError(NOTHING_KEPT)

    def _load_session(self, name: str) -> State:
        state = self.store.load(SessionId(name, self.tenant))
        if state is None:
            raise StoreError(f"no session {name!r} is kept here: nothing was removed so far, or its record was deleted")
        return state

    def _find_session(self, handle: str) -> State:
        """Return the most recently used session that refers to these bytes."""
        if len(normalize_handle(handle)) < HANDLE_DIGITS:
            raise ConfigError(f"{handle!r:.80} is too short to tell a session by: give all {HANDLE_DIGITS} digits")
        if self.store.get_blob(self.tenant, normalize_handle(handle)) is not None:
            for row in self.store.list_sessions(self.tenant):
                state = self.store.load(row.who)
                if state is not None and self.has_handle(state, handle):
                    self._found = row.who.session if self._remember else ""
                    return state
        raise StoreError(
            f"nothing is kept under {handle!r:.80}: copy it as it stands in a placeholder; what is old may be gone"
        )


def list_held(store: Store, state: State) -> tuple[BlobRef, ...]:
    """Return what left the session's views and can be read back, without pieces of raw documents."""
    return tuple(one for one in store.list_blobs(state.who) if one.id and one.kind != "raw")
