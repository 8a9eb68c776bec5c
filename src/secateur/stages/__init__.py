"""The stages of a request: demands, repairs, prune, digest, compact, window; one file each, and what they are given.

A stage is a function of a `Context` and a `Projection`. It returns a value that may hold an epoch; it never applies
one. Applying epochs, validation and rollback are the matter of `pipeline` alone.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget
from secateur.compaction.conversation import CompactionInput
from secateur.compaction.settings import Compaction
from secateur.compaction.trigger import Limits, Load, compute_limits
from secateur.documents import Document
from secateur.formats.breakpoints import NEAR, SLOTS, count_slots, has_long_retention
from secateur.model import Epoch, Message
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.policy.windows import find_target, resolve
from secateur.pricing.tariffs import MINUTE_MS, CachePricing, get_tariff
from secateur.projection import Projection
from secateur.projection.message_index import Counting
from secateur.sessions.calibration import describe_switch, get_cache_ttl_s, get_calibration
from secateur.sessions.recall_handles import Handles
from secateur.sessions.request_tree import Placement
from secateur.stages.setup import NO_OPTIONS, CompactionSetup, CompactOptions
from secateur.stores.laid_files import get_tenant_folder
from secateur.stores.protocol import Calibration, SessionId, State

STORE_AWAY = "the store is unavailable, and nothing is removed that could not be stored"
Storage = Literal["none", "store", "away"]  # no store; one that answers; one that cannot be reached now


class EngineSettings(Struct, frozen=True):
    """The settings that an engine was made with."""

    policy: Policy
    model: str
    window: int | None
    format: str | None
    counter: str
    repair: bool
    pin_tokens: int
    handles: Handles = "auto"
    compaction: CompactionSetup = CompactionSetup()
    sends: bool = False  # the caller also sends a view that is too long: it is kept, and nothing is raised
    recall_folder: str = ""  # where the store also writes what was removed, as files to be read back


class FitRequest(Struct, frozen=True):
    """One request, and what the caller knows about it."""

    native: Any
    plan: Plan | None
    now_ms: int  # since 1970
    idle_s: float | None = None
    fixed_tokens: int = 0
    options: CompactOptions = NO_OPTIONS
    format: str | None = None  # of this request; None: the engine's
    system: Any = None  # system prompt and tools that go with a bare list of messages
    tools: Any = None


class Incoming(Struct, frozen=True):
    """A request as it is taken on."""

    native: Any  # repaired, where that was asked for
    repairs: tuple[str, ...] = ()
    document: Document | None = None  # read already, to find its session


class Step(Struct, frozen=True):
    """The conclusion of a stage: an epoch to apply, or the reason why there is none."""

    epoch: Epoch | None = None
    skipped_reason: str = ""


class Context(Struct, frozen=True, kw_only=True):
    """Everything that the stages know about one request, apart from its projection."""

    policy: Policy
    budget: Budget
    model: str
    window: int
    window_source: str = ""
    stated_window: int = 0  # by the caller; 0: none
    is_target: bool = False  # `window` is the policy's own bound on its views, not that of the model
    model_window: int = 0  # what the model takes; 0: unknown
    fixed_tokens: int = 0  # of system prompt and tools, by our count
    calibration: Calibration = Calibration()  # of the model's token counts
    token_ratio: float = 1.0  # what the provider counts for one token of ours
    who: SessionId = SessionId("", "")
    storage: Storage = "none"

    @property
    def settings(self) -> Compaction:
        """The policy's settings for compaction. Only for policies that compact."""
        assert self.policy.compaction is not None
        return self.policy.compaction

    @property
    def limits(self) -> Limits:
        """The threshold of compaction."""
        return compute_limits(self.settings, self.window, self.model)

    def load(self, projection: Projection) -> Load:
        """How full the window is. If the view grew, only what is new is counted."""
        if self.calibration.samples:
            return self._calibrate(projection.tokens[1])
        count = projection.counting.get_counter(self.settings.counter or self.policy.counter)
        messages = projection.get_view().messages
        return Load(self.fixed_tokens + projection.tallies.get_tally(count).sum_messages(messages), self.fixed_tokens)

    def load_of(self, projection: Projection, messages: Sequence[Message]) -> Load:
        """How full the window would be with a view of these messages."""
        parts = [part for message in messages for part in message.parts]
        if self.calibration.samples:
            return self._calibrate(sum(part.tokens or projection.count(part.text) for part in parts))
        count = projection.counting.get_counter(self.settings.counter or self.policy.counter)
        sizes = [part.tokens if part.kind == "media" else count(part.text) for part in parts]
        return Load(self.fixed_tokens + sum(sizes), self.fixed_tokens)

    def build_compaction_input(self, projection: Projection, options: CompactOptions, asks: bool) -> CompactionInput:
        """The conversation as input of a compaction: the view after pruning."""
        return CompactionInput(
            raw=projection.document.transcript.messages,
            shown=projection.projected_messages,
            ranges=projection.ranges,
            count=projection.counting.get_counter(self.policy.counter),
            window=self.window,
            load=self.load(projection),
            model=self.model,
            folder=projection.document.transcript.folder,
            branch=projection.document.transcript.branch,
            protect=projection.protect,
            requires_leading_reasoning=projection.document.transcript.requires_leading_reasoning,
            forced=options.forced,
            focus=options.focus,
            supplied=options.summary,
            asks=asks,
            handles=self.budget.recall_handles,
            recall_folder=self.budget.recall_folder,
        )

    def refresh(self, projection: Projection, used_before: int) -> "Context":
        """The context after an epoch was applied to a projection whose view had `used_before` tokens."""
        used = self.budget.tokens_used + self.budget.scale_to_reported(projection.used - used_before)
        return replace(
            self, budget=replace(self.budget, tokens_used=used, edited_by=projection.edited, originals=projection.raw)
        )

    def _calibrate(self, messages: int) -> Load:
        ratio = self.calibration.ratio
        ours = self.fixed_tokens + messages
        return Load(round(ours * ratio), round(self.fixed_tokens * ratio), anchored=True)


