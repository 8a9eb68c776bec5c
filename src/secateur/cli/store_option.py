"""The store that a command works on, and a session in it, found by the beginning of its name.

Rule: reading never creates a store; what is not found is an error that says what to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from secateur.cli.exit_codes import UsageError
from secateur.stores import get_default_url, hide_password, open_store
from secateur.stores.protocol import SessionId, SessionRow, State, Store
from secateur.stores.sqlite import SqliteStore
from secateur.text.suggestions import suggest_names

_START = "`secateur prune FILE --session NAME` or `Engine(store=...)` stores a session, and --store names another store"


class OpenedStore(Struct, frozen=True):
    """A store and its address."""

    url: str  # as it may be shown
    store: Store


@contextmanager
def open_existing_store(store_url: str) -> Iterator[OpenedStore]:
    """The store that `--store` names, else the default one. Raises UsageError if there is none yet."""
    url = store_url or get_default_url()
    store = open_store(url)
    if isinstance(store, SqliteStore) and not store.path.exists():
        raise UsageError(f"nothing is stored at {url} yet: {_START}")
    try:
        yield OpenedStore(hide_password(url), store)
    finally:
        store.close()


def get_shown_url(store_url: str) -> str:
    """The address of the store that `--store` names, else of the default one, without a password."""
    return hide_password(store_url or get_default_url())


def find_session(kept: OpenedStore, tenant: str, name: str, exactly: bool = False) -> State:
    """The session of this name, or, unless `exactly`, the only one whose name begins with it. Raises UsageError."""
    state = kept.store.load(SessionId(name, tenant))
    if state is not None:
        return state
    names = [row.who.session for row in kept.store.list_sessions(tenant)]
    begin = [candidate for candidate in names if name and candidate.startswith(name)]
    is_found = len(begin) == 1 and not exactly
    found_state = kept.store.load(SessionId(begin[0], tenant)) if is_found else None
    if found_state is None:
        raise UsageError(f"no session {name!r} in {kept.url}: {_suggest_name(name, names, begin)}")
    return found_state


def describe_unknown_handle(handle: str, state: State) -> str:
    """What to say of a handle that nothing removed from the session has."""
    name = state.who.session
    return f"nothing removed from session {name!r} has the handle {handle!r}: `secateur why {name}` lists removals"


def list_session_rows(store_url: str, tenant: str | None) -> tuple[SessionRow, ...]:
    """The sessions of a store, last used first; none if there is no store."""
    try:
        with open_existing_store(store_url) as kept:
            return kept.store.list_sessions(tenant)
    except UsageError:
        return ()


def _suggest_name(name: str, names: list[str], begin: list[str]) -> str:
    if len(begin) == 1:
        return f"did you mean {begin[0]}?"
    if begin:
        return f"{len(begin)} begin with it ({', '.join(begin[:4])}): give more of the name"
    near = suggest_names(name, names)
    return f"did you mean {near}?" if near else "`secateur sessions` lists them"
