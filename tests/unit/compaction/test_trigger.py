"""When a compaction is due."""

import pytest

from secateur.compaction.settings import Compaction
from secateur.compaction.trigger import Limits, Load, Report, check_due, compute_limits, load
from secateur.policy import PRESETS
from secateur.policy import load as policy


@pytest.mark.parametrize(
    ("window", "reserve"), [(8_000, 1_000), (16_000, 2_000), (32_000, 4_000), (128_000, 16_000), (1_000_000, 20_000)]
)
def test_the_reserve_scales_with_the_window(window: int, reserve: int) -> None:
    assert compute_limits(Compaction(), window) == Limits(
        window, reserve, window - reserve, window - reserve, "window less reserve"
    )


def test_a_stated_reserve_leaves_half_of_a_small_window() -> None:
    assert compute_limits(Compaction(reserve_tokens=20_000), 8_000).usable == 4_000


def test_a_policy_says_how_much_of_a_small_window_its_reserve_may_take() -> None:
    settings = Compaction(reserve_tokens=12_000, max_reserve_share=0.15)
    assert [compute_limits(settings, window).usable for window in (8_000, 100_000)] == [6_800, 88_000]


def test_the_lowest_limit_holds_and_is_named() -> None:
    assert compute_limits(Compaction(over_window_share=0.5, over_tokens=150_000), 1_000_000).threshold == 150_000
    assert compute_limits(Compaction(over_window_share=0.5), 200_000).source == "over_share"
    assert compute_limits(Compaction(over_tokens=500_000), 200_000).threshold == 180_000  # never more than is usable


def test_a_model_has_its_own_threshold() -> None:
    settings = Compaction(over_window_share=0.9, model_thresholds={"claude-*": 0.5, "claude-opus-*": 60_000})
    assert compute_limits(settings, 200_000, "claude-opus-5-5").threshold == 60_000
    assert compute_limits(settings, 200_000, "Claude-Haiku-4-5").threshold == 100_000
    assert compute_limits(settings, 200_000, "gpt-5.5").threshold == 180_000


@pytest.mark.parametrize("report", [None, Report(0, 900), Report(900, 0)])
def test_a_report_of_nothing_never_disables(report: Report | None) -> None:
    assert load(95_000, 4_000, report) == Load(95_000, 4_000, anchored=False)
    assert check_due(Compaction(), load(95_000, 4_000, report), compute_limits(Compaction(), 100_000)).now


def test_what_was_reported_anchors_the_count() -> None:
    assert load(1_012, report=Report(1_500, 1_000)) == Load(1_512, anchored=True)
    assert load(500, report=Report(1_500, 1_000)) == Load(750, anchored=True)  # the view was pruned since


def test_fixed_overhead_counts_and_is_refused_where_it_fills_the_window() -> None:
    space = compute_limits(Compaction(), 38_000)
    verdict = check_due(Compaction(), Load(40_000, 34_500), space, forced=True)
    assert (verdict.now, verdict.why) == (False, "fixed_overhead")
    assert "34,500" in verdict.text
    assert "fewer tools" in verdict.text
    assert check_due(Compaction(), Load(40_000, 30_000), space).now


def test_the_threshold_itself_is_under_unless_said_otherwise() -> None:
    space = compute_limits(Compaction(over_tokens=85_000), 100_000)
    assert [check_due(Compaction(), Load(tokens), space).now for tokens in (85_000, 85_001)] == [False, True]
    assert check_due(Compaction(inclusive=True), Load(85_000), space).now


def test_fixed_overhead_that_is_exactly_what_is_usable_is_refused() -> None:
    space = compute_limits(Compaction(), 38_000)
    at, below = (check_due(Compaction(), Load(40_000, fixed), space) for fixed in (space.usable, space.usable - 1))
    assert (at.why, below.why) == ("fixed_overhead", "over")


def test_off_is_off_on_every_path() -> None:
    space = compute_limits(Compaction(enabled=False), 100_000)
    for tokens in (1, 99_000, 200_000):
        for forced in (False, True):
            assert check_due(Compaction(enabled=False), Load(tokens), space, forced).why == "off"


def test_without_a_window_only_who_asks_compacts() -> None:
    space = compute_limits(Compaction(), 0)
    assert check_due(Compaction(), Load(10**9), space).why == "no_window"
    assert check_due(Compaction(), Load(10), space, forced=True).now


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_compacts_in_small_windows_too(name: str) -> None:
    settings = policy(name).compaction
    for window in (8_000, 16_000, 32_000):
        assert settings is None or compute_limits(settings, window).threshold >= window // 2
