"""Older work becomes digests where that pays: when, and the epoch that makes them.

Rule (ski rental, as the schedule `balance`): older work pays rent for as long as it is read from the cache again and
again. Once the rent has reached `beta` times what it would cost to write anew what a digest leaves and what is behind
it, the digest is made; where the cache is cold, and where that part is written anew anyway, it costs nothing. It must
free a multiple of what it leaves, and keep the bill within the bound on regret; so a short session never gets there.

Work is older once so many newer results came, and so many tokens. What earlier compactions replaced does not count.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from secateur.cachecost.cut_costs import explain_cold
from secateur.compaction.outcome import Compacted, Refused
from secateur.compaction.settings import DigestSettings
from secateur.compaction.shorten import shorten
from secateur.compaction.trigger import check_due
from secateur.fitting import NO_OPTIONS, CompactionSetup, CompactOptions
from secateur.fitting.toll import Toll, toll
from secateur.hooks import call_before_hook
from secateur.model import Message, Replace
from secateur.plan import list_active_epochs
from secateur.session import Projection
from secateur.session.projection import sum_tokens
from secateur.stages import Context
from secateur.stages.compact import CompactionStep, check_preconditions, conclude_epoch, make_before_event


def conclude(
    context: Context, projection: Projection, setup: CompactionSetup, options: CompactOptions
) -> CompactionStep | None:
    """The epoch that makes digests, if they are due; None where none are."""
    settings, document = context.settings, projection.document
    log = setup.is_written and (document.format.log or document.transcript.parts_only)  # a host has no place for many
    busy = options.busy_reason or options.forced
    if settings.digest is None or not settings.enabled or not setup.enabled or busy or log or context.storage == "away":
        return None
    if check_preconditions(projection, setup.is_written) is not None:
        return None
    verdict = check_due(settings, context.load(projection), context.limits)
    made = make_digests(context, projection, verdict.why == "over")
    if made is None or _is_undone(projection, made[0]):
        return None
    outcome, why = made
    reply, warning = call_before_hook(setup.hooks, make_before_event(context, projection, "price", why, options))
    if reply.cancel:
        return None
    step = conclude_epoch(context, projection, CompactionStep(outcome), why)
    return step.with_warnings(warning) if isinstance(step.outcome, Compacted) else None


def _is_undone(projection: Projection, made: Compacted) -> bool:
    """Whether the same was made before and taken back: it is not made again."""
    epochs = projection.branch_plan.epochs
    kept = {
        edit.after
        for epoch in list_active_epochs(projection.branch_plan)
        for edit in epoch.edits
        if isinstance(edit, Replace)
    }
    every = {edit.after for epoch in epochs for edit in epoch.edits if isinstance(edit, Replace)}
    return any(isinstance(edit, Replace) and edit.after in every - kept for edit in made.edits)


class OldSpan(Struct, frozen=True):
    """Messages [first, end) of the raw history."""

    first: int
    end: int
    tokens: int  # of the agent's own, as the view has them
    asked: float  # the same, each message times the requests that have held it since it was older, this one included


def find_old_span(projection: Projection, settings: DigestSettings) -> OldSpan:
    """The older work of this session that no compaction has replaced, and what reading it has cost."""
    messages, shown = projection.document.transcript.messages, projection.projected_messages
    first = max((j for i, j, _ in projection.ranges if i < j), default=0)
    tail = [sum_tokens(one) for one in shown[first:]]
    results = [_count_results(one) for one in messages[first:]]
    end = _find_end(results, tail, settings)
    while end > 0 and end < len(results) and results[end]:
        end -= 1  # a round is never parted
    mine = [tail[n] * _is_agent_work(messages[first + n]) for n in range(end)]
    since = _find_ages(results, tail, end, settings)
    answers = [n for n in range(len(tail)) if messages[first + n].role == "assistant"]
    asked = sum(size * (len(answers) - bisect_left(answers, at) + 1) for size, at in zip(mine, since, strict=True))
    return OldSpan(first, first + end, sum(mine), asked)


def _find_end(results: Sequence[int], tokens: Sequence[int], settings: DigestSettings) -> int:
    """Where the newest results and tokens begin that are kept."""
    held = weight = 0
    for place in range(len(results) - 1, -1, -1):
        if held >= settings.last_results and weight >= settings.keep_tokens:
            return place + 1
        held, weight = held + results[place], weight + tokens[place]
    return 0


def _find_ages(results: Sequence[int], tokens: Sequence[int], end: int, settings: DigestSettings) -> list[int]:
    """By message before `end`: the history's length when it first counted as older work."""
    counts, sizes = ([0, *accumulate(some)] for some in (results, tokens))
    found, at = [], 0
    for place in range(end):
        at = max(at, place + 1)
        while at < len(results) and (
            counts[at] - counts[place + 1] < settings.last_results
            or sizes[at] - sizes[place + 1] < settings.keep_tokens
        ):
            at += 1
        found.append(at)
    return found


