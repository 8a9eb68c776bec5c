"""The requests of a session as a tree: which one a history goes on from, what others went on from there, and how each
was sent.

Rule: known by the last keys of the histories that were sent, with the hash of each view. A history goes on from the
deepest of them that it holds. What is not in memory is read from the receipts, so that every process knows the same.
"""

from collections.abc import Container, Iterable, Sequence

from msgspec import Struct

from secateur.errors import StoreError
from secateur.keeping.record import VIEWS, read
from secateur.model import Message
from secateur.receipt import Receipt
from secateur.stores.protocol import State, Store

MOST = 2_000  # receipts that are looked through for branches; older requests are not gone back to


class Sent(Struct, frozen=True):
    """One request: the one that it went on from, and the hash of its view."""

    parent: str
    view: str


class Branches:
    """The requests of a session by the last keys of their histories."""

    def __init__(self, whole: bool = True) -> None:
        self.whole = whole  # False: of a session with one branch, its end alone
        self.last = ""
        self.sent: dict[str, Sent] = {}
        self._children: dict[str, list[str]] = {}

    def add(self, receipt: Receipt) -> None:
        """A request was sent."""
        tip = receipt.tip
        known = self.sent.get(tip)
        if known is None and tip:
            self._children.setdefault(receipt.parent, []).append(tip)
        if tip:
            self.sent[tip] = Sent(known.parent if known else receipt.parent, receipt.view)
        self.last = tip

    @property
    def lines(self) -> int:
        """How many ends there are."""
        return max(1, len(self.sent) - sum(parent in self.sent for parent in self._children))

    def parent(self, messages: Sequence[Message]) -> str:
        """The deepest request that this history holds; "" where it holds none. A last message may have grown since."""
        for message in reversed(messages):
            for key in (message.key, *(part.key for part in reversed(message.parts))):
                if key in self.sent:
                    return key
        return ""

    def beside(self, parent: str, keys: Container[str]) -> tuple[str, ...]:
        """The requests that went on from `parent` on other branches than the history with these keys."""
        return tuple(one for one in self._children.get(parent, ()) if one not in keys)


def branches(
    store: Store | None, state: State, known: Branches | None, last: Receipt | None, here: Container[str]
) -> Branches:
    """The branches, as far as a history with the keys `here` asks for them. `last` is the receipt of the last view."""
    if known is not None and (known.whole or known.last in here):
        return known
    if store is None or last is None:
        return known or Branches()
    if known is None and last.lines <= 1 and last.tip in here:
        return _of((last,), whole=False)
    try:
        found = store.receipts(state.who, max(0, state.receipts - MOST), state.receipts - 1)
        return _of((one for one in (read(link.body) for link in found) if one.outcome in VIEWS), whole=True)
    except StoreError:
        return known or Branches(whole=False)


def _of(receipts: Iterable[Receipt], whole: bool) -> Branches:
    made = Branches(whole)
    for one in receipts:
        made.add(one)
    return made
