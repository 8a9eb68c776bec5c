"""A past view, byte for byte: from a raw history that is passed in, or from the store if it was stored.

Rule: nothing is decided again. A view is a function of the history and of the epochs that its receipt names. Bytes that
differ from those sent are never passed off as them.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import documents
from secateur.documents import Document
from secateur.errors import StoreError
from secateur.jsontext import Text
from secateur.patch import Op, apply
from secateur.plan import Plan
from secateur.projection import Projection
from secateur.receipt import Receipt
from secateur.render.breakpoints import render
from secateur.render.emitter import Emitter
from secateur.sessions import SessionManager, shift_reverts
from secateur.sessions.receipt_log import VIEWS, hash_of, read
from secateur.stores.protocol import SessionId, State, Store


class ReplayResult(Struct, frozen=True):
    """A past view."""

    request: Any  # as bytes if it comes from the store, else of the kind that was passed in
    receipt: Receipt
    is_exact: bool | None  # the bytes that were sent, by their hash; None: the receipt has none


def load_receipt(store: Store, state: State, number: int) -> Receipt:
    """The receipt of a request. Raises StoreError if the session has no such view."""
    name = f"session {state.who.session!r}"
    for link in store.list_receipts(state.who, number, number) if number >= 0 else ():
        receipt = read(link.body)
        if receipt.status in VIEWS:
            return receipt
        raise StoreError(f"receipt {number} of {name} belongs to no view: {receipt.error or receipt.status}")
    gone = state.anchor.number
    if 0 <= number <= gone:
        raise StoreError(
            f"the receipt of request {number} of {name} was deleted: retention deleted receipts 0 to {gone}"
        )
    raise StoreError(f"{name} has no request {number}: it has receipts {gone + 1} to {state.receipts - 1}")


def load_raw(store: Store, state: State, number: int) -> bytes:
    """Reassemble the raw document of a request. Raises StoreError if it was not kept."""
    ids = store.get_manifest(state.who, number)
    if ids is None:
        raise StoreError(
            f"the raw history of request {number} was not stored: pass it, or create the engine with store_raw=True"
        )
    found: dict[str, bytes] = {}
    for one in ids:
        if one not in found:
            blob = store.get_blob(state.who.tenant, one)
            if blob is None:
                raise StoreError(f"a piece of request {number} is missing from the store: {one}")
            found[one] = blob.data
    return b"".join(found[one] for one in ids)


def replay_request(
    sessions: SessionManager, work: Projection, who: SessionId, request: int, raw: Any = None
) -> ReplayResult:
    """Replay a request's view from a raw history (or a continuation of it), or from its stored document."""
    store = sessions.store
    state = store.load(who) if store is not None else None
    if store is None or state is None:
        raise StoreError(f"no session {who.session!r} in the store")
    receipt = load_receipt(store, state, request)
    first, last = receipt.epochs
    history = load_raw(store, state, request) if raw is None else raw
    return build_view(work, history, Plan(shift_reverts(state.plan.epochs[first:last], -first)), receipt)


def build_view(work: Projection, raw: Any, plan: Plan, receipt: Receipt) -> ReplayResult:
    """The view these epochs make of a raw history; a longer history is cut to the request's."""
    came = documents.read(raw, receipt.format or None, receipt.model)
    cut = _cut(came, receipt)
    if cut is not came:
        raw = cut.encode_output(cut.native.data) if isinstance(cut.native, Text) else cut.native
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
        raise StoreError(f"the given history is not that of request {receipt.sequence}: its last message is not in it")
    stop, size = (
        documents.get_element_range(document_, ends[-1]).stop,
        documents.get_element_range(document_, len(messages) - 1).stop,
    )
    native = apply(document_.native, [Op(document_.transcript.messages_path, [], (stop, size))])
    again = documents.read(native.data if isinstance(native, Text) else native, receipt.format or None, receipt.model)
    return replace(again, encoding=document_.encoding, bom=document_.bom)
