"""What else could have been done: what each preset would free on the same document, and what that would cost.

Rule: each figure is that preset's own outcome, not a guess; presets that free nothing are not named.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from secateur import policy
from secateur.cli.inputs import OpenedDocument
from secateur.cli.output.formatting import format_count, format_percent, format_signed_dollars
from secateur.cli.output.tables import make_table
from secateur.cli.report import list_active_edits
from secateur.engine import View
from secateur.errors import SecateurError
from secateur.policy import Policy
from secateur.receipt import EditCost

_MAX_BYTES = 16_000_000  # above this the answer would take longer than a person waits


class PolicyAlternative(Struct, frozen=True):
    """What one preset would do: parts it edits, tokens it frees of so many, what that costs."""

    name: str
    parts: int
    freed: int
    whole: int
    cost: EditCost | None


def find_alternatives(
    before: OpenedDocument, but: str, view: Callable[[Policy], View[Any]]
) -> list[PolicyAlternative] | None:
    """One a preset other than `but`, the most freed first. None: not asked, since that would take too long."""
    if len(before.source.data) > _MAX_BYTES:
        return None
    found = [_try_policy(name, view) for name in policy.names() if name != but]
    return sorted((one for one in found if one and one.freed > 0), key=lambda one: -one.freed)


def _try_policy(name: str, view: Callable[[Policy], View[Any]]) -> PolicyAlternative | None:
    try:
        seen = view(policy.load(name))
    except SecateurError:
        return None
    receipt = seen.receipt
    freed = receipt.tokens_raw - receipt.tokens_view
    return PolicyAlternative(name, len(list_active_edits(seen)), freed, receipt.tokens_raw, receipt.cost)


def make_alternatives_table(found: Sequence[PolicyAlternative]) -> Any:
    """What other policies would free, and how much more they cost at once and then in each request."""
    told = [
        (
            f"--policy {one.name}",
            format_count(one.parts),
            format_count(one.freed),
            format_percent(one.freed, one.whole),
            format_signed_dollars(one.cost.dollars_now) if one.cost else "",
            format_signed_dollars(-one.cost.dollars_saved) if one.cost else "",
        )
        for one in found
    ]
    head = ("policy", ">parts", ">freed", ">share", ">at once", ">a request")
    return make_table("What other policies would free", head, told)
