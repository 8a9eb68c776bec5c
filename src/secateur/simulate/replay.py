"""A policy over a recorded session: before each recorded request it decides again, and its plan is kept.

Rule: the policy sees what it would have seen: the history up to that request, the time since the call before, and its
own plan. It prunes and compacts as the engine does (`pipeline`); only the document is not written or validated, and no
model is called. A summary written by code takes the place and the budget of a model's summary, and the call is priced
as if the session's own model had been asked in plain text: the question as plain input, the summary as output. Breakers
and hooks act only as far as they follow from plan and history. A request costs what is new.
"""

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget
from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.compact import compact
from secateur.compaction.outcome import Compacted
from secateur.compaction.trigger import check_due
from secateur.documents import Document
from secateur.model import Message, Transcript
from secateur.pipeline import apply_compaction, apply_prune, fit_window
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.policy.windows import find_target, resolve
from secateur.pricing.tariffs import CachePricing, get_tariff
from secateur.projection import Projection
from secateur.projection.message_index import Counting
from secateur.render.breakpoints import find_breakpoint_targets
from secateur.simulate.bill import ExtraCall
from secateur.simulate.cache import CachedPrompt
from secateur.simulate.requests import RecordedRequest, Recording
from secateur.stages import Context, find_compaction_limit
from secateur.stages.old_work import find_due_load
from secateur.stages.setup import NO_OPTIONS, CompactionSetup
from secateur.stages.summary_epoch import find_refusal
from secateur.stores.protocol import Calibration
from secateur.tokens import Counter

GAP_S = 20.0  # between requests whose time is not recorded: an agent at work

REPLAYED = CompactionSetup(is_written=False)


class ReplayedTurn(Struct, frozen=True):
    """One request as the policy would have sent it."""

    request: RecordedRequest
    at: int  # ms since 1970; from 0 on where no time is recorded
    seen: tuple[Message, ...]  # the view
    fixed_tokens: int
    opened: bool = False  # an epoch was opened for it
    why: str = ""  # of that epoch, or of the gate that did nothing
    calls: tuple[ExtraCall, ...] = ()  # made for it in addition: summaries
    plan: Plan = Plan()
    ahead: tuple[int, ...] = ()  # messages before which a prefix is kept as well (`render.breakpoints`)

    @property
    def begins(self) -> bool:
        """Whether the newest message is a user's: a turn begins here."""
        newest = self.seen[-1] if self.seen else None
        return newest is not None and newest.role == "user" and newest.origin == "user"


def replay_policy(
    recording: Recording,
    policy: Policy,
    *,
    window: int | None = None,
    tariff: CachePricing | None = None,
    handles: bool = True,
) -> Iterator[ReplayedTurn]:
    """Replay the session's requests under a policy. `window` in tokens and `tariff` default to the model's.

    With `handles` texts name what can be read back, as the engine does where it has a store and the request offers the
    recall tool; without, nothing is shortened of which characters would be lost. A policy whose `compaction` is None
    only prunes, and its views may outgrow the window.
    """
    counted = recording.factor != 1.0 or any(request.usage for request in recording.requests)
    session = ReplayedSession(
        policy, recording.tally, tariff or get_tariff(recording.model, said=policy.pricing), counted
    )
    projection = session.projection
    for request, at, idle_s in iterate_moments(recording):
        segment = recording.segments[request.segment]
        session.advance(request, recording.document, segment)
        room = resolve(window, request.model or segment.model, policy, recorded=segment.window)[0]
        epochs = len(projection.plan.epochs)
        context = session.build_context(room, segment, at, idle_s, handles=handles)
        pruned = apply_prune(context, projection)
        done = summarize(context, projection)
        opened = len(projection.plan.epochs) > epochs
        why = done.why or (projection.plan.epochs[-1].reason if opened else pruned.skipped_reason)
        seen = projection.get_view().messages
        kept = find_breakpoint_targets(projection) if opened else ()
        yield ReplayedTurn(request, at, seen, segment.fixed_tokens, opened, why, done.calls, projection.plan, kept)


def replay_unpruned(recording: Recording) -> Iterator[ReplayedTurn]:
    """The session as it was."""
    for request, at, _ in iterate_moments(recording):
        yield ReplayedTurn(
            request, at, recording.get_context(request), recording.segments[request.segment].fixed_tokens
        )


def iterate_moments(recording: Recording) -> Iterator[tuple[RecordedRequest, int, float | None]]:
    """Each request, its time (ms), and the seconds since the model's last call (None for the first).

    Time never goes back; where none is recorded, requests follow each other by `GAP_S`.
    """
    last: int | None = None
    for request in recording.requests:
        at = max(request.at or (0 if last is None else last + round(GAP_S * 1000)), last or 0)
        answered = next(
            (one.recorded_ms for one in reversed(recording.get_context(request)) if one.role == "assistant"), 0
        )
        called = max(answered, last) if last is not None else answered
        yield request, at, max(0, at - called) / 1000 if called or last is not None else None
        last = at


