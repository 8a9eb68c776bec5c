"""What edits removed, by strategy, tool and turn; and what other presets would free on the same document.

Rule: sums of the receipt's own entries, so that tables and receipt cannot differ. The figures of other presets are
their own results, not estimates; presets that free nothing are not listed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from secateur import policy
from secateur.cli.composition import group_by_turn, number_turns
from secateur.cli.inputs import OpenedDocument
from secateur.cli.output.formatting import format_count, format_percent, format_signed_dollars
from secateur.cli.output.tables import MAX_TOOLS, MAX_TURNS, make_more_row, make_table
from secateur.cli.output.terminal import to_one_line
from secateur.cli.report import list_active_edits
from secateur.engine import View
from secateur.errors import SecateurError
from secateur.model import Transcript
from secateur.policy import Policy
from secateur.receipt import EditCost, EditRecord
from secateur.strategy import STRATEGIES

_SETTLED = "reasoning that an earlier edit invalidates"

_MAX_BYTES = 16_000_000  # above this the answer would take longer than a person waits


class RemovalTotal(Struct, frozen=True):
    """Edited parts of one group, and their tokens before and after."""

    name: str
    parts: int
    before: int
    after: int

    @property
    def freed(self) -> int:
        """Tokens removed; negative if a placeholder is longer than what it replaces."""
        return self.before - self.after


def make_strategy_table(rows: Sequence[RemovalTotal], whole: int) -> Any:
    """The removals of each strategy, the largest first."""
    return _make_removal_table("Tokens removed, by strategy", "strategy", rows, whole, MAX_TOOLS)


def make_tool_table(rows: Sequence[RemovalTotal], whole: int) -> Any:
    """The removals of each tool, the largest first."""
    return _make_removal_table("Tokens removed, by tool", "tool", rows, whole, MAX_TOOLS)


def make_turn_table(rows: Sequence[RemovalTotal], whole: int) -> Any:
    """The removals of each turn, in order; of many turns, the largest."""
    return _make_removal_table("Tokens removed, by turn", "turn", rows, whole, MAX_TURNS)


def _make_removal_table(title: str, first: str, rows: Sequence[RemovalTotal], whole: int, most: int) -> Any:
    shown = rows
    if len(rows) > most:
        kept = {id(row) for row in sorted(rows, key=lambda row: -row.freed)[:most]}
        shown = [row for row in rows if id(row) in kept]
    told = [*(_make_row(row, whole) for row in shown), *make_more_row(len(rows) - len(shown), 6)]
    if len(rows) > 1:
        every = RemovalTotal(
            "all", sum(row.parts for row in rows), sum(row.before for row in rows), sum(row.after for row in rows)
        )
        told.append(_make_row(every, whole))
    head = (first, ">parts", ">before", ">after", ">freed", ">share")
    return make_table(title, head, told)


def _make_row(row: RemovalTotal, whole: int) -> tuple[str, ...]:
    figures = (
        format_count(row.parts),
        format_count(row.before),
        format_count(row.after),
        format_count(row.freed),
        format_percent(row.freed, whole),
    )
    return (to_one_line(row.name, 80), *figures)


def sum_by_strategy(entries: Iterable[EditRecord]) -> list[RemovalTotal]:
    """Return what each strategy removed, most freed first, with what it leaves in place."""
    return sorted(_add_up((_make_title(entry.strategy), entry) for entry in entries), key=lambda row: -row.freed)


def sum_by_tool(entries: Iterable[EditRecord]) -> list[RemovalTotal]:
    """Return what was removed from each tool, most freed first."""
    return sorted(_add_up((entry.tool or "(no tool)", entry) for entry in entries), key=lambda row: -row.freed)


def sum_by_turn(entries: Iterable[EditRecord], transcript: Transcript) -> list[RemovalTotal]:
    """Return what was removed from each turn, in order, named by its number and request."""
    names = {
        turn.turn: f"{turn.turn:>3}  {turn.asked or '(before the first turn)'}" for turn in group_by_turn(transcript)
    }
    numbers = number_turns(transcript)
    return _add_up((names[numbers[entry.message]], entry) for entry in entries)


def _make_title(name: str) -> str:
    """Return the name of a strategy and what it leaves in place of what it removes."""
    strategy = STRATEGIES.get_or_warn(name)
    leaves = _SETTLED if name == "settle" else strategy.leaves if strategy else ""
    return f"{name}: {leaves}" if leaves else name


def _add_up(named: Iterable[tuple[str, EditRecord]]) -> list[RemovalTotal]:
    rows: dict[str, RemovalTotal] = {}
    for name, entry in named:
        row = rows.get(name, RemovalTotal(name, 0, 0, 0))
        rows[name] = RemovalTotal(name, row.parts + 1, row.before + entry.tokens_before, row.after + entry.tokens_after)
    return list(rows.values())


class PolicyAlternative(Struct, frozen=True):
    """The result of one preset: the parts it edits, the tokens it frees of all, and their cost."""

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
    """The results of other policies, and how much more they cost at once and then with each request."""
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


ALTERNATIVES_LEGEND = (
    "freed: tokens. at once: what the edits add to the cost of the next request. a request: what they add to each"
    " later one."
)
