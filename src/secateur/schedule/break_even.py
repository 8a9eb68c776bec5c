"""Schedules that use prices: `cold_cache` waits for a pause; `break_even` weighs what an edit costs against waiting.

Its rule is that of ski rental. A result that may be removed has a carrying cost: each request reads it from the cache
again. Removing it has a rewrite cost: all that the cache holds behind it is written anew. At the first request at which
the carrying cost paid behind some point reaches `break_even_share` times the rewrite cost from there, everything that
may be removed from that point on is removed. Where the cache is cold or was never filled, the rewrite cost is zero and
everything is removed at once. A short session never reaches the break-even, so nothing is edited in it.
"""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from secateur.cachecost.cut_costs import CutCosts, CutPoint
from secateur.cachecost.ledger import compute_step_reserve
from secateur.pricing.tariffs import CachePricing
from secateur.proposal import NOTHING, Decision, Proposal, Schedule
from secateur.protect import Count, Share

Positive = Annotated[float, Meta(gt=0)]
WindowShare = Annotated[float, Meta(gt=0, le=1)]
NotNegative = Annotated[float, Meta(ge=0)]

_UNCACHED = "what is new is in no cache yet"


class ColdCache(Schedule, frozen=True, kw_only=True, tag="cold_cache"):
    """Edits are made only where no live cache is lost, and when they must.

    Nothing is lost after a pause that the cache does not outlive, with another model, and of what is new.
    """

    needs_usage = True
    needs_clock = True
    uses_prices = True

    min_tokens_freed: Count = 500  # less than that coming free opens no epoch
    over_window_share: WindowShare = 0.85  # of the window: above it every proposed edit is made in one epoch, where
    # nothing is compacted; else that epoch is made where a compaction would be
    low_water_share: WindowShare = 0.6  # of the window, to which that epoch must bring the view

    def decide(self, proposal: Proposal) -> Decision:
        costs, budget = CutCosts(proposal), proposal.budget
        if (decided := self._decide_must(costs)) is not None:
            return decided
        free = [point for point in costs.points if not point.rewrite_cost]
        if not free:
            return Decision(skipped_reason="the prompt cache is warm: the policy waits for a pause")
        first = max(free, key=lambda point: point.freed)
        freed = budget.scale_to_reported(first.freed)
        if not self.can_admit(freed, costs.tokens_sent - freed, budget.pricing):
            return Decision(skipped_reason="what remains would be too short to be cached")
        return costs.decide_from(first, self.min_tokens_freed, costs.cold_reason or _UNCACHED)

    def can_admit(self, freed: int, left: int, tariff: CachePricing) -> bool:
        """Whether edits may free so many tokens where no live cache is lost: on arrival, or in the cold.

        Not where the steps of a cache may cost more than that, and not where so few tokens are `left` in the prompt
        that none of it is cached, unless to pay for all of them costs less than to read what was there before. All
        numbers are in the provider's tokens.
        """
        is_enough = tariff.cache_write * freed > compute_step_reserve(tariff)
        return is_enough and is_left_cheaper(left, left + freed, tariff)

    def _decide_must(self, costs: CutCosts) -> Decision | None:
        """What is made whatever it costs: for the window, or for a price tier that this request would enter.

        The window binds where a compaction would be made: until then a session may end, or its host may compact it,
        and an epoch in a warm cache would have been for nothing. Where it would leave the view above the low-water
        mark, the next request would force another: then the compaction is made. Without one the view is pruned once it
        exceeds the window.
        """
        if not costs.points:
            return Decision(skipped_reason=NOTHING)
        budget, everything = costs.proposal.budget, costs.points[-1]
        used, window = budget.tokens_used, budget.window
        left, must = used - budget.scale_to_reported(everything.freed), ""
        limit = budget.compaction_limit or self.over_window_share * window
        if window > 0 and used > limit:
            if left <= self.low_water_share * window:
                must = f"{used:,} tokens are over {limit / window:.0%} of the window"
            elif used > window and not budget.compaction_limit:
                must = f"{used:,} tokens are over the window of {window:,}"
        for tier in () if must else budget.pricing.tiers:
            if left <= tier < used:
                must = f"{used:,} tokens would cost the rates above {tier:,}"
        return costs.decide_from(everything, 0, must) if must else None


