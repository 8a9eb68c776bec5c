"""Break-even arithmetic, against figures worked out by hand."""

from math import ceil, inf

import pytest

from secateur.pricing import (
    Fold,
    Rates,
    compute_break_even,
    compute_carrying_cost,
    compute_kappa,
    compute_rewrite_cost,
    compute_summary_break_even,
)
from secateur.pricing.arithmetic import compute_warming_s, should_buy_hour


@pytest.mark.parametrize(("w", "r", "k"), [(1.25, 0.1, 11.5), (2, 0.1, 19), (1, 0.5, 1), (1, 0, inf), (1, 1, 0)])
def test_kappa(w: float, r: float, k: float) -> None:
    assert compute_kappa(w, r) == pytest.approx(k)


@pytest.mark.parametrize(
    ("survivors", "needed"), [(0.1, (1, 2, 3, 5)), (0.5, (5, 6, 12, 25)), (1, (9, 12, 24, 49)), (5, (45, 58, 120, 245))]
)
def test_requests_needed_by_survivors_per_pruned_token(survivors: float, needed: tuple[int, ...]) -> None:
    prices = [(1, 0.1), (1.25, 0.1), (1.25, 0.05), (1.25, 0.025)]
    found = [compute_break_even(w, r, pruned=1_000, surviving=1_000 * survivors) for w, r in prices]
    assert tuple(ceil(requests - 1e-9) for requests in found) == needed


def test_placeholders_cost_twice_and_nothing_freed_never_pays() -> None:
    assert compute_break_even(1.25, 0.1, pruned=1_000, surviving=900, placeholders=100) == pytest.approx(
        11.5 * 1_000 / 900
    )
    assert compute_break_even(1.25, 0.1, pruned=100, surviving=0, placeholders=100) == inf
    assert compute_break_even(1.25, 0.1, pruned=1_000, surviving=0) == 0


def test_a_prune_pays_when_the_rent_has_reached_the_penalty() -> None:
    requests = compute_break_even(1.25, 0.1, pruned=5_000, surviving=20_000)
    assert compute_carrying_cost(0.1, 5_000, requests) == pytest.approx(compute_rewrite_cost(1.25, 0.1, 20_000))
    assert compute_rewrite_cost(1.0, 1.0, 20_000, 500) == 0


@pytest.mark.parametrize(("r", "shared", "needed"), [(0.1, True, 2.9), (0.05, True, 4.8), (0.025, True, 8.5)])
def test_a_summary_of_a_long_history(r: float, shared: bool, needed: float) -> None:
    size = Fold(history=150_000, cut=140_000, tail=5_000, summary=3_000, asked=500, shared=shared)
    assert compute_summary_break_even(Rates(1, 5, r, 1.25), size) == pytest.approx(needed, abs=0.05)


def test_a_summary_that_shares_no_prefix_costs_far_more() -> None:
    size = Fold(history=150_000, cut=140_000, tail=5_000, summary=3_000, asked=500, shared=False)
    assert compute_summary_break_even(Rates(1, 5, 0.1, 1.25), size) == pytest.approx(12.8, abs=0.05)
    assert compute_summary_break_even(Rates(1, 5, 0.025, 1.25), size) == pytest.approx(51, abs=0.5)
    assert compute_summary_break_even(Rates(1, 5, 0.1, 1.25), Fold(history=10, cut=5, tail=5, summary=5)) == inf


def test_the_longer_time_to_live_and_keeping_warm() -> None:
    assert should_buy_hour(1.25, 0.1, 2.0, written=100_000, lost=66_000)
    assert not should_buy_hour(1.25, 0.1, 2.0, written=100_000, lost=65_000)
    assert compute_warming_s(1.25, 0.1, 300) == pytest.approx(57.5 * 60)
