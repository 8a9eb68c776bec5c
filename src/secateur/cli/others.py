"""What else could have been done: what each preset would free on the same document, and what that would cost.

Rule: each figure is that preset's own outcome, not a guess; presets that free nothing are not named.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from secateur import policy
from secateur.cli.reading import Opened
from secateur.cli.report import in_force
from secateur.engine import View
from secateur.errors import SecateurError
from secateur.policy import Policy
from secateur.receipt import Cost

_TOO_MUCH = 16_000_000  # bytes: above this the answer would take longer than a person waits


class Other(Struct, frozen=True):
    """What one preset would do: parts it edits, tokens it frees of so many, what that costs."""

    name: str
    parts: int
    freed: int
    whole: int
    cost: Cost | None


def others(before: Opened, but: str, view: Callable[[Policy], View[Any]]) -> list[Other] | None:
    """One a preset other than `but`, the most freed first. None: not asked, since that would take too long."""
    if len(before.source.data) > _TOO_MUCH:
        return None
    found = [_other(name, view) for name in policy.names() if name != but]
    return sorted((one for one in found if one and one.freed > 0), key=lambda one: -one.freed)


def _other(name: str, view: Callable[[Policy], View[Any]]) -> Other | None:
    try:
        seen = view(policy.load(name))
    except SecateurError:
        return None
    receipt = seen.receipt
    freed = receipt.tokens_raw - receipt.tokens_view
    return Other(name, len(in_force(seen)), freed, receipt.tokens_raw, receipt.cost)
