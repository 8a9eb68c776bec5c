"""Whether a session's record is the one that was written: its chain of receipts, its plan, the bytes it refers to.

Rule: it reads through the protocol, so it judges any store, and it changes nothing.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext

from secateur.chain import Link, find_break, get_epoch_hashes, hash_epochs, start
from secateur.errors import StoreError
from secateur.stores.protocol import SessionId, State, Store


def find_problems(store: Store, who: SessionId) -> tuple[str, ...]:
    """List the errors in the record of a session, one sentence each; () if it is intact. From one snapshot."""
    with take_snapshot(store) as moment:
        return verify_record(moment, who)


def take_snapshot(store: Store) -> AbstractContextManager[Store]:
    """A snapshot of the store; for a store class without snapshots, the store itself."""
    snapshot = getattr(store, "snapshot", None)
    found: AbstractContextManager[Store] = snapshot() if snapshot is not None else nullcontext(store)
    return found


def verify_record(store: Store, who: SessionId) -> tuple[str, ...]:
    """The same, for a store that does not change."""
    state = store.load(who)
    if state is None:
        return (f"session {who.session!r} is not in this store",)
    anchor = state.anchor
    seals: list[str | None] = [*anchor.seals, *((None,) if anchor.silent else ())]
    links = _collect_seals(store.list_receipts(who), seals)
    begin = start(who.tenant, who.session) if anchor.number < 0 else anchor.hash
    wrong = find_break(links, begin, state.head, anchor.number + 1) or _describe_plan_mismatch(state, seals)
    found = [wrong] if wrong else []
    held_ = store.list_blobs(who)
    found += _find_unreadable(store, who, state.receipts, {one.id for one in held_})
    for held in held_:
        if not held.id:
            found.append(f"the bytes of part {held.key!r} are gone")
            continue
        try:
            blob = store.get_blob(who.tenant, held.id)
        except StoreError as error:
            found.append(str(error))
            continue
        if blob is None or len(blob.data) != held.size:
            found.append(f"the bytes of {held.id} are missing or truncated")
    return tuple(found)


def load_raw(store: Store, who: SessionId, sequence: int) -> bytes | None:
    """The raw document of a request, byte for byte; None if it was not kept. StoreError if a piece is missing."""
    pieces = store.get_manifest(who, sequence)
    if pieces is None:
        return None
    data = []
    for name in pieces:
        blob = store.get_blob(who.tenant, name)
        if blob is None:
            raise StoreError(f"a piece of request {sequence} of session {who.session!r} is gone: {name}")
        data.append(blob.data)
    return b"".join(data)


def _find_unreadable(store: Store, who: SessionId, receipts: int, ids: set[str]) -> Iterator[str]:
    """Raw documents that can no longer be reassembled."""
    manifests = getattr(store, "list_manifests", None)
    known = 0
    for one in manifests(who) if manifests is not None else ():
        named = f"the raw history of request {one.sequence}"
        if one.sequence >= receipts:
            yield f"{named} belongs to no receipt"
        if one.shared > known:
            yield f"{named} continues one that is missing"
        lost = len(set(one.pieces) - ids)
        if lost:
            yield f"{named} lacks {lost} of its pieces"
        known = one.shared + len(one.pieces)


def _collect_seals(links: Iterable[Link], seals: list[str | None]) -> Iterator[Link]:
    """The links, with the epochs they name added to `seals`; None for a receipt without a plan."""
    for link in links:
        saved = get_epoch_hashes(link.body)
        seals += (None,) if saved is None else saved
        yield link


def _describe_plan_mismatch(state: State, seals: list[str | None]) -> str:
    """Describe where the plan differs from what its receipts name; for older records only the newest epochs."""
    told = [seal for seal in seals if seal is not None]
    first = 0 if len(told) == len(seals) else max(0, len(state.plan.epochs) - len(told))
    kept = hash_epochs(state.plan.epochs[first:])
    for number, (seal, hash_) in enumerate(zip(told, kept, strict=False), first):
        if seal != hash_:
            return f"epoch {number} was changed: its bytes do not match the hash in its receipt"
    if len(kept) != len(told):
        return f"the plan has {first + len(kept)} epochs, but its receipts name {first + len(told)}"
    return ""
