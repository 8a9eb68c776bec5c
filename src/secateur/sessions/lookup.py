"""Which session a request belongs to, what it inherits from others, and the names of sessions that have none.

Rule: a session is found by its tenant and name, or by the lineage of what was said; never by a last message alone. A
history that continues a session, or that contains a view of it, is that session's; one that diverges becomes a new
session, with the epochs whose heads are in its history, and no bytes of the other. Two sessions with the same history
cannot be told apart by it. So what sessions share by lineage is epochs; pins, the cache clock, calibrations and undo
belong to a session that its caller named, or to a tenant, who owns all of its sessions.
"""

import re
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import ConfigError
from secateur.lineage import hash_text
from secateur.model import Transcript
from secateur.plan import Plan, branch_for
from secateur.sessions.view_lineage import list_lineage_keys, parse_raw_tip
from secateur.stores.protocol import Clock, SessionId, State, Store

_NEAR = 64  # messages
MOST_LOADED = 32  # sessions with the same beginning: one that is used again was used lately


class SessionMatch(Struct, frozen=True):
    """The session of a request."""

    session: str
    state: State | None = None  # None: never saved
    inherited: Plan = Plan()  # epochs of another session, which this one has not saved yet
    parent: str = ""  # that session
    owned: bool = True  # its caller named it, or its owner: it has pins, a clock and a calibration of its own

    def limit_state(self, state: State) -> State:
        """The state this request may use: what is shared by lineage with other sessions is epochs alone."""
        return state if self.owned else replace(state, clock=Clock(), calibrations={}, pins=())


def place(store: Store, tenant: str, session: str, read: Transcript) -> SessionMatch:
    """Where a request belongs whose session has no name ("") or was never saved. Raises StoreError."""
    # A history mostly goes on near its end, so the keys of its last messages are looked up first.
    near = list_lineage_keys(read.messages[-_NEAR:])
    list_all = cache(lambda: list_lineage_keys(read.messages))
    found = store.find(tenant, near) or (store.find(tenant, list_all()) if len(read.messages) > _NEAR else ())
    at = (parse_raw_tip(found[0].key) or found[0].key) if found else ""  # a key and its mark are one place
    found = tuple(one for one in found if at in (one.key, parse_raw_tip(one.key)))[:MOST_LOADED]
    for one in found:
        state = store.load(SessionId(one.session, tenant))
        is_raw = parse_raw_tip(one.key) and not session and is_open(SessionId(one.session, tenant))
        goes_on = is_raw and state is not None and (state.tip in near or state.tip in list_all())
        if state is not None and (goes_on or (one.by == "view" and not parse_raw_tip(one.key))):
            return SessionMatch(one.session, state, owned=bool(tenant) or one.session == session)
    owned = bool(tenant or session)
    name = session or _find_free_name(store, tenant, read)
    for one in found:
        state = store.load(SessionId(one.session, tenant))
        plan = branch_for(state.plan, frozenset(list_all())) if state else Plan()
        if plan.epochs:
            return SessionMatch(name, None, plan, one.session, owned)
    return SessionMatch(name, owned=owned)


def _find_free_name(store: Store, tenant: str, read: Transcript) -> str:
    """An unused name made from the first keys, so that the same beginning gives the same name."""
    key = read.messages[-1].key if read.messages else ""
    number = 0
    while True:
        name = make_name(key, number)
        if not has_view(store.load(SessionId(name, tenant))):
            return name
        number += 1


UNNAMED = "unnamed-"  # what names begin with that are made of a history
_DIGITS = 16  # hex digits that follow
_MADE = re.compile(rf"{UNNAMED}[0-9a-f]{{{_DIGITS}}}")


def make_name(key: str, number: int) -> str:
    """The name of a session whose first history ended in this key; `number` makes it unique."""
    return UNNAMED + hash_text(f"{key} {number}" if number else key)[:_DIGITS]


def is_owned(who: SessionId) -> bool:
    """Whether a session is somebody's: it has a tenant, or a name that its caller gave."""
    return bool(who.tenant) or not _MADE.fullmatch(who.session)


def is_open(who: SessionId) -> bool:
    """Whether a request without a name may go on there: not where a caller's name stands and no tenant owns both."""
    return bool(who.tenant) or bool(_MADE.fullmatch(who.session))


def require_owned(who: SessionId, what: str) -> SessionId:
    """Return the session if it has an owner. Raises ConfigError otherwise."""
    if is_owned(who):
        return who
    raise ConfigError(
        f"session {who.session!r} is named after its history, which another session may share: {what} needs a name "
        "(session='...' in the library, --session on the command line) or an owner (tenant)"
    )


def has_view(state: State | None) -> bool:
    """Whether a view of the session was ever sent: a request that failed leaves its receipt and nothing else."""
    return state is not None and bool(state.tip or state.plan.epochs)
