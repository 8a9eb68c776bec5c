"""The record of a request: its receipt, and the report of its compaction for the receipt, the store and a hook.

Rule: a receipt names edits by keys, hashes and counts, and never holds text that was removed or summarized. That text,
and the summary with its facts, goes to the store, which only its owner reads. Nothing is decided here.
"""

from collections.abc import Iterator
from heapq import nlargest
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from secateur.cachecost.cut_costs import estimate_edit_cost
from secateur.compaction.marks import is_marked
from secateur.compaction.outcome import Compacted, CompactionSkipped, Outcome
from secateur.hooks import AfterCompact, Hooks, call_after_hook
from secateur.lineage import hash_text
from secateur.model import Message, Part, Transcript
from secateur.plan import Plan
from secateur.projection import Projection
from secateur.receipt import CompactionReport, EditRecord, Receipt, RejectedAttempt, build_records
from secateur.render.breakpoints import Rendered
from secateur.stages import Context, EngineSettings
from secateur.stages.demands import Demands
from secateur.stages.setup import PreparedSummary
from secateur.stores.protocol import Blob
from secateur.text.readback import find_first_unread
from secateur.tokens import describe_counter

if TYPE_CHECKING:
    from secateur.summarizers.run import CompactionRun


LARGEST = 5  # parts that are named
_SHOWS_MOST = ("excerpt", "reduce_output")  # strategies that keep the most important lines


class CompactionResult(Struct, frozen=True):
    """The result of one request's compaction."""

    outcome: Outcome | None = None  # None: the policy does not compact
    report: CompactionReport | None = None  # the same for the receipt
    edits: tuple[EditRecord, ...] = ()
    blobs: tuple[Blob, ...] = ()  # what was replaced, and the summary with its facts, for a store to keep
    warnings: tuple[str, ...] = ()
    reason: str = ""  # why its epoch was opened; "" if none was
    prepared: PreparedSummary | None = None  # the summary that was made, for a request that is decided again
    too_long: str = ""  # why the view cannot be sent, if it cannot


def report_compaction(outcome: Outcome, made: "CompactionRun | None", too_long: str) -> CompactionResult:
    """The result of a compaction, or of the decision against one."""
    answers = made.answers if made else ()
    tokens = (
        sum(answer.spent.input + answer.spent.read + answer.spent.write for answer in answers),
        sum(answer.spent.output for answer in answers),
    )
    tried = tuple(
        RejectedAttempt(attempt.rung, attempt.reason, attempt.text, attempt.by) for attempt in outcome.attempts
    )
    if isinstance(outcome, CompactionSkipped):
        report = CompactionReport(
            done=False,
            reason=outcome.reason,
            text=outcome.text,
            attempts=tried,
            model_calls=outcome.asks,
            asked_tokens=tokens,
        )
        return CompactionResult(outcome, report, too_long=too_long)
    report = _build_report(outcome, tried, tokens)
    return CompactionResult(outcome, report, blobs=tuple(_iterate_blobs(outcome)), too_long=too_long)


def call_hook(hooks: Hooks, session: str, outcome: Compacted) -> str:
    """Call the hook for a compaction that was made; what went wrong with it, or ""."""
    after = AfterCompact(
        session=session,
        method=outcome.rung,
        by=outcome.by,
        summary=outcome.summary,
        continuation=outcome.continuation.branch,
        messages=outcome.messages,
        tokens_before=outcome.tokens_before,
        tokens_after=outcome.tokens_after,
        handles=tuple(outcome.blobs),
    )
    return call_after_hook(hooks, after)


def explain_too_long(context: Context, projection: Projection, outcome: Outcome) -> str:
    """Explain why the view cannot be sent, with its largest parts; "" if it can."""
    if isinstance(outcome, CompactionSkipped) and outcome.reason == "fixed_overhead":
        return outcome.text
    used = context.load(projection).tokens
    if context.window <= 0 or used <= context.window:
        return ""
    why = f"; {outcome.text}" if isinstance(outcome, CompactionSkipped) else ""
    return (
        f"{used:,} tokens remain and the window is {context.window:,}{why}; system prompt and tools take"
        f" {context.fixed_tokens:,}, the largest that remain are {name_largest(projection)}:"
        " give a larger window, or protect less"
    )


def explain_overflow(context: Context, projection: Projection, compaction: CompactionResult) -> str:
    """Why the view does not fit; "" if it does. A policy that a looked-up window binds counts as it compacts."""
    compacts, outcome = context.policy.compaction is not None, compaction.outcome
    if compacts and context.policy.binds == "any" and outcome is not None:
        return explain_too_long(context, projection, outcome)
    used = count_used(context, projection)
    if isinstance(outcome, CompactionSkipped) and outcome.reason == "fixed_overhead":
        return outcome.text
    if context.window <= 0 or used <= context.window:
        return ""
    if compacts and compaction.too_long:
        return compaction.too_long
    return (
        f"{used:,} tokens remain and the window is {context.window:,} ({context.window_source}); system prompt and"
        f" tools take {context.fixed_tokens:,}, the largest that remain are {name_largest(projection)}:"
        " give a larger window, or protect less"
    )