def _count_results(message: Message) -> int:
    return sum(part.kind == "tool_result" for part in message.parts)


def _is_agent_work(message: Message) -> bool:
    """Whether it is the agent's work; the user's messages are kept."""
    return message.role != "system" and not (message.role == "user" and message.origin == "user")


def make_digests(context: Context, projection: Projection, must: bool = False) -> tuple[Compacted, str] | None:
    """The digests that are due, and why; None where none are. With `must` the price does not count."""
    settings, budget = context.settings.digest, context.budget
    if settings is None:
        return None
    ground = _Ground(context, projection, find_old_span(projection, settings))
    if ground.older.tokens < settings.min_tokens_freed or not (must or ground.may_pay(settings)):
        return None
    made = shorten(
        context.build_compaction_input(projection, NO_OPTIONS, False),
        context.settings,
        settings,
        (ground.older.first, ground.older.end),
    )
    if isinstance(made, Refused) or not _is_worth_making(made, settings):
        return None
    rent, penalty = ground.weigh_digest(made)
    pays = rent >= settings.break_even_share * penalty
    if not must and not (pays and ground.can_bear(settings, penalty - budget.pricing.cache_read * _count_freed(made))):
        return None
    return made, _explain_digest(_count_freed(made), rent, penalty, ground.cold, must)


class _Ground:
    """What digests of the older work would cost, and what reading it has cost."""

    def __init__(self, context: Context, projection: Projection, found: OldSpan) -> None:
        self.older, self.cold = found, explain_cold(context.budget)
        self._work, self._context, self._tariff = projection, context, context.budget.pricing
        self._end = 0 if self.cold else _find_cache_end(projection)  # of what is cached
        self._tail = _sum_between(projection, found.end, self._end)
        self._dearer = max(0.0, self._tariff.cache_write - self._tariff.cache_read)

    @cached_property
    def _toll(self) -> Toll:
        return toll(self._work, self._tariff, self._context.fixed_tokens)

    def may_pay(self, settings: DigestSettings) -> bool:
        """Whether they would pay, and be borne, if they took no room: asked before any is written."""
        least, rent = self._dearer * self._tail, self._tariff.cache_read * self.older.asked
        return rent >= settings.break_even_share * least and self.can_bear(
            settings, least - self._tariff.cache_read * self.older.tokens
        )

    def can_bear(self, settings: DigestSettings, more: float) -> bool:
        """Whether the bound on regret allows it; not checked if it costs nothing."""
        return settings.max_overspend is None or more <= 0 or self._toll.bears(more, settings.max_overspend)

    def weigh_digest(self, made: Compacted) -> tuple[float, float]:
        """The rent paid so far for the freed tokens, and the immediate cost."""
        older, tariff = self.older, self._tariff
        rent = tariff.cache_read * older.asked * _count_freed(made) / max(1, older.tokens)
        if self._end <= older.first:
            return rent, 0.0
        stays = max(0, _sum_between(self._work, older.first, min(older.end, self._end)) - made.tokens_before)
        written = made.tokens_after + stays + self._tail
        return rent, self._dearer * written + tariff.output * _bound(self._work, older.end)


def _count_freed(made: Compacted) -> int:
    return made.tokens_before - made.tokens_after


def _is_worth_making(made: Compacted, settings: DigestSettings) -> bool:
    """Whether it frees enough tokens, and a multiple of what remains."""
    return _count_freed(made) >= max(settings.min_tokens_freed, settings.min_savings_ratio * made.tokens_after)


def _find_cache_end(projection: Projection) -> int:
    """The message where the cache ends: the newest answer, or the first one edited for this request."""
    messages, epochs = projection.document.transcript.messages, projection.branch_plan.epochs
    end = next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == "assistant"), 0)
    for epoch in reversed(epochs):
        if not messages or epoch.head_key != messages[-1].key:
            break
        keys = {edit.key for edit in epoch.edits if not isinstance(edit, Replace)}
        end = min((end, *projection.message_index.find(keys)))
    return end


def _sum_between(projection: Projection, first: int, end: int) -> int:
    """Tokens of the view's messages [first, end) of the raw history."""
    return sum(sum_tokens(one) for one in projection.projected_messages[first:end])


def _bound(projection: Projection, first: int) -> int:
    """Tokens of reasoning behind a place that is void once something before it changes."""
    if not projection.binds:
        return 0
    return sum(part.tokens for one in projection.projected_messages[first:] for part in one.parts if part.prefix_bound)


def _explain_digest(freed: int, rent: float, penalty: float, gone: str, must: bool) -> str:
    said = f"{freed:,} tokens of older work come free"
    if must:
        return f"{said}: the view is over its threshold"
    if not penalty:
        return f"{said}: {gone or 'what stands there is written anew in this request'}"
    return f"{said}: {rent:,.0f} were paid for reading them, {penalty:,.0f} it costs, in tokens of input"
