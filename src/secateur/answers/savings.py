"""What the edits of a session have saved so far, in tokens and in money, from its receipts.

Rule: an epoch's cost to the prompt cache is subtracted when it is paid, and its savings are added with each later
request. The cost of reading removed text back is subtracted, too. Edits are priced as the engine priced them. A
negative sum is a loss, and is reported as one.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from secateur.receipt import Receipt
from secateur.sessions.receipt_log import VIEWS, link_receipts, read
from secateur.stores.protocol import Calibration, Conflict, SessionId, SessionUpdate, State, Store, make_state
from secateur.usage import UsageBill

OBSERVED = "observed:"  # before the tenant of sessions whose requests were sent as received
_TIMES = 8  # that it is tried to save what others save, too


class Savings(Struct, frozen=True):
    """The sums over a session's requests."""

    requests: int = 0
    epochs: int = 0
    tokens_raw: int = 0  # of all requests, as received
    tokens_sent: int = 0
    dollars: float = 0.0  # saved, net of what edits cost the prompt cache, and of reading back
    recall_rounds: UsageBill = UsageBill()  # requests that served the model's read-backs, and what they cost


def read_savings(store: Store, state: State) -> Savings:
    """The savings of a session, as far as its receipts are kept. Raises StoreError."""
    return add_savings(read(link.body) for link in store.list_receipts(state.who))


def sum_bills(state: State) -> UsageBill:
    """The cost of all answers of a session, as far as their usage was recorded."""
    return sum((one.bill for one in state.calibrations.values()), UsageBill())


def is_observed(who: SessionId) -> bool:
    """Whether a session's receipts say what would have been sent, not what was."""
    return who.tenant.startswith(OBSERVED)


def keep_observed(store: Store, who: SessionId, receipt: Receipt, bill: UsageBill) -> None:
    """Record what pruning would have made of a request, apart from the session itself, and the usage of its answer.

    Nothing of the request is stored: no epoch and no text, so that a session that is pruned later begins without them.
    Raises StoreError.
    """
    who = SessionId(who.session, OBSERVED + who.tenant)
    for _ in range(_TIMES):
        state = store.load(who) or make_state(who)
        known = state.calibrations.get(receipt.model, Calibration())
        change = SessionUpdate(
            at=receipt.at_ms,
            receipts=link_receipts((receipt,), state),
            calibrations={receipt.model: replace(known, bill=known.bill + bill)},
            format=receipt.format,
            model=receipt.model,
        )
        try:
            store.save(state, change)
        except Conflict:
            continue
        return


def add_savings(receipts: Iterable[Receipt]) -> Savings:
    """The savings of a session's requests, in their order."""
    tally = SavingsTally()
    for receipt in receipts:
        if receipt.status in VIEWS:
            tally.add(receipt)
        if receipt.recall_rounds is not None:
            tally.add_recall_rounds(receipt.recall_rounds)
    return tally.sum()


class SavingsTally:
    """The savings of a session that continues: receipts are added as they come."""

    def __init__(self) -> None:
        self._requests = self._epochs = self._raw = self._sent = 0
        self._dollars = 0.0
        self._rate = 0.0  # dollars that the epochs so far save with each request
        self._rounds = UsageBill()

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

    def add_recall_rounds(self, rounds: UsageBill) -> None:
        """Count requests that served the model's read-backs: what they cost is not saved."""
        self._rounds += rounds

    def sum(self) -> Savings:
        """The sums so far."""
        net = self._dollars - self._rounds.dollars
        return Savings(self._requests, self._epochs, self._raw, self._sent, net, self._rounds)
