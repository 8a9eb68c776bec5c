"""The record of a request: its receipt.

Rule: a receipt names what was done by keys and hashes, and never holds what was said. Nothing is decided here.
"""

from msgspec import Struct

from secateur.cachecost.edit_cost import estimate_edit_cost, warn_of_assumed_prices
from secateur.fitting.unread import count_taken, warn_of_unread
from secateur.model import Message
from secateur.plan import Plan
from secateur.receipt import EditRecord, Receipt, build_records
from secateur.render.breakpoints import Rendered
from secateur.session import Projection
from secateur.stages import Context, EngineSettings
from secateur.stages.demands import Demands
from secateur.stages.report import CompactionResult
from secateur.tokens import describe_counter


class Applied(Struct, frozen=True):
    """What an epoch did, as the receipt has it; or why there was none, or why it was taken back."""

    edits: tuple[EditRecord, ...] = ()
    skipped_reason: str = ""
    refused: str = ""


class Decided(Struct, frozen=True):
    """All that was decided for a request: the edits of its epochs, and why they were opened."""

    context: Context
    demands: Demands
    shown: tuple[Message, ...]  # the messages before this request's own edits
    inherited: tuple[EditRecord, ...]  # by epochs of another session, and by a changed repair
    forced: str  # why an epoch had to be opened, whatever the cache holds
    pruned: Applied
    compaction: CompactionResult


def make_receipt(
    settings: EngineSettings, repairs: tuple[str, ...], projection: Projection, decided: Decided, rendered: Rendered
) -> Receipt:
    """The receipt of a view."""
    context, read = decided.context, projection.document.transcript
    pruned, compaction, plan = decided.pruned, decided.compaction, projection.plan
    opened = bool(pruned.edits or decided.forced or compaction.reason)
    unread, (raw, view) = count_taken(projection), projection.tokens
    over = (compaction.too_long,) if compaction.too_long and settings.sends else ()
    more = (
        *warn_of_assumed_prices(settings.policy.schedule, context.budget),
        *over,
        *warn_of_unread(unread, settings.policy.name),
    )
    changed = pruned.edits and not pruned.refused
    return Receipt(
        policy=settings.policy.name,
        model=context.model,
        window=context.window,
        window_source=context.window_source,
        counter=settings.counter,
        tokens_raw=raw + context.fixed_tokens,
        tokens_view=view + context.fixed_tokens,
        messages=len(read.messages),
        opened=opened,
        edits=(*decided.inherited, *pruned.edits, *compaction.edits),
        active_edits=rendered.active_edits,
        skipped_reason="" if opened else pruned.skipped_reason,
        idle_s=context.budget.idle_s,
        cost=estimate_edit_cost(decided.shown, projection.projected_messages, context.budget) if changed else None,
        warnings=(*read.warnings, *decided.demands.warnings, *compaction.warnings, *more),
        repairs=repairs,
        forced_reason=decided.forced,
        status="refused" if pruned.refused else "opened" if opened else "unchanged",
        reason=(plan.epochs[-1].reason if plan.epochs else decided.forced) if opened or pruned.refused else "",
        at_ms=context.budget.now_ms,
        format=projection.document.format.name,
        provider=read.provider,
        head_key=read.messages[-1].key if read.messages else "",
        token_ratio=context.token_ratio,
        counted_by=describe_counter(settings.counter, read.model),
        compaction=compaction.report,
        breakpoints=rendered.breakpoints,
        unread=unread,
        billed=context.calibration.bill if context.calibration.bill.answers else None,
    )


def list_inherited(projection: Projection, plan: Plan) -> tuple[EditRecord, ...]:
    """What the epochs that came from another session do here."""
    messages = projection.document.transcript.messages
    return tuple(
        edit
        for epoch in plan.epochs
        for edit in build_records(messages, messages, projection.projected_messages, epoch)
    )
