"""What an edit costs: the cached tokens behind it, written instead of read, and the reasoning that it voids."""

import pytest
from msgspec.structs import force_setattr, replace

from conversation import assistant, result, talk, user
from secateur.budget import Budget
from secateur.cachecost.cut_costs import CutCosts
from secateur.lineage import assign_keys
from secateur.model import Message, Part, Rewrite, Transcript
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.schedule import BreakEven, ColdCache, Proposal

TARIFF = CachePricing(cache_read=0.1, cache_write=1.25, output=5.0, minimum_tokens=0)
THOUGHT = 300


def history(bound: bool, before: bool = False) -> Transcript:
    """A result of 1,000 tokens, and one thought behind it, or before it."""
    thinks = Part("reasoning", (), "t" * THOUGHT, fingerprint="signed", pinned=True, prefix_bound=bound)
    calls = assistant(("a", "read", "{}"))
    first = replace(calls, parts=(thinks, *calls.parts)) if before else calls
    last = Message("assistant", (), (Part("text", (), "b" * 50),) if before else (thinks, Part("text", (), "b" * 50)))
    told = talk(user("go"), first, result("x" * 1_000, call="a"), last, user("more"))
    found = replace(told, messages=assign_keys(told.messages))
    for message in found.messages:
        for part in message.parts:
            force_setattr(part, "tokens", len(part.text))
    return found


def proposal(read: Transcript, tariff: CachePricing = TARIFF, idle_s: float = 10.0) -> Proposal:
    used = sum(part.tokens for message in read.messages for part in message.parts)
    budget = Budget(window=0, tokens_used=used, count=len, protect=Protection(), idle_s=idle_s, pricing=tariff)
    key = read.messages[2].parts[0].key
    return Proposal(view=read, budget=budget, edits={key: Rewrite(key, "gone")}, count=len)


def rewrite_cost(read: Transcript, tariff: CachePricing = TARIFF, idle_s: float = 10.0) -> float:
    (point,) = CutCosts(proposal(read, tariff, idle_s)).points
    return point.rewrite_cost


def test_reasoning_that_an_edit_voids_is_paid_at_the_price_of_output() -> None:
    free, bound = rewrite_cost(history(bound=False)), rewrite_cost(history(bound=True))
    assert bound - free == pytest.approx(TARIFF.output * THOUGHT)


def test_reasoning_before_the_edit_stays_and_costs_nothing() -> None:
    assert rewrite_cost(history(bound=True, before=True)) == rewrite_cost(history(bound=False, before=True))


def test_what_is_lost_costs_in_the_cold_too() -> None:
    assert rewrite_cost(history(bound=False), idle_s=1e6) == 0
    assert rewrite_cost(history(bound=True), idle_s=1e6) == pytest.approx(TARIFF.output * THOUGHT)


@pytest.mark.parametrize("schedule", [BreakEven(min_tokens_freed=1), ColdCache(min_tokens_freed=1)])
def test_reasoning_that_the_provider_takes_out_does_not_make_what_is_left_long_enough(schedule: ColdCache) -> None:
    """62 tokens would be left of 1,058 and of reasoning: too short to be cached, and dear enough to matter."""
    cached = replace(TARIFF, minimum_tokens=100)
    for tariff, is_edited in ((cached, True), (replace(cached, strips_reasoning=True), False)):
        asked = proposal(history(bound=False), tariff, idle_s=1e6)
        assert CutCosts(asked).tokens_sent == 1_058 + THOUGHT * is_edited
        assert bool(schedule.decide(asked).edits) == is_edited


def test_so_an_edit_waits_for_longer() -> None:
    eager = BreakEven(min_tokens_freed=1)
    decisions = [eager.decide(proposal(history(bound))) for bound in (False, True)]
    assert [bool(one.edits) for one in decisions] == [True, False]
    assert "editing now would cost" in decisions[1].skipped_reason


def test_the_longer_a_write_costs_over_a_read_the_more_a_place_costs() -> None:
    dear = replace(TARIFF, cache_write=2.0)
    assert rewrite_cost(history(False), dear) / rewrite_cost(history(False)) == pytest.approx(1.9 / 1.15)
    assert rewrite_cost(history(False), replace(TARIFF, cache_write=1.0, cache_read=1.0)) == 0


@pytest.mark.parametrize(
    ("tier", "acts"),
    [
        (1_300, True),  # this request would be the first above it, and need not be
        (1_400, False),  # it stays below in any case
        (300, False),  # it is above in any case
    ],
)
def test_a_tier_of_prices_is_not_entered_where_it_need_not_be(tier: int, acts: bool) -> None:
    waits = BreakEven(break_even_share=1e9)
    decision = waits.decide(proposal(history(bound=False), replace(TARIFF, tiers=(tier,))))
    assert bool(decision.edits) is acts
    assert ("would cost the rates above 1,300" in decision.reason) is acts