class ReplayedSession:
    """A recorded session under a policy: each request takes over more of a history that is already read."""

    def __init__(self, policy: Policy, tally: Counter, tariff: CachePricing, counted: bool = False) -> None:
        """`counted`: tokens are what the provider counts, as it would have reported by then (`Engine.record_usage`), so
        they replace the policy's own counter.
        """
        names, count = ("estimate", policy.counter), lru_cache(maxsize=4_096)(tally)
        gauge = count if policy.counter == "estimate" else Counting.of(names).both[1]
        counting = Counting(names, (count, gauge), is_fixed=True)
        self.projection = Projection(
            policy.protect, counting, policy.record_cleared_at, policy.schedule.needs_usage, is_written=False
        )
        self._policy, self._tariff = policy, tariff
        self._calibration = Calibration(samples=1) if counted else Calibration()
        self._last: RecordedRequest | None = None
        self._cold, self._cold_keys, self._now_cold = "", tuple[str, ...](), tuple[str, ...]()

    def advance(self, request: RecordedRequest, whole: Document, segment: Transcript) -> None:
        """Advance to a request, with the messages of its segment that it had.

        Another model, and a history that the host compacted, share no cache with the last request.
        """
        last, self._last = self._last, request
        switched = last is not None and last.model != request.model
        rewritten = last is not None and last.segment != request.segment
        self._cold = "the model was switched" if switched else "the host compacted its history" if rewritten else ""
        document, size = self.projection.last_document, request.answer
        known = document.transcript.messages if document is not None else ()
        messages = segment.messages[:size]
        goes_on = 0 < len(known) <= size and known[-1] is messages[len(known) - 1]
        read = replace(whole, transcript=replace(segment, messages=messages, index=None))
        self.projection.ingest(read, len(known) if goes_on else 0, None if self._policy.sticky else Plan())
        self._cold_keys += self._now_cold
        self._now_cold = (messages[-1].key,) if self._cold and messages else ()

    def build_context(
        self, window: int, segment: Transcript, now_ms: int, idle_s: float | None, handles: bool = False
    ) -> Context:
        """The context of this request; an epoch restarts the idle time, as in the engine.

        A summary that must not fail (`on_bad_summary` "cancel") does not: here it never comes from a model.
        """
        projection, policy = self.projection, self._policy
        if projection.plan.epochs and idle_s is not None:
            idle_s = max(0.0, min(idle_s, (now_ms - projection.plan.epochs[-1].at_ms) / 1000))
        if policy.compaction is not None:
            policy = replace(policy, compaction=replace(policy.compaction, on_bad_summary="next_rung"))
        model = (self._last.model if self._last else "") or segment.model
        model_window, target = window, find_target(policy, window, "")
        if target is not None:
            policy, window = target.policy, target.tokens
        budget = Budget(
            window=window,
            tokens_used=projection.used + segment.fixed_tokens,
            count=projection.gauge,
            protect=projection.protect,
            edited_by=projection.edited,
            own_keys=projection.message_index.own,
            originals=projection.raw,
            idle_s=idle_s,
            now_ms=now_ms,
            recall_handles=handles,
            pricing=self._tariff,
            cold_reason=self._cold,
            cold_keys=self._cold_keys,
            compaction_limit=find_compaction_limit(policy, window, model),
        )
        return Context(
            policy=policy,
            budget=budget,
            model=model,
            window=window,
            is_target=target is not None,
            model_window=model_window,
            fixed_tokens=segment.fixed_tokens,
            calibration=self._calibration,
        )


class Summed(Struct, frozen=True):
    """Its result: why an epoch was opened ("": none was), and the calls that it took."""

    why: str = ""
    calls: tuple[ExtraCall, ...] = ()


def summarize(context: Context, projection: Projection) -> Summed:
    """Compact if it is due, and shorten what the model has not read yet where nothing else makes the view fit."""
    asks = _collect_asks(context, projection) if context.policy.compaction is not None else []
    done = fit_window(context, projection, apply_compaction(context, projection, REPLAYED, NO_OPTIONS))
    if not done.reason or not isinstance(done.outcome, Compacted) or done.outcome.rung == "digest":
        return Summed(done.reason)  # no model is asked for a digest
    written = projection.count(done.outcome.summary)
    calls = [
        ExtraCall(CachedPrompt(0, 0, ask.tokens), ask.most_tokens if ask.stage == "part" else written) for ask in asks
    ]
    return Summed(done.reason, tuple(calls))


def _collect_asks(context: Context, projection: Projection) -> list[Ask]:
    """The prompts a summarizer would have been sent; none if no summary is due or the breaker is open."""
    load = find_due_load(context, projection)
    if not check_due(context.settings, load, context.limits).now:
        return []
    messages = projection.document.transcript.messages
    if find_refusal(projection.plan, messages, context.window, projection.count) is not None:
        return []
    scene = replace(context.build_compaction_input(projection, NO_OPTIONS, True), load=load)
    steps = compact(scene, context.settings, context.policy.continuation)
    found: list[Ask] = []
    try:
        asks = next(steps)
        found += asks
        while asks[-1].stage == "part":
            asks = steps.send(tuple(SummaryAnswer(ask.text[: ask.most_tokens]) for ask in asks))
            found += asks
    except StopIteration:
        pass
    finally:
        steps.close()
    return found
