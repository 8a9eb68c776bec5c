"""A past view, byte for byte: from the raw history that is handed in, or from the store where it was kept.

Rule: nothing is decided again. A view is a function of the history and of the epochs that its receipt names. Bytes that
are not those that were sent are never passed off as them.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import StoreError
from secateur.jsontext import Text
from secateur.patch import Op, apply
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.render.breakpoints import render
from secateur.render.emitter import Emitter
from secateur.session import Projection, document
from secateur.session.document import Document
from secateur.sessions import SessionManager, shifted
from secateur.sessions.receipt_log import VIEWS, read
from secateur.sessions.view_hash import hash_of
from secateur.stores.protocol import SessionId, State, Store


class ReplayResult(Struct, frozen=True):
    """A past view."""

    request: Any  # as bytes where it comes from the store, else of the kind that was handed in
    receipt: Receipt
    is_exact: bool | None  # the bytes that were sent, by their hash; None: the receipt has none


def receipt_of(store: Store, state: State, number: int) -> Receipt:
    """The receipt of a request. Raises StoreError if the session has no such view."""
    name = f"session {state.who.session!r}"
    for link in store.receipts(state.who, number, number) if number >= 0 else ():
        receipt = read(link.body)
        if receipt.status in VIEWS:
            return receipt
        raise StoreError(f"receipt {number} of {name} is of no view: {receipt.error or receipt.status}")
    gone = state.anchor.number
    if 0 <= number <= gone:
        raise StoreError(f"the receipt of request {number} of {name} is gone: retention took receipts 0 to {gone}")
    raise StoreError(f"{name} has no request {number}: it has receipts {gone + 1} to {state.receipts - 1}")


def raw_of(store: Store, state: State, number: int) -> bytes:
    """The raw document of a request, put together. Raises StoreError where it was not kept."""
    ids = store.manifest(state.who, number)
    if ids is None:
        raise StoreError(
            f"the raw history of request {number} was not kept: hand it in, or let the engine keep it (store_raw=True)"
        )
    found: dict[str, bytes] = {}
    for one in ids:
        if one not in found:
            blob = store.blob(state.who.tenant, one)
            if blob is None:
                raise StoreError(f"a piece of request {number} is gone from the store: {one}")
            found[one] = blob.data
    return b"".join(found[one] for one in ids)


def replayed(sessions: SessionManager, work: Projection, who: SessionId, request: int, raw: Any = None) -> ReplayResult:
    """The view of a request, from a raw history (or one that goes on from it), or from what was kept of it."""
    store = sessions.store
    state = store.load(who) if store is not None else None
    if store is None or state is None:
        raise StoreError(f"there is no session {who.session!r} in the store")
    receipt = receipt_of(store, state, request)
    first, last = receipt.epochs
    history = raw_of(store, state, request) if raw is None else raw
    return view_of(work, history, Plan(shifted(state.plan.epochs[first:last], -first)), receipt)


def view_of(work: Projection, raw: Any, plan: Plan, receipt: Receipt) -> ReplayResult:
    """The view that these epochs make of a raw history; of a longer one, of what the request had of it."""
    came = document.read(raw, receipt.format or None, receipt.model)
    cut = _cut(came, receipt)
    if cut is not came:
        raw = cut.out(cut.native.data) if isinstance(cut.native, Text) else cut.native
    work.ingest(cut, 0, plan)
    native = render(Emitter(), work, raw, bool(receipt.breakpoints)).native
    return ReplayResult(native, receipt, hash_of(native) == receipt.view_hash if receipt.view_hash else None)


def _cut(document_: Document, receipt: Receipt) -> Document:
    """The document up to the last message that the request had. Raises StoreError for another history."""
    messages = document_.transcript.messages
    if (messages[-1].key if messages else "") == receipt.head_key:
        return document_
    ends = [number for number, message in enumerate(messages) if message.key == receipt.head_key]
    if not ends:
        raise StoreError(
            f"the history handed in is not that of request {receipt.sequence}: its last message is not in it"
        )
    stop, size = document.elements(document_, ends[-1]).stop, document.elements(document_, len(messages) - 1).stop
    native = apply(document_.native, [Op(document_.transcript.messages_path, [], (stop, size))])
    again = document.read(native.data if isinstance(native, Text) else native, receipt.format or None, receipt.model)
    return replace(again, encoding=document_.encoding, bom=document_.bom)