def make_projection(settings: EngineSettings) -> Projection:
    """The projection of a session that has read nothing yet."""
    policy = settings.policy
    counting = Counting.of((settings.counter, policy.counter))
    weighed = not counting.alike and policy.schedule.needs_usage
    projection = Projection(policy.protect, counting, policy.record_cleared_at, weighed)
    projection.is_pruned = bool(policy.prune) or policy.on_arrival is not None
    is_silent = policy.compaction is None and policy.binds == "never" and not policy.schedule.uses_prices
    projection.is_observed = is_silent and not projection.is_pruned
    return projection


def repair_request(settings: EngineSettings, native: Any) -> Incoming:
    """The request as the provider accepts it, and what was repaired, if repair is enabled."""
    if not settings.repair:
        return Incoming(native)
    from secateur.api.repair import repair  # only a request that is repaired pays for loading it

    done = repair(native, settings.format)
    return Incoming(done.document, tuple(f"{repair.rule} at {repair.where}: {repair.what}" for repair in done.repairs))


def build_context(
    settings: EngineSettings,
    request: FitRequest,
    projection: Projection,
    state: State,
    place: Placement,
    *,
    storage: Storage,
    handles: bool,
    has_prior_view: bool,
) -> Context:
    """The context of a request: values of the caller, the document and the session's state, never of a clock.

    `used` is what the provider would count, where the policy counts as the reports do; a preset with a counter of its
    own keeps to it (SEEDS S.4).
    """
    read, policy = projection.document.transcript, settings.policy
    model, fixed_tokens = settings.model or read.model, request.fixed_tokens or read.fixed_tokens
    calibration = counted = Calibration()
    if state.calibrations:  # the provider reported usage, or named its window
        calibration, counted = get_calibration(state, model), get_calibration(state, read.model)
    window, source = resolve(settings.window, model, policy, learned=calibration.window, recorded=read.window)
    target, model_window = find_target(policy, window, source) if policy.target_tokens is not None else None, window
    if target is not None:
        policy, window, source = target.policy, target.tokens, target.source
    may_edit = not projection.is_observed or bool(projection.plan.epochs)
    pricing = _resolve_tariff(projection, settings, request.now_ms, state) if may_edit else CachePricing()
    clock = state.clock
    switched = describe_switch(clock, model, request.now_ms, pricing.ttl_s) if clock.model not in ("", model) else ""
    missed = state.clock.missed.describe() if state.clock.missed.in_row and state.clock.model == model else ""
    ratio = counted.ratio if projection.counting.alike else 1.0
    budget = Budget(
        window=window,
        tokens_used=round((projection.used + fixed_tokens) * ratio),
        ratio=ratio,
        count=projection.gauge,
        protect=projection.protect,
        edited_by=projection.edited,
        own_keys=projection.message_index.own,
        originals=projection.raw,
        idle_s=_compute_idle_s(projection, request, state, model),
        has_prior_view=has_prior_view,
        now_ms=request.now_ms,
        recall_handles=handles,
        recall_folder=get_tenant_folder(settings.recall_folder, state.who.tenant) if handles else "",
        pricing=pricing,
        cold_reason=switched or place.cold_reason or missed,
        cold_keys=(*place.cold_keys, *state.clock.missed.keys),
        compaction_limit=find_compaction_limit(policy, window, model) if settings.compaction.enabled else 0,
    )
    return Context(
        policy=policy,
        budget=budget,
        model=model,
        window=window,
        window_source=source,
        stated_window=settings.window or 0,
        is_target=target is not None,
        model_window=model_window,
        fixed_tokens=fixed_tokens,
        calibration=calibration,
        token_ratio=counted.ratio,
        who=state.who,
        storage=storage,
    )