def count_used(context: Context, projection: Projection) -> int:
    """Tokens of the view, as the provider would count them."""
    return round((projection.tokens[1] + context.fixed_tokens) * context.token_ratio)


def name_largest(projection: Projection) -> str:
    """The largest parts of the view, with their tokens."""
    parts = projection.tallies.find_largest(projection.get_view().messages, LARGEST)
    return ", ".join(f"{part.tool or part.kind} ({part.tokens:,})" for part in parts)


def find_largest(view: Transcript) -> tuple[Part, ...]:
    """The largest parts of a view."""
    parts = [part for message in view.messages for part in message.parts]
    return tuple(nlargest(LARGEST, parts, key=attrgetter("tokens")))


def _build_report(made: Compacted, tried: tuple[RejectedAttempt, ...], tokens: tuple[int, int]) -> CompactionReport:
    return CompactionReport(
        done=True,
        reason="compacted",
        method=made.rung,
        summarizer=made.by,
        attempts=tried,
        model_calls=made.asks,
        asked_tokens=tokens,
        messages=made.messages,
        tokens_before=made.tokens_before,
        tokens_after=made.tokens_after,
        rejected_lines=len(made.dropped),
        marked_lines=sum(is_marked(line) for lines in made.sections.values() for line in lines),
        evicted_lines=made.forgotten,
        continuation=made.continuation.branch,
        summary=hash_text(made.summary),
        handles=tuple(made.blobs),
    )


def _iterate_blobs(made: Compacted) -> Iterator[Blob]:
    """The replaced text in full, under the handle named by the summary; the summary, its prose and facts."""
    for text in made.blobs.values():
        yield Blob(text.encode("utf-8", "surrogatepass"), "text")
    kept = {"summary": made.summary, "sections": made.sections, "ledger": msgspec.to_builtins(made.ledger)}
    yield Blob(msgspec.json.encode(kept), "summary")


class Applied(Struct, frozen=True):
    """The result of an epoch for the receipt; or why there was none, or why it was rolled back."""

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
    assumed, has_own = context.budget.pricing.assumption, settings.policy.counter != settings.counter
    over = (compaction.too_long,) if compaction.too_long and settings.sends else ()
    more = (
        *((assumed,) if assumed and settings.policy.schedule.uses_prices else ()),
        *over,
        *warn_of_unread(unread, settings.policy.name),
        *(_warn_of_own_count(context, projection) if has_own and not opened else ()),
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


def _warn_of_own_count(context: Context, projection: Projection) -> tuple[str, ...]:
    """The warning that a view is over its policy's threshold, though not by the count of the policy itself."""
    budget, policy = context.budget, context.policy
    threshold, used = policy.schedule.compute_threshold(context.window), count_used(context, projection)
    if threshold is None or not budget.tokens_used <= threshold < used:
        return ()
    return (
        f"the view takes {used:,} tokens, over the threshold of {threshold:,.0f} of policy {policy.name}, which counts "
        f"{budget.tokens_used:,} ({policy.counter}) and so removed nothing",
    )


def list_inherited(projection: Projection, plan: Plan) -> tuple[EditRecord, ...]:
    """List the effects of epochs inherited from another session."""
    messages = projection.document.transcript.messages
    return tuple(
        edit
        for epoch in plan.epochs
        for edit in build_records(messages, messages, projection.projected_messages, epoch)
    )


def count_taken(work: Projection) -> int:
    """Count the unread results not in the view as received, other than excerpts, which show their ends."""
    fold, messages = work.fold, work.document.transcript.messages
    if not (fold.parts or work.ranges):
        return 0
    hidden = max((j for i, j, _ in work.ranges if i < j), default=0)
    count = 0
    for number in range(find_first_unread(messages), len(messages)):
        summed = number < hidden and any(i <= number < j for i, j, _ in work.ranges)
        count += sum(
            summed or (part.key in fold.parts and fold.parts[part.key][0].strategy not in _SHOWS_MOST)
            for part in messages[number].parts
            if part.kind == "tool_result"
        )
    return count


def join_digests(first: CompactionResult | None, done: CompactionResult) -> CompactionResult:
    """The result of digests, if they came into question, and of the summary behind them."""
    if first is None or not (isinstance(first.outcome, Compacted) or (done.report and done.report.reason == "under")):
        return done
    if not isinstance(done.outcome, Compacted):
        return replace(first, too_long=done.too_long)
    return replace(done, edits=(*first.edits, *done.edits), blobs=(*first.blobs, *done.blobs))


def warn_of_unread(count: int, policy: str) -> tuple[str, ...]:
    """Return the warnings for a receipt."""
    if not count:
        return ()
    said = "1 result is" if count == 1 else f"{count} results are"
    return (f"{said} not in the view as it came, and the model has not read it: policy {policy} takes what is unread",)
