"""A view that is still too long after pruning: one compaction, by the first method that succeeds, or why there is none.

Checks, in order: disabled, host busy, threshold, preconditions, circuit breaker, hook. Only then is a summarizer asked.

Rule: a compaction is one epoch, applied whole or not at all, and not by this module. A view that is over its window
afterwards is reported, not sent.
"""

import json
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.api.registry import TRANSCRIPT
from secateur.budget import explain_cold
from secateur.compaction.conversation import SessionRequest
from secateur.compaction.outcome import Compacted, CompactionSkipped, Outcome
from secateur.compaction.template import get_template
from secateur.compaction.trigger import Due, Load, check_due
from secateur.hooks import BeforeCompact, call_before_hook
from secateur.jsontext import Text
from secateur.model import Epoch, NewMessage
from secateur.projection import Projection
from secateur.render.breakpoints import render
from secateur.render.emitter import Emitter
from secateur.stages import STORE_AWAY, Context
from secateur.stages.old_work import count_pruned, find_compacted_end
from secateur.stages.setup import (
    EARLY_SHARE,
    BackgroundTask,
    CompactionSetup,
    CompactOptions,
    PreparedSummary,
    SummaryJob,
)
from secateur.stages.summary_epoch import (
    build_epoch,
    check_preconditions,
    find_refusal,
    get_ranges,
    is_running_turn_broken,
    is_turn_reopened,
    preview_view,
    rebase_compaction,
)

if TYPE_CHECKING:
    from secateur.summarizers.protocol import Summarizer
    from secateur.summarizers.run import CompactionRun

LEFT_SHARE = 0.7  # of their threshold in a pause: what pruning leaves above it becomes digests, if it was above that
ROUNDS = 3  # of one compaction, where the counters of its policy and of the window are far apart


class CompactionStep(Struct, frozen=True):
    """The conclusion about a compaction: its outcome, and the epoch that it is."""

    outcome: Outcome
    epoch: Epoch | None = None
    made: "CompactionRun | None" = None
    warnings: tuple[str, ...] = ()
    prepared: PreparedSummary | None = None  # the summary that was made, for a request that is decided again

    def with_warnings(self, *warnings: str) -> "CompactionStep":
        """The same with these warnings before its own."""
        return replace(self, warnings=(*filter(None, warnings), *self.warnings))


def conclude(
    context: Context,
    projection: Projection,
    setup: CompactionSetup,
    options: CompactOptions,
    load: Load,
    *,
    prepared: PreparedSummary | None = None,
) -> CompactionStep:
    """The compaction of a request that needs one at this load; `prepared` is a summary that was made before.

    Raises CancelledError.
    """
    if context.storage == "away":
        return CompactionStep(CompactionSkipped("store", STORE_AWAY))
    verdict = check_due(context.settings, load, context.limits, options.forced)
    refusal = _find_refusal(projection, verdict, setup, options)
    if refusal is not None and setup.background is None and not (prepared and refusal.reason == "under"):
        return CompactionStep(refusal)
    before = replace(make_before_event(context, projection, verdict.why, verdict.text, options), tokens=load.tokens)
    if setup.background is not None and (refusal is None or refusal.reason == "under"):
        prepared = prepared or setup.background.take(context.who)
        refusal = refusal if prepared else _begin_beside(context, projection, setup, options, before) or refusal
    if refusal is not None and not (prepared and refusal.reason == "under"):
        return CompactionStep(refusal)
    known = get_ranges(projection)
    step = _swap_in(context, projection, prepared) or _compact(context, projection, setup, options, before)
    if isinstance(step.outcome, Compacted):
        step = conclude_epoch(context, projection, step, verdict.text)
    if step.made is not None and isinstance(step.outcome, Compacted):
        step = replace(step, prepared=PreparedSummary(step.made, known))
    return step


