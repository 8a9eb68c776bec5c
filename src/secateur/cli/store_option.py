"""The store that a command works on, opened; a session in it, found by its name or the beginning of its name.

Rule: a store that is not there yet is not made by asking it something; what is not found is said with what to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from msgspec import Struct

from secateur.cli.exit_codes import UsageError
from secateur.stores import default_url, open_store
from secateur.stores.protocol import SessionId, SessionRow, State, Store
from secateur.stores.sqlite import SqliteStore

_START = "keep sessions with `secateur prune FILE --store URL` or `Engine(store=...)`, or name another one with --store"


class OpenedStore(Struct, frozen=True):
    """A store, and where it is."""

    url: str
    store: Store


@contextmanager
def open_existing_store(said: str) -> Iterator[OpenedStore]:
    """The store that `--store` names, else the default one. Raises Refused where there is none yet."""
    url = said or default_url()
    store = open_store(url)
    if isinstance(store, SqliteStore) and not store.path.exists():
        raise UsageError(f"nothing is kept at {url} yet: {_START}")
    try:
        yield OpenedStore(url, store)
    finally:
        store.close()


def find_session(kept: OpenedStore, tenant: str, name: str) -> State:
    """The session of this name, or the only one whose name begins so. Raises Refused."""
    state = kept.store.load(SessionId(name, tenant))
    if state is not None:
        return state
    names = [row.who.session for row in kept.store.sessions(tenant)]
    begin = [one for one in names if one.startswith(name)]
    found = kept.store.load(SessionId(begin[0], tenant)) if len(begin) == 1 else None
    if found is None:
        raise UsageError(f"there is no session {name!r} at {kept.url}: {_suggest_name(name, names, begin)}")
    return found


def list_session_rows(said: str, tenant: str | None) -> tuple[SessionRow, ...]:
    """The sessions of a store, last touched first; none where there is no store."""
    try:
        with open_existing_store(said) as kept:
            return kept.store.sessions(tenant)
    except UsageError:
        return ()


def _suggest_name(name: str, names: list[str], begin: list[str]) -> str:
    if begin:
        return f"{len(begin)} begin so, {', '.join(begin[:4])}: give more of it"
    near = get_close_matches(name, names, 1)
    return f"did you mean {near[0]!r}?" if near else "`secateur sessions` lists them"
