"""Which session a request belongs to, and what it has from others.

Rule: a session is found by its tenant and name, or by the lineage of what was said; never by a last message alone. A
history that goes on where a session stands, or that holds a view of it, is that session's; one that parts from it is a
new session's, which has the epochs whose tips lie in its history, and no bytes of the other. A session that nobody
named is nobody's: two with the same history cannot be told apart, so it has no pins, no clock, no calibration, no undo.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.keeping.memory import has_view
from secateur.keeping.naming import is_open, made_name
from secateur.keeping.views import lineage, raw_tip
from secateur.model import Transcript
from secateur.plan import Plan, branch
from secateur.stores.protocol import Clock, Found, State, Store, Who


class Place(Struct, frozen=True):
    """The session of a request."""

    session: str
    state: State | None = None  # None: never saved
    inherited: Plan = Plan()  # epochs of another session, which this one has not saved yet
    parent: str = ""  # that session
    owned: bool = True  # its caller named it, or its owner: it has pins, a clock and a calibration of its own

    def seen(self, state: State) -> State:
        """The state as this request may know it: what others may share with it by lineage is epochs alone."""
        return state if self.owned else replace(state, clock=Clock(), calibrations={}, pins=())


def place(store: Store, tenant: str, session: str, read: Transcript) -> Place:
    """Where a request belongs whose session has no name ("") or was never saved. Raises StoreError."""
    keys = lineage(read)
    found = _deepest(store.find(tenant, keys))
    for one in found:
        state = store.load(Who(one.session, tenant))
        near = raw_tip(one.key) and not session and is_open(Who(one.session, tenant))
        goes_on = near and state is not None and state.tip in keys
        if state is not None and (goes_on or (one.by == "view" and not raw_tip(one.key))):
            return Place(one.session, state, owned=bool(tenant) or one.session == session)
    owned = bool(tenant or session)
    name = session or _free(store, tenant, read)
    for one in found:
        state = store.load(Who(one.session, tenant))
        plan = branch(state.plan, frozenset(keys)) if state else Plan()
        if plan.epochs:
            return Place(name, None, plan, one.session, owned)
    return Place(name, owned=owned)


def _deepest(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Those that lie deepest in the history; a key and its mark as a raw tip are one place."""
    at = (raw_tip(found[0].key) or found[0].key) if found else ""
    return tuple(one for one in found if at in (one.key, raw_tip(one.key)))


def _free(store: Store, tenant: str, read: Transcript) -> str:
    """A name that nobody has: of the first keys, so that the same beginning gives the same name."""
    key = read.messages[-1].key if read.messages else ""
    number = 0
    while True:
        name = made_name(key, number)
        if not has_view(store.load(Who(name, tenant))):
            return name
        number += 1
