"""Whether a session's record is the one that was written: its chain of receipts, and the bytes it refers to.

Rule: it reads through the protocol, so it judges any store, and it changes nothing.
"""

from secateur.chain import broken, start
from secateur.errors import StoreError
from secateur.stores.protocol import Store, Who


def problems(store: Store, who: Who) -> tuple[str, ...]:
    """What is wrong with the record of a session, one sentence each; () if it holds."""
    state = store.load(who)
    if state is None:
        return (f"session {who.session!r} is not in this store",)
    wrong = broken(store.receipts(who), start(who.tenant, who.session), state.head)
    found = [wrong] if wrong else []
    for held in store.blobs(who):
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


def raw_of(store: Store, who: Who, sequence: int) -> bytes | None:
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