def find_compaction_limit(policy: Policy, window: int, model: str) -> int:
    """The tokens of a view over which the policy compacts it; 0 where it never does."""
    settings = policy.compaction
    return compute_limits(settings, window, model).threshold if settings is not None and settings.enabled else 0


def _compute_idle_s(projection: Projection, request: FitRequest, state: State, model: str) -> float | None:
    """Idle time runs from the last call or epoch, whichever is later: pruning restarts it (SEEDS 3.2).

    The last call is the latest that is known: by the document, by recorded usage, or by the session's own last
    request. A call of another provider or model says nothing about this one's cache; an epoch of a command made none.
    """
    idle_s, read, clock = request.idle_s, projection.document.transcript, state.clock
    same_provider = not clock.provider or not read.provider or clock.provider == read.provider
    called = clock.called if same_provider else 0
    last = max(read.last_call_ms or read.last_timestamp_ms, called, clock.sent.get(model, 0))
    if idle_s is None and last:
        idle_s = max(0.0, (request.now_ms - last) / 1000)
    opened = projection.branch_plan.epochs[-1].at_ms if projection.branch_plan.epochs else 0
    if opened and opened != clock.by_hand and idle_s is not None:
        idle_s = max(0.0, min(idle_s, (request.now_ms - opened) / 1000))
    return idle_s


def _resolve_tariff(projection: Projection, settings: EngineSettings, now_ms: int, state: State) -> CachePricing:
    """The prices of a request with this one's options, with the cache lifetime observed in this session.

    A request that marks blocks itself says how many breakpoints may be added to it.
    """
    document = projection.document
    if projection.markers[0] is not document:
        request = document.format.name, document.native, document.transcript.messages[-NEAR:]
        projection.markers = document, has_long_retention(*request), count_slots(*request)
    _, is_long, used = projection.markers
    model = settings.model or document.transcript.model
    minute = now_ms // MINUTE_MS if now_ms else None
    tariff = get_tariff(model, is_long, minute=minute, said=settings.policy.pricing)
    ttl_s = get_cache_ttl_s(state.clock, model, tariff.ttl_s) if state.clock.model else tariff.ttl_s
    free = max(0, SLOTS - used) if used else tariff.free_breakpoints
    return (
        tariff
        if (ttl_s, free) == (tariff.ttl_s, tariff.free_breakpoints)
        else replace(tariff, ttl_s=ttl_s, free_breakpoints=free)
    )
