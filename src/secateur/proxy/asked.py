"""A request that may be edited, and what is sent in its place.

Rule: values only; nothing is decided here.
"""

from typing import Any, Literal

from msgspec import Struct

from secateur.plan import Plan
from secateur.proxy.callers import Caller
from secateur.proxy.retries import RequestText
from secateur.proxy.routes import Route
from secateur.receipt import Receipt
from secateur.stores.protocol import SessionId
from secateur.view import View

How = Literal["unchanged", "edited", "replayed", "failed"]


class Asked(Struct, frozen=True):
    """A request that may be edited."""

    route: Route
    caller: Caller
    body: bytes  # unpacked

    @property
    def text(self) -> RequestText:
        """The text that identifies a request."""
        return RequestText(self.route.format, self.route.model, self.caller.session, self.body)


class Edited(Struct, frozen=True):
    """The request that is sent instead."""

    body: bytes
    how: How
    who: SessionId
    plan: Plan = Plan()
    view: View[Any] | None = None  # of a request that opens epochs; without its texts
    error: str = ""  # why ours failed

    @property
    def receipt(self) -> Receipt | None:
        """The receipt, if the request leaves one."""
        return self.view.receipt if self.view is not None else None
