"""What the other presets would free on the same document, and what that would cost.

Rule: each figure is the preset's own result, not an estimate; presets that free nothing are not listed.
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
    """What one preset would do: the parts it edits, the tokens it frees of all, and what that costs."""

    name: str
    parts: int
    freed: int
    whole: int
    cost: EditCost | None


def find_alternatives(
    before: OpenedDocument, but: str, view: Callable[[Policy], View[Any]]
) -> list[PolicyAlternative] | None:
    """One for each preset other than `but`, the most freed first; None if the document is too large to try them."""
    if len(before.source.data) > _MAX_BYTES:
        return None
    alternatives = [_try_policy(name, view) for name in policy.list_preset_names() if name != but]
    return sorted(
        (alternative for alternative in alternatives if alternative and alternative.freed > 0),
        key=lambda each: -each.freed,
    )


def _try_policy(name: str, view: Callable[[Policy], View[Any]]) -> PolicyAlternative | None:
    try:
        seen = view(policy.load(name))
    except SecateurError:
        return None
    receipt = seen.receipt
    freed = receipt.tokens_raw - receipt.tokens_view
    return PolicyAlternative(name, len(list_active_edits(seen)), freed, receipt.tokens_raw, receipt.cost)


def make_alternatives_table(alternatives: Sequence[PolicyAlternative]) -> Any:
    """What other policies would free, and how much more they cost at once and then with each request."""
    told = [
        (
            f"--policy {alternative.name}",
            format_count(alternative.parts),
            format_count(alternative.freed),
            format_percent(alternative.freed, alternative.whole),
            format_signed_dollars(alternative.cost.dollars_now) if alternative.cost else "",
            format_signed_dollars(-alternative.cost.dollars_saved) if alternative.cost else "",
        )
        for alternative in alternatives
    ]
    head = ("policy", ">parts", ">freed", ">share", ">at once", ">a request")
    return make_table("What other policies would free", head, told)
