"""Schedules that look at prices: `balance` weighs what an edit costs against what waiting has cost; `cold` waits.

Rule (ski rental): results that may go pay rent for as long as they are read from the cache again and again. At the
first request at which the rent paid behind some place reaches `beta` times what it would cost to write anew what stands
behind that place, everything that may go from there on goes. Where the cache is gone or was never filled, writing costs
nothing more, and all goes. A short session never gets there, so nothing happens to it.
"""

from typing import Annotated

from msgspec import Meta

from secateur.budget import Budget
from secateur.protect import Count
from secateur.cachecost.cut_costs import Ground, Place
from secateur.proposal import NOTHING, Choice, Offer, Schedule
from secateur.cachecost.ledger import Account, reserve
from secateur.tariff import CachePricing

Positive = Annotated[float, Meta(gt=0)]
Above = Annotated[float, Meta(ge=0)]


class ColdCache(Schedule, frozen=True, kw_only=True, tag="cold_cache"):
    """Edits are made only where no live cache is lost: after a pause that it does not outlive, and to what is new."""

    needs_clock = True
    uses_prices = True

    min_tokens_freed: Count = 0  # less than that coming free opens no epoch

    def chosen(self, offer: Offer) -> Choice:
        ground = Ground(offer)
        free = [place for place in ground.places if not place.penalty]
        if not free:
            return Choice(gate=NOTHING if not offer.edits else "the prompt cache is warm: the policy waits for a pause")
        first = max(free, key=lambda place: place.freed)
        return ground.choice(first, self.min_tokens_freed, ground.cold or "what is new is in no cache yet")


class BreakEven(Schedule, frozen=True, kw_only=True, tag="break_even"):
    """Edits are made when they have earned what they cost, when the cache is cold, or when they must."""

    needs_usage = True
    needs_clock = True
    uses_prices = True

    break_even_share: Positive = 0.5  # the share of the cost that the rent must have reached
    max_overspend: Above | None = 0.12  # no prefix of the session costs more than this share above the unpruned one
    min_tokens_freed: Count = 500  # less than that coming free opens no epoch
    over_window_share: Annotated[float, Meta(gt=0, le=1)] = 0.85  # of the window: above it everything that may go goes

    def chosen(self, offer: Offer) -> Choice:
        ground = Ground(offer)
        if not ground.places:
            return Choice(gate=NOTHING)
        must = self._must(offer.budget, ground)
        if must:
            return ground.choice(ground.places[-1], 0, must)
        worth = [place for place in ground.places if self._margin(place) >= 0]
        if not worth:
            return Choice(gate=_waits(max(ground.places, key=self._margin), self.break_even_share))
        worth.sort(key=self._margin, reverse=True)
        best = self._borne(worth, ground)
        if best is None:
            return Choice(gate=_bound(worth[0], self.max_overspend or 0.0))
        return ground.choice(best, self.min_tokens_freed, self._why(best, ground))

    def admits(self, freed: int, left: int, tariff: CachePricing) -> bool:
        """Whether an excerpt at birth may be made: not where the steps of a cache may cost more than it frees, and not
        where so few tokens are `left` in the prompt that nothing of it is cached. All in the provider's tokens."""
        return self.max_overspend is None or (
            tariff.cache_write * freed > reserve(tariff) and left >= tariff.minimum_tokens
        )

    def _borne(self, places: list[Place], ground: Ground) -> Place | None:
        """The first of them that the bound on regret allows."""
        offer, budget = ground.offer, ground.offer.budget
        if self.max_overspend is None:
            return places[0]
        steps = budget.pricing.step_tokens > 1
        least = budget.pricing.minimum_tokens
        places = [place for place in places if budget.tokens_used - budget.reported(place.freed) >= least]
        if not steps and not any(place.penalty for place in places):
            return next(iter(places), None)
        most, so_far = self.max_overspend, Account(offer, ground.prefixes)
        borne = (place for place in places if not (place.penalty or steps) or so_far.bears(place, most))
        return next(borne, None)

    def _margin(self, place: Place) -> float:
        return place.rent - self.break_even_share * place.penalty

    def _must(self, budget: Budget, ground: Ground) -> str:
        """Why all must go, whatever it costs: the window, or a tier of prices that this request would enter."""
        limit = self.over_window_share * budget.window
        if budget.window > 0 and budget.tokens_used > limit:
            return f"{budget.tokens_used:,} tokens are over {self.over_window_share:.0%} of the window"
        left = budget.tokens_used - budget.reported(ground.places[-1].freed)
        for tier in budget.pricing.tiers:
            if left <= tier < budget.tokens_used:
                return f"{budget.tokens_used:,} tokens would cost the rates above {tier:,}"
        return ""

    def _why(self, place: Place, ground: Ground) -> str:
        if not place.penalty:
            return f"{ground.cold or 'what is new is in no cache yet'}: {place.freed:,} tokens come free"
        paid = f"to read them has cost {place.rent:,.0f} tokens of input so far, the edit costs {place.penalty:,.0f}"
        return f"{place.freed:,} tokens come free: {paid}"


def _waits(place: Place, beta: float) -> str:
    return (
        f"the prompt cache is warm, and to edit now would cost {place.penalty:,.0f} tokens of input; waiting has cost "
        f"{place.rent:,.0f} so far, and the policy waits for {beta * place.penalty:,.0f}"
    )


def _bound(place: Place, most: float) -> str:
    if not place.penalty:
        return (
            "what is left would be too short to be cached well, and the bill so far could rise more than "
            f"{100 * most:g} % above the unpruned one"
        )
    return (
        f"the prompt cache is warm, and to edit now would cost {place.penalty:,.0f} tokens of input and lift the bill "
        f"so far more than {100 * most:g} % above the unpruned one; the policy waits until it does not"
    )
