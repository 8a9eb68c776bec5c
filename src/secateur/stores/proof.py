"""Whether a session's record is the one that was written: its chain of receipts, its plan, the bytes it refers to.

Rule: it reads through the protocol, so it judges any store, and it changes nothing.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext

from secateur.chain import Link, broken, sealed, start
from secateur.errors import StoreError
from secateur.stores.anchor import named
from secateur.stores.protocol import SessionId, State, Store


def problems(store: Store, who: SessionId) -> tuple[str, ...]:
    """What is wrong with the record of a session, one sentence each; () if it holds. All of it is of one moment."""
    with still(store) as moment:
        return proved(moment, who)


def still(store: Store) -> AbstractContextManager[Store]:
    """The store as it is now; of one that was written before stores gave such, the store."""
    snapshot = getattr(store, "snapshot", None)
    found: AbstractContextManager[Store] = snapshot() if snapshot is not None else nullcontext(store)
    return found


def proved(store: Store, who: SessionId) -> tuple[str, ...]:
    """The same, of a store that stands still."""
    state = store.load(who)
    if state is None:
        return (f"session {who.session!r} is not in this store",)
    anchor = state.anchor
    seals: list[str | None] = [*anchor.seals, *((None,) if anchor.silent else ())]
    links = _heard(store.receipts(who), seals)
    begin = start(who.tenant, who.session) if anchor.number < 0 else anchor.hash
    wrong = broken(links, begin, state.head, anchor.number + 1) or _other_plan(state, seals)
    found = [wrong] if wrong else []
    held_ = store.blobs(who)
    found += _unmade(store, who, state.receipts, {one.id for one in held_})
    for held in held_:
        if not held.id:
            found.append(f"the bytes of part {held.key!r} are gone")
            continue
        try:
            blob = store.blob(who.tenant, held.id)
        except StoreError as error:
            found.append(str(error))
            continue
        if blob is None or len(blob.data) != held.size:
            found.append(f"the bytes of {held.id} are gone or cut")
    return tuple(found)


def raw_of(store: Store, who: SessionId, sequence: int) -> bytes | None:
    """The raw document of a request, byte for byte; None where it was not kept. StoreError if a piece is missing."""
    pieces = store.manifest(who, sequence)
    if pieces is None:
        return None
    data = []
    for name in pieces:
        blob = store.blob(who.tenant, name)
        if blob is None:
            raise StoreError(f"a piece of request {sequence} of session {who.session!r} is gone: {name}")
        data.append(blob.data)
    return b"".join(data)


def _unmade(store: Store, who: SessionId, receipts: int, ids: set[str]) -> Iterator[str]:
    """Raw documents that cannot be put together any more."""
    manifests = getattr(store, "manifests", None)
    known = 0
    for one in manifests(who) if manifests is not None else ():
        named = f"the raw history of request {one.sequence}"
        if one.sequence >= receipts:
            yield f"{named} belongs to no receipt"
        if one.shared > known:
            yield f"{named} goes on from one that is gone"
        lost = len(set(one.pieces) - ids)
        if lost:
            yield f"{named} lacks {lost} of its pieces"
        known = one.shared + len(one.pieces)


def _heard(links: Iterable[Link], seals: list[str | None]) -> Iterator[Link]:
    """The links, and on the side the epochs that they name; None for a receipt that says nothing of the plan."""
    for link in links:
        saved = named(link.body)
        seals += (None,) if saved is None else saved
        yield link


def _other_plan(state: State, seals: list[str | None]) -> str:
    """Where the plan is not the one that its receipts name; of a record begun before they did, its newest epochs."""
    told = [seal for seal in seals if seal is not None]
    first = 0 if len(told) == len(seals) else max(0, len(state.plan.epochs) - len(told))
    kept = sealed(state.plan.epochs[first:])
    for number, (seal, hash_) in enumerate(zip(told, kept, strict=False), first):
        if seal != hash_:
            return f"epoch {number} is not as it was opened: its bytes do not give the hash that its receipt has"
    if len(kept) != len(told):
        return f"the plan has {first + len(kept)} epochs, but its receipts name {first + len(told)}"
    return ""
