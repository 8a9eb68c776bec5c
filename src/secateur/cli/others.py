"""What else could have been done: the tokens that each preset would free on the same document.

Rule: each figure is that preset's own outcome, not a guess; presets that free nothing are not named.
"""

from collections.abc import Callable

from secateur import policy
from secateur.cli.reading import Opened
from secateur.cli.report import in_force
from secateur.cli.toll import Row
from secateur.engine import View
from secateur.errors import SecateurError
from secateur.policy import Policy

_TOO_MUCH = 16_000_000  # bytes: above this the answer would take longer than a person waits


def others(before: Opened, but: str, view: Callable[[Policy], View]) -> list[Row]:
    """One row a preset other than `but`, the most freed first."""
    if len(before.source.data) > _TOO_MUCH:
        return []
    rows = [_row(name, view) for name in policy.names() if name != but]
    return sorted((row for row in rows if row.freed > 0), key=lambda row: -row.freed)


def _row(name: str, view: Callable[[Policy], View]) -> Row:
    try:
        seen = view(policy.load(name))
    except SecateurError:
        return Row(name, 0, 0, 0)
    return Row(name, len(in_force(seen)), seen.receipt.tokens_raw, seen.receipt.tokens_view)
