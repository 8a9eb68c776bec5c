"""What the edits of a session have saved so far, in tokens and in money, from its receipts.

Rule: what an epoch costs the prompt cache is taken off where it is paid, and what it saves is added with each later
request. The prices are those by which the engine decided. A negative sum is a loss, and is reported as one.
"""

from collections.abc import Iterable

from msgspec import Struct

from secateur.receipt import Receipt
from secateur.sessions.receipt_log import VIEWS, read
from secateur.stores.protocol import State, Store


class Savings(Struct, frozen=True):
    """The sums over a session's requests."""

    requests: int = 0
    epochs: int = 0
    tokens_raw: int = 0  # of all requests, as they came
    tokens_sent: int = 0
    dollars: float = 0.0  # saved, net of what edits cost the prompt cache


def read_savings(store: Store, state: State) -> Savings:
    """The savings of a session, as far as its receipts are kept. Raises StoreError."""
    return add_savings(read(link.body) for link in store.list_receipts(state.who))


def add_savings(receipts: Iterable[Receipt]) -> Savings:
    """The savings of a session's requests, in their order."""
    requests = epochs = raw = sent = 0
    dollars = saved_per_request = 0.0
    for receipt in receipts:
        if receipt.status not in VIEWS:
            continue
        requests += 1
        epochs += receipt.opened
        raw += receipt.tokens_raw
        sent += receipt.tokens_view
        dollars += saved_per_request
        if receipt.cost is not None:
            dollars -= receipt.cost.dollars_now
            saved_per_request += receipt.cost.dollars_saved
    return Savings(requests, epochs, raw, sent, dollars)
