"""Which session a model's question is about.

Rule: never guessed by time or by name alike. It is the session the server was started for; else the one whose handle
the asker has seen, since handles stand in its own context and cannot be guessed; else the only one there is. A handle
of another tenant's names nothing.
"""

from pathlib import Path

from secateur.errors import ConfigError, StoreError
from secateur.lineage import HANDLE_DIGITS
from secateur.stores import open_store
from secateur.stores.protocol import Blob, BlobRef, SessionId, State, Store
from secateur.stores.sqlite import SqliteStore

SEEN = "give `seen`, a handle that stands in your context (`recall 1a2b3c4d5e6f`)"


class Scope:
    """Finds the session. With `remember`, where one asker has the server for itself, a handle need be told once."""

    def __init__(self, url: str, tenant: str = "", session: str = "", remember: bool = True) -> None:
        self.url = url
        self.tenant = tenant
        self.store: Store = open_store(url)
        self._session = session
        self._remember = remember
        self._found = ""

    def session(self, seen: str = "") -> State:
        """The session that is asked about. Raises ConfigError, StoreError."""
        self._there()
        if self._session:
            return self._named(self._session)
        if seen:
            return self._of(seen)
        if self._found:
            return self._named(self._found)
        rows = self.store.sessions(self.tenant)
        if len(rows) != 1:
            raise ConfigError(f"{len(rows)} sessions are kept here, and it is not known which is yours: {SEEN}")
        return self._named(rows[0].who.session)

    def blob(self, handle: str) -> tuple[State, Blob]:
        """The bytes under a handle, and the session that refers to them. Raises ConfigError, StoreError."""
        self._there()
        state = self.session(handle if len(_plain(handle)) >= HANDLE_DIGITS else "")
        blob = self.store.blob(self.tenant, _plain(handle)) if self.holds(state, handle) else None
        if blob is None:
            raise StoreError(
                f"nothing is kept under {handle!r} for this session: `removed` lists its handles; old bytes may be gone"
            )
        return state, blob

    def holds(self, state: State, handle: str) -> bool:
        """Whether a session refers to bytes of this handle."""
        return any(one.id.startswith(_plain(handle)) for one in held(self.store, state))

    def _there(self) -> None:
        if isinstance(self.store, SqliteStore) and not Path(self.store.path).exists():
            raise StoreError("nothing is kept here yet: nothing was removed, or sessions are kept in another store")

    def _named(self, name: str) -> State:
        state = self.store.load(SessionId(name, self.tenant))
        if state is None:
            raise StoreError(f"there is no session {name!r} yet: nothing was removed so far")
        return state

    def _of(self, handle: str) -> State:
        """The session, last touched, that refers to these bytes."""
        if len(_plain(handle)) < HANDLE_DIGITS:
            raise ConfigError(f"{handle!r} is too short to tell a session by: give all {HANDLE_DIGITS} digits")
        if self.store.blob(self.tenant, _plain(handle)) is not None:
            for row in self.store.sessions(self.tenant):
                state = self.store.load(row.who)
                if state is not None and self.holds(state, handle):
                    self._found = row.who.session if self._remember else ""
                    return state
        raise StoreError(
            f"nothing is kept under {handle!r}: copy it as it stands in a placeholder; what is old may be gone"
        )


def held(store: Store, state: State) -> tuple[BlobRef, ...]:
    """What left the session's views and can be read back; pieces of raw documents aside."""
    return tuple(one for one in store.blobs(state.who) if one.id and one.kind != "raw")


def _plain(handle: str) -> str:
    return handle.strip().lower().removeprefix("recall").strip(" []`'\"")
