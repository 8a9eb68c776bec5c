"""What a person is told of a prune: one line that says what happened, or why nothing did; then the tables.

Rule: the first line answers the question that the command was; figures are those of the report.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from secateur.cli import tables
from secateur.cli.anatomy import largest
from secateur.cli.figures import duration, percent, tokens
from secateur.cli.reading import Opened
from secateur.cli.report import Report
from secateur.cli.terminal import harmless
from secateur.cli.toll import Row, by_tool, by_turn

_LARGEST = 5


def account(done: Report, before: Opened, after: Opened, backup: Path | None, others: Sequence[Row]) -> list[Any]:
    """All that is to be drawn, in order."""
    blocks: list[Any] = [_setting(done, before), _verdict(done), ""]
    if done.edits:
        blocks += [tables.left_by_tool(by_tool(done.edits), done.input.tokens)]
        blocks += [tables.left_by_turn(by_turn(done.edits, before.transcript), done.input.tokens)]
    elif others:
        blocks += [tables.alternatives(others)]
    blocks += [tables.places("Largest that stay", largest(after.transcript, _LARGEST))]
    blocks += _cost(done)
    blocks += [f"warning: {harmless(warning)}" for warning in done.warnings]
    return [*blocks, *_kept(done), _written(done, before, backup)]


def _setting(done: Report, before: Opened) -> str:
    idle = "unknown" if done.idle_s is None else duration(done.idle_s)
    return (
        f"{harmless(before.source.label)}: {before.format}, {before.document.reason}\n"
        f"policy {done.policy}, idle {idle}, window {tokens(done.window.value)}: {done.window.source}"
    )


def _verdict(done: Report) -> str:
    if not done.edits:
        return f"Nothing was pruned: {done.gate}."
    share = percent(done.input.tokens - done.output.tokens, done.input.tokens)
    results = sum(edit.tool != "" for edit in done.edits)
    what = f"{results:,} of {done.input.tool_results:,} tool results"
    if results < len(done.edits):
        what = f"{len(done.edits):,} parts"
    return f"Pruned {what}: {tokens(done.input.tokens)} → {tokens(done.output.tokens)} tokens, {share} less."


def _cost(done: Report) -> list[str]:
    """What the edits made now cost and save under the model's prices."""
    cost = done.cost
    if cost is None:
        return []
    at_once = f"costs ${cost.dollars_now:.4f}" if cost.now > 0 else f"saves ${-cost.dollars_now:.4f}"
    later = f"then saves ${cost.dollars_saved:.4f} in each request"
    after = f"; paid back after {cost.break_even:g}" if cost.break_even else ""
    return [f"At the prices of {harmless(cost.model)} this {at_once} now, {later}{after}."]


def _kept(done: Report) -> list[str]:
    """Where what left is, and how to read it back."""
    if done.session is None:
        return []
    name = harmless(done.session)
    handle = next((edit.handle for edit in done.edits if edit.handle), None)
    back = f"; secateur recall {handle} reads one back" if handle else ""
    return [f"Kept as session {name} at {harmless(done.store or '')}: secateur why {name} lists what left{back}."]


def _written(done: Report, before: Opened, backup: Path | None) -> str:
    name = before.source.label
    if done.output.path is None:
        return "Nothing was written: -o FILE writes the outcome, --in-place changes the input and keeps a backup."
    if done.output.path == "-":
        return ""
    if done.output.path != before.source.name:
        return f"Written to {done.output.path}: {done.output.bytes:,} bytes, of {done.input.bytes:,}."
    if backup is None:
        return f"{name} is as it was."
    return f"{name} was changed: {done.output.bytes:,} bytes, of {done.input.bytes:,}. As it was: {backup}"
