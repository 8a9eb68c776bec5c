"""What the laws of stores save and ask: sessions, receipts, and what must be refused."""

from collections.abc import Callable

from secateur.chain import Link, encode_canonical, link_bodies
from secateur.stores.protocol import SessionId, State

A, B = SessionId("one", "acme"), SessionId("two", "acme")
STRANGER = SessionId("one", "other")


def make_receipts(state: State, count: int) -> tuple[Link, ...]:
    """The next receipts of a session, each different."""
    bodies = [encode_canonical({"number": state.receipts + number}) for number in range(count)]
    return link_bodies(bodies, state.head, state.receipts)


def expect_error(act: Callable[[], object], error: type[Exception]) -> None:
    try:
        act()
    except error:
        return
    raise AssertionError(f"nothing was raised where {error.__name__} was promised")
