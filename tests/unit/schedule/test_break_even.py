"""When balance acts: by what waiting has cost, in the cold, for what is new, and when it must."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import force_setattr, replace

from conversation import assistant, result, talk, user
from secateur.budget import Budget
from secateur.cachecost.history import find_pauses, read_history
from secateur.model import Message, Rewrite, Transcript
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.schedule import BreakEven, ColdCache, Decision, Proposal
from secateur.schedule.break_even import is_left_cheaper

TARIFF = CachePricing(cache_read=0.1, cache_write=1.25, minimum_tokens=0)
SIZE, AFTER = 1_000, 10
TENS = st.integers(0, 300).map(lambda tens: 10 * tens)


def history(rounds: int) -> Transcript:
    """A large result, then so many rounds of small ones. A character is a token."""
    messages: list[Message] = [user("go"), assistant(("a", "read", "{}")), result("x" * SIZE, call="a")]
    for number in range(rounds):
        messages += [assistant((f"c{number}", "bash", "{}")), result("y" * AFTER, call=f"c{number}")]
    return counted(talk(*messages))


def counted(read: Transcript) -> Transcript:
    for message in read.messages:
        for part in message.parts:
            force_setattr(part, "tokens", len(part.text))
    return read


def decide(
    schedule: BreakEven | ColdCache,
    rounds: int,
    idle_s: float | None = 10.0,
    window: int = 0,
    compaction_limit: int = 0,
    pricing: CachePricing = TARIFF,
) -> Decision:
    read = history(rounds)
    used = sum(part.tokens for message in read.messages for part in message.parts)
    budget = Budget(
        window=window,
        tokens_used=used,
        count=len,
        protect=Protection(),
        idle_s=idle_s,
        pricing=pricing,
        compaction_limit=compaction_limit,
    )
    key = read.messages[2].key
    return schedule.decide(Proposal(view=read, budget=budget, edits={key: Rewrite(key, "gone")}, count=len))


def test_it_waits_until_waiting_has_cost_half_of_what_rewriting_costs() -> None:
    acts = [bool(decide(BreakEven(min_tokens_freed=1), rounds).edits) for rounds in range(1, 40)]
    assert acts[0]  # little is behind: 1.15 * 6 tokens are soon paid for
    late = BreakEven(break_even_share=50.0, min_tokens_freed=1)
    assert "the policy edits at" in decide(late, 5).skipped_reason


@pytest.mark.parametrize("idle_s", [300.0, None])
def test_in_the_cold_all_goes(idle_s: float | None) -> None:
    for schedule in (BreakEven(break_even_share=1e9), ColdCache()):
        assert len(decide(schedule, 5, idle_s).edits) == 1


@pytest.mark.parametrize("schedule", [BreakEven(break_even_share=1e9), ColdCache()])
def test_near_the_window_an_epoch_is_made_only_if_it_reaches_the_low_water_mark(schedule: ColdCache) -> None:
    assert "of the window" in decide(schedule, 5, window=1_100, compaction_limit=935).reason
    assert not decide(schedule, 5, window=1_100, compaction_limit=1_099).edits  # over 85 %: no summary is due yet
    crowded = decide(schedule, 100, window=1_900, compaction_limit=1_615)  # 1,208 of 2,204 tokens would be left
    assert not crowded.edits
    exact = replace(schedule, low_water_share=0.65)
    assert decide(exact, 100, window=1_900, compaction_limit=1_615).edits


@pytest.mark.parametrize(("window", "acts"), [(1_900, True), (2_300, False)])
def test_where_no_summary_can_be_made_all_goes_once_the_view_exceeds_the_window(window: int, acts: bool) -> None:
    for schedule in (BreakEven(break_even_share=1e9, low_water_share=0.5), ColdCache(low_water_share=0.5)):
        assert bool(decide(schedule, 100, window=window).edits) is acts
        assert not decide(schedule, 100, window=window, compaction_limit=window).edits


@given(
    st.integers(0, 9_000),
    st.integers(0, 60_000),
    st.sampled_from([(1.25, 0.1), (2.0, 0.1), (1.0, 0.1), (1.25, 0.05), (1.0, 0.02)]),
    st.sampled_from([512, 1_024, 4_096]),
    st.lists(st.integers(0, 3_000), max_size=20),
)
def test_a_prompt_too_short_to_be_cached_never_costs_more_than_the_longer_one(
    left: int, more: int, rates: tuple[float, float], least: int, grows: list[int]
) -> None:
    write, read = rates
    tariff = CachePricing(cache_write=write, cache_read=read, minimum_tokens=least)
    if left >= least or not is_left_cheaper(left, left + more, tariff):
        return
    short = whole = 0.0
    kept = 0  # of the shorter prompt, in the cache
    for new in grows:
        whole += read * (left + more) + write * new  # the longer one is cached
        left += new
        short += read * kept + write * (left - kept) if left >= least else float(left)
        kept = left if left >= least else 0
        assert short <= whole + 1e-6


def test_in_the_cold_a_prompt_is_not_made_too_short_to_be_cached() -> None:
    left = 6 + 60  # what stays of five rounds
    for schedule in (ColdCache(), BreakEven(max_overspend=0.01)):
        assert decide(schedule, 5, 300.0, pricing=replace(TARIFF, minimum_tokens=left)).edits
        assert not decide(schedule, 5, 300.0, pricing=replace(TARIFF, minimum_tokens=400)).edits
        assert decide(schedule, 5, 300.0, pricing=replace(TARIFF, minimum_tokens=80)).edits  # cheaper without a cache


def test_cold_waits_while_the_cache_is_warm() -> None:
    assert "waits for a pause" in decide(ColdCache(), 5, 299.0).skipped_reason


def test_a_full_window_does_not_wait() -> None:
    assert "of the window" in decide(BreakEven(break_even_share=1e9), 5, window=1_100).reason


def test_with_a_compaction_near_a_live_cache_is_kept() -> None:
    # 1,484 tokens are in use. Without a threshold there is nothing to wait for.
    warm = BreakEven(min_tokens_freed=1, max_overspend=10.0)
    held = replace(warm, warm_share=0.6)
    for limit, acts in ((2_000, False), (3_000, True), (0, True)):
        assert bool(decide(held, 40, compaction_limit=limit).edits) == acts
        assert decide(warm, 40, compaction_limit=limit).edits
    assert "the next pause or compaction frees the same" in decide(held, 40, compaction_limit=2_000).skipped_reason
    assert decide(held, 40, idle_s=300.0, compaction_limit=2_000).edits  # in the cold there is nothing to keep


def test_less_than_the_least_opens_no_epoch() -> None:
    assert "asks for 5,000" in decide(BreakEven(min_tokens_freed=5_000), 5, None).skipped_reason


def test_the_bound_on_regret_holds_it_back() -> None:
    eager = BreakEven(break_even_share=0.001, min_tokens_freed=1, max_overspend=None)
    bound = BreakEven(break_even_share=0.001, min_tokens_freed=1, max_overspend=0.0)
    assert decide(eager, 60).edits
    assert "above the unpruned one" in decide(bound, 60).skipped_reason  # 1.15 * 720 tokens behind, for 0.1 * 996 saved
    assert decide(bound, 1).edits  # it pays at once


def test_where_a_cache_is_read_in_wide_steps_a_small_excerpt_may_cost_more_than_it_frees() -> None:
    steps = CachePricing(cache_read=0.1, cache_write=1.0, step_tokens=2_048)
    assert not BreakEven(max_overspend=0.01).can_admit(9_000, 99_000, steps)
    assert BreakEven(max_overspend=0.01).can_admit(9_300, 99_000, steps)
    assert BreakEven(max_overspend=None).can_admit(1, 0, steps)
    assert BreakEven(max_overspend=0.01).can_admit(1, 1, TARIFF)


def test_what_is_left_must_be_enough_to_be_cached() -> None:
    least = CachePricing(cache_read=0.1, cache_write=1.25, minimum_tokens=4_096)
    assert not BreakEven().can_admit(5_000, 4_095, least)
    assert BreakEven().can_admit(5_000, 4_096, least)


@pytest.mark.parametrize("ratio", [0.5, 1.5, 2.0])
@settings(max_examples=200, deadline=None)
@given(st.integers(1, 40), st.tuples(TENS, TENS, TENS), st.sampled_from([0, 1_500, 2_500]), st.sampled_from([1, 100]))
def test_the_unit_of_the_provider_decides_nothing(
    ratio: float, rounds: int, sizes: tuple[int, int, int], window: int, step: int
) -> None:
    """With every limit in the provider's tokens, and these a multiple of ours, the decision is the same."""
    fixed, least, tier = sizes
    read = history(rounds)
    own = sum(part.tokens for message in read.messages for part in message.parts) + fixed
    key = read.messages[2].key
    made = []
    for times in (1.0, ratio):
        limits = {"minimum_tokens": round(least * times), "tiers": (round(tier * times),)}
        tariff = replace(TARIFF, **limits, step_tokens=round(step * times) if step > 1 else 1)
        used, room = round(own * times), round(window * times)
        budget = Budget(
            window=room,
            tokens_used=used,
            count=len,
            protect=Protection(),
            idle_s=10.0,
            has_prior_view=True,
            pricing=tariff,
            ratio=times,
        )
        proposal = Proposal(view=read, budget=budget, edits={key: Rewrite(key, "gone")}, count=len)
        made.append(
            [
                bool(BreakEven(min_tokens_freed=1, max_overspend=most).decide(proposal).edits)
                for most in (None, 0.0, 0.12)
            ]
        )
    assert made[0] == made[1]


def test_what_is_left_is_told_in_the_tokens_of_the_provider() -> None:
    read = history(3)
    budget = Budget(
        window=0, tokens_used=2_200, count=len, protect=Protection(), ratio=2.0, idle_s=10.0, has_prior_view=True
    )
    key = read.messages[2].key
    for tier, goes in ((300, True), (100, False)):  # of 2,200 tokens 1,992 are freed, not 996
        taken = replace(budget, pricing=replace(TARIFF, tiers=(tier,)))
        why = (
            BreakEven(break_even_share=1e9)
            .decide(Proposal(view=read, budget=taken, edits={key: Rewrite(key, "x")}, count=len))
            .reason
        )
        assert ("would cost the rates above" in why) == goes


def test_a_history_without_messages_had_no_pause() -> None:
    budget = Budget(window=0, tokens_used=0, count=len, protect=Protection())
    proposal = Proposal(view=Transcript((), ()), budget=budget, edits={}, count=len)
    assert find_pauses(read_history(proposal, proposal.take_totals())) == []
