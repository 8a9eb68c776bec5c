"""What the edits of a session have saved so far, in tokens and in money, from its receipts.

Rule: what an epoch costs the prompt cache is taken off where it is paid, and what it saves is added with each later
request. The prices are those by which the engine decided. A negative sum is a loss, and is reported as one.
"""

from collections.abc import Iterable

from msgspec import Struct

from secateur.receipt import Receipt
from secateur.sessions.receipt_log import VIEWS, read
from secateur.stores.protocol import State, Store
from secateur.usage import UsageBill


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


def sum_bills(state: State) -> UsageBill:
    """What all answers of a session took, as far as their usage was recorded."""
    return sum((one.bill for one in state.calibrations.values()), UsageBill())


def add_savings(receipts: Iterable[Receipt]) -> Savings:
    """The savings of a session's requests, in their order."""
    tally = SavingsTally()
    for receipt in receipts:
        if receipt.status in VIEWS:
            tally.add(receipt)
    return tally.sum()


class SavingsTally:
    """The savings of a session that goes on: receipts are added as they come."""

    def __init__(self) -> None:
        self._requests = self._epochs = self._raw = self._sent = 0
        self._dollars = 0.0
        self._rate = 0.0  # dollars that the epochs so far save with each request

    def add(self, receipt: Receipt) -> None:
        """Count the receipt of a view that was sent."""
        self._requests += 1
        self._raw += receipt.tokens_raw
        self._sent += receipt.tokens_view
        self._dollars += self._rate
        self.add_epoch(receipt)

    def add_epoch(self, receipt: Receipt) -> None:
        """Count what a receipt's epoch costs and saves, but not its request: it was counted before."""
        self._epochs += receipt.opened
        if receipt.cost is not None:
            self._dollars -= receipt.cost.dollars_now
            self._rate += receipt.cost.dollars_saved

    def sum(self) -> Savings:
        """The sums so far."""
        return Savings(self._requests, self._epochs, self._raw, self._sent, self._dollars)
