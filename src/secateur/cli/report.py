"""The report of one run as data: the one JSON object of `--json`, and what the tables for people are drawn from.

Rule: what is said of the output was read from the bytes that were written, never from the plan. Fields that no part of
this version fills are there and null, so that a reader of reports need not ask twice.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.api import Violation
from secateur.cli.anatomy import results, total
from secateur.cli.lawful import violations
from secateur.cli.reading import Opened
from secateur.cli.summed import GoesOn, summed_up
from secateur.engine import View
from secateur.formats import named
from secateur.model import Message, Part
from secateur.plan import alive, fold, held, located
from secateur.receipt import Cost, Entry, Summarised, entries, replaced
from secateur.session.projection import seen, weigher
from secateur.tokens import counter_for

SCHEMA = "secateur.report/1"


class Side(Struct, frozen=True):
    """One document: before, or after. `tokens` are those of all parts and of what is fixed; `bytes` are unpacked."""

    format: str
    messages: int
    tool_results: int
    tokens: int
    bytes: int
    path: str | None = None  # the file, "-" for a standard stream; null: not written


class Window(Struct, frozen=True):
    """The context window in tokens, and who says so."""

    value: int
    source: str


class Report(Struct, frozen=True, kw_only=True):
    """What was done to one document. `edits` are all that are in force in the output, in the order of the history."""

    schema: str = SCHEMA
    input: Side
    output: Side
    policy: str
    model: str
    window: Window
    edits: tuple[Entry, ...]  # `message` counts from 0; so do `lines` of a session file
    gate: str | None  # why nothing was pruned; null where something was
    violations: tuple[Violation, ...]  # what the API would refuse of the output; the input had it already
    summary: str | None = None  # what stands in place of what was summed up
    continuation: GoesOn | None = None  # how the agent goes on after that
    rung: str | None = None  # who wrote the summary: supplied, model or extract
    compaction: Summarised | None = None  # what the compaction came to, or why there was none
    cost: Cost | None = None
    counter: str
    counted_by: str = ""  # the counter, and the factor by which it counts for this model
    idle_s: float | None
    warnings: tuple[str, ...]
    session: str | None = None  # under which what left is kept; null: nowhere
    store: str | None = None  # where


def report(view: View[Any], before: Opened, after: Opened, written_to: str | None) -> Report:
    """The report of a run that made `after` of `before`."""
    receipt, edits = view.receipt, in_force(view)
    summed = summed_up(view)
    return Report(
        input=side(before, before.source.name),
        output=side(after, written_to),
        policy=receipt.policy,
        model=receipt.model,
        window=Window(receipt.window, receipt.window_source),
        edits=edits,
        gate=None if edits else receipt.gate,
        violations=tuple(one for one in violations(after)[1] if one.severity == "error"),
        summary=summed.summary,
        continuation=summed.continuation,
        rung=summed.rung,
        compaction=receipt.compaction,
        cost=receipt.cost,
        counter=receipt.counter,
        counted_by=receipt.counted_by,
        idle_s=receipt.idle_s,
        warnings=receipt.warnings + _astray(view, after),
    )


def side(opened: Opened, path: str | None) -> Side:
    """What one document holds."""
    read = opened.transcript
    return Side(opened.format, len(read.messages), results(read), total(read), len(opened.source.data), path)


def in_force(view: View[Any]) -> tuple[Entry, ...]:
    """The edits of the plan that apply to this history, each with the reason and the time of its epoch."""
    raw = view.before.messages
    plan = held(view.plan, view.before)
    folded = fold(plan)
    count = counter_for(view.receipt.counter, view.receipt.model)
    sent = {part.key: part for message in view.after.messages for part in message.parts}
    shown = tuple(_sent(seen(message, folded, count), sent) for message in raw)
    ranges = located(folded.ranges, raw)
    weigh = weigher(named(view.receipt.format), ranges, count)
    told: list[Entry] = []
    for epoch in alive(plan):
        kept = tuple(edit for edit in epoch.edits if folded.parts.get(getattr(edit, "key", ""), (None,))[0] is edit)
        told += entries(raw, raw, shown, replace(epoch, edits=kept)) if kept else ()
        told += replaced(raw, shown, ranges, epoch, weigh)
    return tuple(sorted(told, key=lambda entry: entry.message))


def _sent(message: Message, sent: dict[str, Part]) -> Message:
    """A message as it goes on, where it does."""
    if all(part is sent.get(part.key, part) for part in message.parts):
        return message
    return replace(message, parts=tuple([sent.get(part.key, part) for part in message.parts]))


def _astray(view: View[Any], after: Opened) -> tuple[str, ...]:
    """A warning where the written document does not read as the plan meant it."""
    found, meant = total(after.transcript), view.receipt.tokens_view
    if found == meant:
        return ()
    return (f"the written document reads as {found:,} tokens, the plan came to {meant:,}: please report this",)
