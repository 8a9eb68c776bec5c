"""One request as a chain of values: the only module that applies an epoch to a projection on a request.

    read -> project -> demands -> context -> repairs -> prune -> digest, compact -> window -> render -> record

A stage returns a value. This module applies its epoch, has the view validated, and reverts what the provider would
reject. Nothing is saved here: `serving` saves the result, and decides again after a conflict.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import documents
from secateur.api import Violation
from secateur.compaction.outcome import Compacted, CompactionSkipped
from secateur.model import Epoch
from secateur.plan import REFUSED, Plan
from secateur.projection import Projection
from secateur.projection.messages import make_weigher
from secateur.receipt import EditRecord, build_range_records, build_records
from secateur.render.breakpoints import Rendered, render
from secateur.sessions import Branch, CachedSession, SessionManager, SessionMatch
from secateur.sessions.cache import RepairedRequest, SkippedDecision
from secateur.sessions.lookup import has_view
from secateur.sessions.recall_handles import can_recall
from secateur.sessions.receipt_log import with_content_hashes, with_handles
from secateur.sessions.request_tree import MOVED, with_lineage
from secateur.stages import (
    Context,
    EngineSettings,
    FitRequest,
    Incoming,
    Step,
    Storage,
    build_context,
    compact,
    digest,
    make_projection,
    prune,
    record,
    window,
)
from secateur.stages.compact import CompactionStep
from secateur.stages.demands import Demands, collect, detect_change, remember_repairs
from secateur.stages.old_work import find_due_load
from secateur.stages.raw_history import restore_raw
from secateur.stages.setup import CompactionSetup, CompactOptions, PreparedSummary
from secateur.stages.summary_epoch import separate_turns
from secateur.stores.protocol import Blob, SessionId, State
from secateur.view import View

Validate = Callable[[Projection], list[Violation]]  # what the provider would reject in a view


class RequestRun(Struct, frozen=True):
    """One request with its session."""

    settings: EngineSettings
    sessions: SessionManager
    cached: CachedSession
    who: SessionId
    match: SessionMatch
    request: FitRequest
    incoming: Incoming


class Result(Struct, frozen=True):
    """A view, and what is saved with it."""

    view: View[Any]
    branch: Branch
    too_long: str  # why the view cannot be sent, if it cannot
    blobs: tuple[Blob, ...]
    prepared: PreparedSummary | None
    repaired: RepairedRequest | None


def decide(call: RequestRun, state: State, storage: Storage, prepared: PreparedSummary | None) -> Result:
    """Return the view of the request under this state of its session; nothing is saved yet."""
    settings, request, sessions, cached = call.settings, call.request, call.sessions, call.cached

    # Read the request (only its new messages if it has grown), and apply the session's plan to it.
    state = call.match.limit_state(state)
    projection, branch = _project(call, state, storage)
    read = projection.document.transcript
    demands = collect(settings, sessions, cached, state, projection, request)
    _enforce(cached, projection, demands)
    handles = storage == "store" and not projection.is_observed and can_recall(settings.handles, projection.document)
    prior = request.plan is not None or cached.last is not None or has_view(state)
    context = build_context(
        settings, request, projection, state, demands.placement, storage=storage, handles=handles, has_prior_view=prior
    )
    is_inherited = bool(call.match.parent) and branch.plan is call.match.inherited
    inherited = record.list_inherited(projection, branch.plan) if is_inherited else ()

    # What was sent before may read differently now, because of a changed repair or of another plan.
    repaired = remember_repairs(settings, call.incoming, request.native, read) if settings.repair else None
    step, used = detect_change(cached.repaired, repaired, read, request.now_ms), projection.used
    step = Step(separate_turns(projection, step.epoch, request.now_ms)) if projection.ranges else step
    voided, forced = _open(projection, step.epoch), demands.placement.moved
    if step.epoch is not None:
        context, forced = context.refresh(projection, used), forced or step.epoch.reason
    if demands.placement.moved == MOVED and settings.policy.sticky:
        _open(projection, Epoch(request.now_ms, read.messages[-1].key, MOVED, ()))

    # Prune; summarize if the view is still too long; report it if that was not enough.
    before = projection.projected_messages
    pruned = _prune(cached, context, projection, demands)
    compaction = apply_compaction(
        context, projection, settings.compaction, request.options, prepared=prepared, validate=cached.validate
    )
    compaction = fit_window(context, projection, compaction, cached.validate)

    # Render and record.
    rendered = Rendered(call.incoming.native)
    if projection.fold.parts or projection.ranges:
        rendered = render(cached.emitter, projection, rendered.native, settings.policy.schedule.uses_prices)
    if sessions.store is not None and projection.plan.epochs[branch.saved :]:
        projection.seal(branch.saved, with_content_hashes)
    decided = record.Decided(context, demands, before, (*inherited, *voided), forced, pruned, compaction)
    receipt = record.make_receipt(settings, call.incoming.repairs, projection, decided, rendered)
    receipt = with_lineage(receipt, demands.placement, cached.prefix, projection, bool(context.budget.cold_reason))
    if sessions.store is not None:
        found = with_handles(receipt.edits, projection.document) if storage == "store" else receipt.edits
        receipt = replace(receipt, edits=found, epochs=(branch.offset, branch.offset + len(projection.plan.epochs)))
        receipt = sessions.number_receipt(receipt, cached, state, rendered.native)
    who, after = state.who, projection.get_view()
    view = View(rendered.native, projection.plan, receipt, read, after, who.session, who.tenant, compaction.outcome)
    return Result(view, branch, compaction.too_long, compaction.blobs, compaction.prepared, repaired)


def _project(call: RequestRun, state: State, storage: Storage) -> tuple[Projection, Branch]:
    """Read the request (only its new messages if it has grown), and apply the plan that it continues from.

    If the policy's edits do not persist, no plan is applied; except that reasoning bound to its prefix was written
    under the views of the session's plan, which is then applied after all.
    """
    settings, sessions, cached, request = call.settings, call.sessions, call.cached, call.request
    projection = cached.work or make_projection(settings)
    came = call.incoming.document or call.incoming.native
    read, same = documents.read_on(projection.last_document, came, settings.format, settings.model)
    if not projection.counting.can_count(read.transcript.model) and projection.last_document is not None:
        projection, same = make_projection(settings), 0  # another model: count everything again
        read = call.incoming.document or documents.read(call.incoming.native, settings.format, settings.model)
    cached.work = projection
    if settings.policy.sticky:
        branch = sessions.branch_from(cached, state, call.match, request.plan)
        projection.ingest(read, same, branch.plan)
        return projection, branch
    afresh = Branch(Plan(), 0, len(state.plan.epochs))
    shown = sessions.get_last_branch(cached, state) if request.plan is None else replace(afresh, plan=request.plan)
    projection.ingest(read, same, Plan())
    if not (projection.binds or storage == "away") or not shown.plan.epochs:
        return projection, afresh
    projection.ingest(read, len(read.transcript.messages), shown.plan)
    return projection, shown


def _enforce(cached: CachedSession, projection: Projection, demands: Demands) -> None:
    """Before any decision, protect what the session demands, and postpone undos that cannot take effect yet."""
    if projection.protect != demands.protection:
        cached.skipped = None
        projection.set_protection(demands.protection)
    projection.apart, cached.lost = demands.placement.beside, demands.lost
    for epoch in demands.postponed:
        _open(projection, epoch)


def _prune(cached: CachedSession, context: Context, projection: Projection, demands: Demands) -> record.Applied:
    """Prune a request; a decision to skip is reused if nothing but the time has changed since."""
    budget, known = context.budget, cached.skipped if context.storage != "away" else None
    same = projection.unchanged and not demands.edits and not context.policy.schedule.needs_clock
    if same and known is not None and (known.window, known.used) == (budget.window, budget.tokens_used):
        step = Step(None, known.reason)
    else:
        step = prune.conclude(context, projection, demands.edits, demands.reason)
    applied = _apply(projection, step, budget.now_ms, cached.validate)
    skipped = SkippedDecision(budget.window, budget.tokens_used, step.skipped_reason)
    edited = applied.edits or (applied.refused and step.epoch is not None)
    cached.skipped = None if edited or context.storage == "away" else skipped
    return applied


def apply_prune(context: Context, projection: Projection) -> record.Applied:
    """Prune a replayed request, without a session and without validation."""
    return _apply(projection, prune.conclude(context, projection, {}), context.budget.now_ms, None)


def apply_compaction(
    context: Context,
    projection: Projection,
    setup: CompactionSetup,
    options: CompactOptions,
    *,
    prepared: PreparedSummary | None = None,
    validate: Validate | None = None,
) -> record.CompactionResult:
    """Replace older work by digests if that pays, then summarize if the view is still too long.

    Of large results without an outline, excerpts stay before that, as far as there is room. What excerpts and digests
    free is no pruning, so behind them the view counts as it is.
    """
    if context.policy.compaction is None:
        skipped = CompactionSkipped("no_policy", f"policy {context.policy.name} does not compact")
        return record.CompactionResult(skipped if options.forced else None)
    load = find_due_load(context, projection)
    can_digest = compact.can_digest(context, projection, setup, options, load)
    step = window.shorten_large(context, projection, load) if can_digest else Step()
    cut = _apply(projection, step, context.budget.now_ms, validate) if step.epoch is not None else record.Applied()
    load = context.load(projection) if cut.edits else load
    early = digest.conclude(context, projection, setup, options, load) if can_digest else None
    first = _finish_compaction(context, projection, setup, early, validate) if early is not None else None
    load = context.load(projection) if first is not None and first.edits else load
    late = compact.conclude(context, projection, setup, options, load, prepared=prepared)
    done = record.join_digests(first, _finish_compaction(context, projection, setup, late, validate))
    return window.join_excerpts(cut, step.epoch, done) if step.epoch is not None else done


def _finish_compaction(
    context: Context, projection: Projection, setup: CompactionSetup, step: CompactionStep, validate: Validate | None
) -> record.CompactionResult:
    """Apply the epoch of a compaction, and report the result."""
    applied = _apply(projection, Step(step.epoch), context.budget.now_ms, validate) if step.epoch else record.Applied()
    if applied.refused:
        no = CompactionSkipped("gate", applied.refused, step.outcome.attempts, step.outcome.asks)
        step = replace(step, outcome=no, epoch=None, prepared=None)
    outcome = step.outcome
    result = record.report_compaction(outcome, step.made, record.explain_too_long(context, projection, outcome))
    warning = record.call_hook(setup.hooks, context.who.session, outcome) if isinstance(outcome, Compacted) else ""
    warnings, reason = tuple(filter(None, (*step.warnings, warning))), step.epoch.reason if step.epoch else ""
    return replace(result, edits=applied.edits, warnings=warnings, reason=reason, prepared=step.prepared)


def fit_window(
    context: Context, projection: Projection, done: record.CompactionResult, validate: Validate | None = None
) -> record.CompactionResult:
    """Enforce the window: shorten unread results as a last resort, and report what is too long."""
    if context.policy.binds == "never":
        return replace(done, too_long="")
    reason = record.explain_overflow(context, projection, done)
    step = window.conclude(context, projection, done.outcome) if reason else Step()
    if step.epoch is not None:
        applied = _apply(projection, step, context.budget.now_ms, validate)
        reason = record.explain_overflow(context, projection, done)
        if not applied.refused:
            warnings = window.warn_of_shortened(len(applied.edits), context.budget.recall_handles)
            done = replace(
                done,
                edits=(*done.edits, *applied.edits),
                warnings=(*done.warnings, *warnings),
                reason=done.reason or step.epoch.reason,
            )
    if reason and window.is_binding(context, projection, done.outcome):
        return replace(done, too_long=reason)
    return replace(done, too_long="", warnings=(*done.warnings, *filter(None, (reason,))))


def _apply(projection: Projection, step: Step, now_ms: int, validate: Validate | None) -> record.Applied:
    """Apply the epoch of a step, and revert it if the provider would reject the view."""
    edits = _open(projection, step.epoch)
    refused = roll_back(projection, now_ms, bool(edits), validate) if validate is not None else ""
    return record.Applied((), refused, refused) if refused else record.Applied(edits, step.skipped_reason)


def _open(projection: Projection, epoch: Epoch | None) -> tuple[EditRecord, ...]:
    """Add an epoch to the plan of the projection; return its edits as the receipt records them."""
    if epoch is None:
        return ()
    messages, before = projection.document.transcript.messages, projection.projected_messages
    projection.apply_epoch(epoch)
    records = build_records(messages, before, projection.projected_messages, epoch)
    if not projection.ranges:
        return records
    weigh = make_weigher(projection.document.format, projection.ranges, projection.count)
    return (*records, *build_range_records(messages, before, projection.ranges, epoch, weigh))


def roll_back(projection: Projection, now_ms: int, is_open: bool, validate: Validate) -> str:
    """Never send what the provider would reject: revert the newest epoch, then all of them; return why, or "".

    The reverts are epochs of the plan, so the record shows what happened. Reverting an epoch that was never sent
    leaves the view as it was.
    """
    violations = validate(projection)
    if not violations:
        return ""
    first = violations[0]
    why = f"{REFUSED}: rule {first.rule} at {first.where}, {first.text}"
    messages = projection.document.transcript.messages
    if is_open:
        projection.apply_epoch(Epoch(now_ms, messages[-1].key, why, (), reverts=len(projection.plan.epochs) - 1))
        if not validate(projection):
            return why
    for epoch in restore_raw(projection, now_ms, why):
        projection.apply_epoch(epoch)
    validate(projection)
    return why