def can_digest(
    context: Context, projection: Projection, setup: CompactionSetup, options: CompactOptions, due: Load
) -> bool:
    """Whether digests come into question: by price, with a full window, or before that while the cache is cold.

    In a pause, what was pruned since the last compaction counts as well, unless little is left. Otherwise pruning would
    put digests off from pause to pause, each of which writes all of a long view anew.
    """
    settings, digests, document = context.settings, context.settings.digest, projection.document
    if digests is None or digests.when == "never" or not (settings.enabled and setup.enabled):
        return False
    log = setup.is_written and (document.format.log or document.transcript.parts_only)  # a host has no place for many
    if options.busy_reason or options.forced or log or context.storage == "away":
        return False
    if not explain_cold(context.budget):
        load, share = due, 1.0
    else:
        load, share = context.load(projection), digests.cold_share
        if load.tokens > LEFT_SHARE * share * context.limits.threshold:
            pruned = context.budget.scale_to_reported(count_pruned(projection, find_compacted_end(projection)))
            load = replace(load, tokens=load.tokens + pruned)
    return digests.when == "price" or check_due(settings, load, context.limits, share=share).now


def make_before_event(
    context: Context, projection: Projection, reason: str, text: str, options: CompactOptions
) -> BeforeCompact:
    """The event for the hook called before a compaction, with its reason as a word and as a sentence."""
    return BeforeCompact(
        session=context.who.session,
        model=context.model,
        window=context.window,
        tokens=context.load(projection).tokens,
        threshold=context.limits.threshold,
        reason=reason,
        text=text,
        messages=len(projection.document.transcript.messages),
        focus=options.focus,
    )


def conclude_epoch(context: Context, projection: Projection, step: CompactionStep, why: str) -> CompactionStep:
    """The step with the epoch of its compaction, unless the running turn needs what it would void."""
    made = step.outcome
    assert isinstance(made, Compacted)
    epoch = build_epoch(projection, made, f"compaction ({made.rung}): {why}", context.budget.now_ms)
    if is_running_turn_broken(projection, epoch):
        text = "the running turn began with reasoning that is bound to its prefix: it waits for the turn to end"
        return replace(step, outcome=CompactionSkipped("running_turn", text, made.attempts, made.asks))
    if is_turn_reopened(projection, epoch):
        text = "nothing after an old request would be left, and its turn is over: raise the window"
        return replace(step, outcome=CompactionSkipped("running_turn", text, made.attempts, made.asks))
    return replace(step, epoch=epoch)


def _find_refusal(
    projection: Projection, verdict: Due, setup: CompactionSetup, options: CompactOptions
) -> CompactionSkipped | None:
    """Why no compaction is made, checked before anything else."""
    if not setup.enabled:
        return CompactionSkipped("off", "compaction is off")
    if verdict.why == "off":
        return CompactionSkipped(verdict.why, verdict.text)
    if options.busy_reason:
        return CompactionSkipped("busy", options.busy_reason)
    if not verdict.now:
        return CompactionSkipped(verdict.why, verdict.text)
    return check_preconditions(projection, setup.is_written)


def _begin_beside(
    context: Context, projection: Projection, setup: CompactionSetup, options: CompactOptions, before: BeforeCompact
) -> CompactionSkipped | None:
    """Begin a summary in the background when it is near; why this request continues without, None if it cannot."""
    background = setup.background
    if background is None or not context.who.session or options.forced or not setup.summarizers:
        return None
    if check_preconditions(projection) is not None:
        return None
    if before.tokens < before.threshold * EARLY_SHARE or before.tokens > context.window:
        return None
    messages = projection.document.transcript.messages
    if find_refusal(projection.branch_plan, messages, context.window, projection.count) is not None:
        return None
    if not background.is_begun(context.who):
        scene = context.build_compaction_input(projection, replace(options, forced=True), True)
        scene = replace(scene, own=make_session_request(context, projection, setup.summarizers))
        task = BackgroundTask(scene, context.settings, context.policy.continuation)
        listed, hooks, known = setup.summarizers, setup.hooks, get_ranges(projection)
        background.begin(
            context.who,
            lambda: SummaryJob(lambda: call_before_hook(hooks, before)[0], task, listed, setup.deadline_s, known),
        )
    return CompactionSkipped("beside", "a summary is being made in the background: it is used when it is ready")