class BreakEven(ColdCache, frozen=True, kw_only=True, tag="break_even"):
    """Edits are made when they have earned what they cost, when the cache is cold, or when they must."""

    break_even_share: Positive = 0.5  # the share of the rewrite cost that the carrying cost must have reached
    max_overspend: NotNegative | None = 0.12  # no prefix of the session costs more than this share above the unpruned
    warm_share: Share = 1.0  # of a compaction's threshold: above it, and after one, only edits that cost nothing

    def can_admit(self, freed: int, left: int, tariff: CachePricing) -> bool:
        """As `cold_cache`; without a bound on the overspend always."""
        return self.max_overspend is None or super().can_admit(freed, left, tariff)

    def decide(self, proposal: Proposal) -> Decision:
        costs = CutCosts(proposal)
        if (decided := self._decide_must(costs)) is not None:
            return decided
        paying = [point for point in costs.points if self._compute_margin(point) >= 0]
        if not paying:
            return Decision(
                skipped_reason=_explain_waiting(max(costs.points, key=self._compute_margin), self.break_even_share)
            )
        paying.sort(key=self._compute_margin, reverse=True)
        best = next(self._find_allowed(paying, costs), None)
        if best is None:
            is_held = bool(paying[0].rewrite_cost) and self._is_compaction_near(costs)
            reason = _explain_held(paying[0]) if is_held else _explain_bound(paying[0], self.max_overspend or 0.0)
            return Decision(skipped_reason=reason)
        times, least = costs.bar.times, round(costs.bar.times * self.min_tokens_freed)
        if times > 1 and (self._compute_margin(best, times) < 0 or best.freed < least):
            return Decision(skipped_reason=costs.bar.explain())
        return costs.decide_from(best, self.min_tokens_freed, _explain_edit(best, costs))

    def _find_allowed(self, points: list[CutPoint], costs: CutCosts) -> Iterator[CutPoint]:
        """Those of the points that the bound on overspending allows. The ledger is read only where a cut can cost."""
        budget = costs.proposal.budget
        if self.max_overspend is None:
            yield from points
            return
        is_stepped, used = budget.pricing.step_tokens > 1, costs.tokens_sent
        for point in points:
            is_cheaper = is_left_cheaper(used - budget.scale_to_reported(point.freed), used, budget.pricing)
            is_free = not (point.rewrite_cost or is_stepped)
            if is_cheaper and (is_free or self._is_allowed(point, costs, self.max_overspend)):
                yield point

    def _is_allowed(self, point: CutPoint, costs: CutCosts, max_overspend: float) -> bool:
        return costs.is_free(point) if self._is_compaction_near(costs) else costs.can_afford(point, max_overspend)

    def _is_compaction_near(self, costs: CutCosts) -> bool:
        """Whether the next compaction, or a pause before it, will free the same, so that a live cache is kept.

        So it is above `warm_share` of its threshold; and in a session that was compacted, which is likely to be again.
        """
        budget = costs.proposal.budget
        limit = budget.compaction_limit or self.over_window_share * budget.window
        if self.warm_share == 1 or limit <= 0:
            return False
        return budget.tokens_used > self.warm_share * limit or costs.is_compacted

    def _compute_margin(self, point: CutPoint, times: float = 1.0) -> float:
        return point.carrying_cost - times * self.break_even_share * point.rewrite_cost


def is_left_cheaper(left: int, used: int, tariff: CachePricing) -> bool:
    """Whether a prompt of `left` tokens costs less than one of `used`, although it may be too short to be cached.

    Until it is long enough it is paid for as plain input; that is never more than to write the shortest prefix that is
    cached, and must not be more than to read the longer prompt.
    """
    least = tariff.minimum_tokens
    return left >= least or max(1.0, tariff.cache_write) * least <= tariff.cache_read * used


def _explain_edit(point: CutPoint, costs: CutCosts) -> str:
    raised = f"; {costs.bar.explain()}" if costs.bar.times > 1 else ""
    if not point.rewrite_cost:
        return f"{costs.cold_reason or _UNCACHED}: {point.freed:,} tokens freed{raised}"
    paid = f"reading them has cost {point.carrying_cost:,.0f} tokens of input so far"
    return f"{point.freed:,} tokens freed: {paid}, the edit costs {point.rewrite_cost:,.0f}{raised}"


def _explain_waiting(point: CutPoint, break_even_share: float) -> str:
    limit = break_even_share * point.rewrite_cost
    return (
        f"the prompt cache is warm: editing now would cost {point.rewrite_cost:,.0f} tokens of input; "
        f"waiting has cost {point.carrying_cost:,.0f} so far, and the policy edits at {limit:,.0f}"
    )


def _explain_held(point: CutPoint) -> str:
    return (
        f"the prompt cache is warm: editing now would cost {point.rewrite_cost:,.0f} tokens of input, and the next "
        "pause or compaction frees the same for less"
    )


def _explain_bound(point: CutPoint, max_overspend: float) -> str:
    share = f"{100 * max_overspend:g} % above the unpruned one"
    if not point.rewrite_cost:
        return f"what remains would be too short to be cached, and the bill so far could rise more than {share}"
    return (
        f"the prompt cache is warm: editing now would cost {point.rewrite_cost:,.0f} tokens of input and raise the "
        f"bill so far more than {share}"
    )
