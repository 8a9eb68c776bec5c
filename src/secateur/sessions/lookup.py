"""Which session a request belongs to, what it inherits, and the lineage keys by which a view finds its session.

Rule: a session is found by its tenant and name, or by the lineage of its messages; never by a last message alone. A
history that continues a session, or that contains a view of it, is that session's; one that diverges becomes a new
session, with the epochs whose heads are in its history, and no bytes of the other. Two sessions with the same history
cannot be told apart by it, so lineage shares epochs only: pins, the cache clock, calibrations and undo belong to a
session that its caller named, or to a tenant, who owns all of its sessions.

The keys of a view are those that reading the view would give. They are continued from the first message that differs
from the last view; only where an edit may read differently than it was made is the view read.
"""

import re
from copy import copy
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import documents
from secateur.documents import count_same
from secateur.errors import ConfigError
from secateur.lineage import assign_keys, find_chain_key, hash_text
from secateur.model import Message, Transcript
from secateur.plan import Plan, branch_for
from secateur.projection import Projection
from secateur.stores.protocol import Clock, SessionId, State, Store

_AS_MADE = ("text", "tool_result")  # what reads as an edit made it, where it was text alone


class Chain(Struct, frozen=True):
    """The messages of a view, the chain behind each of them ("": not known), and the key of the last one."""

    messages: tuple[Message, ...] = ()
    chain: tuple[str, ...] = ()
    key: str = ""


def extend_chain(work: Projection, before: Chain, native: Any) -> Chain:
    """The chain of the current view, `native` as sent; continues the last chain where possible."""
    raw, shown = work.document.transcript.messages, work.get_view().messages
    same = min(count_same(before.messages, shown), max(0, len(shown) - 1))  # the last message's key is computed again
    unedited = count_same(raw, shown)
    made = raw[same:unedited]  # keyed already: nothing before them is edited
    rest = shown[max(same, unedited) :]
    start = find_chain_key(raw[:unedited]) if made else before.chain[same - 1] if same else ""
    if (same and not before.chain[same - 1]) or not all([_is_read_as_made(message, work) for message in rest]):
        read = documents.read(native, work.document.format.name, work.document.transcript.model).transcript.messages
        return Chain(shown, (*[""] * (len(shown) - 1), find_chain_key(read)), read[-1].key if read else "")
    made += assign_keys([replace(message, parts=tuple(map(copy, message.parts))) for message in rest], start)
    chain, behind = [*before.chain[:same]], before.chain[same - 1] if same else ""
    for message in made:
        behind = find_chain_key((message,)) or behind
        chain.append(behind)
    return Chain(shown, tuple(chain), made[-1].key if made else before.key)


def _is_read_as_made(message: Message, work: Projection) -> bool:
    """Whether reading this message of the view gives the parts that the projection shows."""
    edits = work.fold.parts
    edited = [part for part in message.parts if part.key in edits]
    if (
        (not message.path and message.is_put_in)
        or not message.parts
        or (edited and (work.document.format.log or work.fold.stamps))
    ):
        return False
    return all([part.kind in _AS_MADE and not work.raw[part.key].fingerprint for part in edited])


def list_lineage_keys(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """All keys that may identify a session in these messages, latest last; raw tips are marked."""
    found: list[str] = []
    for message in messages:
        keys = dict.fromkeys([part.key for part in message.parts if part.kind != "reasoning"])
        for key in (*keys, message.key):
            found += (mark_raw_tip(key), key)
    return tuple(dict.fromkeys(found))


def mark_raw_tip(key: str) -> str:
    """Mark the last key of a raw history, to distinguish it from the keys of views."""
    return f"{_RAW}{key}"


def parse_raw_tip(key: str) -> str:
    """The key of a raw history's end; "" for a view's key."""
    return key.removeprefix(_RAW) if key.startswith(_RAW) else ""


_RAW = "raw "


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
    """Find where a request belongs whose session has no name ("") or was never saved. Raises StoreError."""
    # Most histories continue near their end, so the keys of the last messages are looked up first.
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
    """Whether a session is someone's: it has a tenant, or a name that its caller gave."""
    return bool(who.tenant) or not _MADE.fullmatch(who.session)


def is_open(who: SessionId) -> bool:
    """Whether a request without a name can continue there: not if the caller named it and no tenant owns both."""
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