def _swap_in(context: Context, projection: Projection, prepared: PreparedSummary | None) -> CompactionStep | None:
    """The summary that was made in the background, if it still applies."""
    if prepared is None or not isinstance(prepared.made.outcome, Compacted):
        return None
    made = rebase_compaction(projection, prepared.made.outcome, prepared.known, context.policy.continuation)
    return CompactionStep(made, made=replace(prepared.made, outcome=made)) if made is not None else None


def _compact(
    context: Context, projection: Projection, setup: CompactionSetup, options: CompactOptions, before: BeforeCompact
) -> CompactionStep:
    """A compaction that is made now."""
    from secateur.summarizers import run  # only a request that compacts pays for loading it

    messages = projection.document.transcript.messages
    held = None if options.forced else find_refusal(projection.branch_plan, messages, context.window, projection.count)
    if held is not None and before.tokens <= context.window:
        return CompactionStep(held)
    reply, warning = call_before_hook(setup.hooks, before)
    if reply.cancel:
        vetoed = CompactionSkipped("vetoed", reply.reason or "the hook before_compact cancelled it")
        return CompactionStep(vetoed).with_warnings(warning)
    listed = setup.summarizers if held is None and (setup.background is None or options.forced) else ()
    options = options.with_reply(reply)
    scene = context.build_compaction_input(projection, options, bool(listed))
    own = make_session_request(context, projection, listed)
    scene = replace(scene, own=own, load=replace(scene.load, tokens=before.tokens))
    task = run.CompactionTask(scene, context.settings, context.policy.continuation)
    made = run.compact_history(task, listed, setup.deadline_s, options.stop)
    if options.stop is not None and options.stop.called:
        raise CancelledError
    breaker = f"no summarizer was asked: {held.text}" if held is not None else ""
    step = CompactionStep(made.outcome, made=made).with_warnings(warning, breaker)
    return _shorten_tail(context, projection, step, options)


def make_session_request(
    context: Context, projection: Projection, listed: "Sequence[Summarizer]"
) -> SessionRequest | None:
    """The request with the view as it is now, if a summarizer is asked behind it; None where the document is none."""
    from secateur.summarizers.protocol import is_asked_behind_session

    if not any(map(is_asked_behind_session, listed)):
        return None
    document, path = projection.document, projection.document.transcript.messages_path
    if document.format.family == TRANSCRIPT or len(path) != 1:
        return None
    sent = render(Emitter(), projection, document.native, context.policy.schedule.uses_prices).native
    body = sent.value() if isinstance(sent, Text) else json.loads(sent) if isinstance(sent, bytes | str) else sent
    if not isinstance(body, dict) or not isinstance(body.get(path[0]), list):
        return None

    def add_question(text: str) -> dict[str, Any]:
        return {**body, path[0]: [*body[path[0]], document.format.new_message(NewMessage("user", text))]}

    return SessionRequest(
        add_question=add_question,
        tokens=context.budget.tokens_used,
        pricing=context.budget.pricing,
        cold_reason=explain_cold(context.budget),
    )


def _shorten_tail(
    context: Context, projection: Projection, step: CompactionStep, options: CompactOptions
) -> CompactionStep:
    """The same summary with a shorter tail, where the window counts otherwise than the policy."""
    from secateur.compaction.summary import render_sections
    from secateur.summarizers import run

    first, narrow = step.outcome, context
    for _ in range(ROUNDS):
        outcome = step.outcome
        if not isinstance(outcome, Compacted) or not isinstance(first, Compacted) or context.window <= 0:
            break
        view = preview_view(projection, build_epoch(projection, outcome, "", context.budget.now_ms))
        left, usable = context.load_of(projection, view).tokens, context.limits.usable
        if left <= usable:
            break
        narrow = replace(narrow, window=int(narrow.window * usable / left * 0.95))
        prose = render_sections(get_template(context.settings.template, "en"), first.sections)
        again = narrow.build_compaction_input(projection, replace(options, forced=True, summary=prose or "-"), False)
        made = run.compact_history(run.CompactionTask(again, context.settings, context.policy.continuation), ())
        if not isinstance(made.outcome, Compacted):
            break
        known = {"rung": first.rung, "by": first.by, "attempts": first.attempts, "asks": first.asks}
        step = replace(step, outcome=replace(made.outcome, **known, dropped=first.dropped, marked=first.marked))
    return step
