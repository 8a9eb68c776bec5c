"""What the laws of stores save and ask: sessions, receipts, and what must be refused."""

from collections.abc import Callable

from secateur.chain import Link, canonical, linked
from secateur.stores.protocol import SessionId, State

A, B = SessionId("one", "acme"), SessionId("two", "acme")
STRANGER = SessionId("one", "other")


def receipts_of(state: State, count: int) -> tuple[Link, ...]:
    """The next receipts of a session, each different."""
    bodies = [canonical({"number": state.receipts + number}) for number in range(count)]
    return linked(bodies, state.head, state.receipts)


def refused(act: Callable[[], object], error: type[Exception]) -> None:
    try:
        act()
    except error:
        return
    raise AssertionError(f"nothing was raised where {error.__name__} was promised")
