"""Prices: the table says what its source says, names are found, and nothing is guessed."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from secateur.pricing import Price, Rates, Tier, compute_kappa, list_priced_models, make_unit_price, price_of
from secateur.pricing.prices import parse_price, restate_price

SCRIPTS = Path(__file__).parents[3] / "scripts"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("model", "w", "r", "k"),
    [
        ("claude-opus-4-5-20251101", 1.25, 0.1, 11.5),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1.25, 0.1, 11.5),
        ("claude-sonnet-5-5", 1.25, 0.05, 24),
        ("claude-fable-5-1", 1.25, 0.025, 49),
        ("openai/gpt-5.6-sol", 1.25, 0.1, 11.5),
        ("gpt-4o", 1, 0.5, 1),
        ("gemini-4-argon", 1, 0.05, 19),
        ("deepseek-flash", 1, 0.02, 49),
    ],
)
def test_ratios_of_models_under_the_names_that_providers_give_them(model: str, w: float, r: float, k: float) -> None:
    price = price_of(model)
    assert price is not None
    assert (price.base.w, price.base.r) == pytest.approx((w, r))
    assert compute_kappa(price.base.w, price.base.r) == pytest.approx(k)
    assert price.source.startswith("genai-prices ")


@pytest.mark.parametrize("model", ["", "never-heard-of-it", "claude-sonnet-99", "gpt-99.1", "whisper-1"])
def test_what_has_no_price_gets_none(model: str) -> None:
    assert price_of(model) is None


def test_a_tuned_model_is_another_than_the_one_it_was_made_from() -> None:
    tuned = price_of("ft:gpt-4o-mini-2024-07-18:acme::x1")
    assert tuned is not None
    assert tuned.model == "ft:gpt-4o-mini"
    assert price_of("ft:gpt-4.1-2025-04-14:acme:support:x2") is None


def test_models_that_have_a_price_are_listed() -> None:
    assert all(price_of(name) for name in ("gpt-5", "claude-opus-5"))
    assert {"gpt-5", "claude-opus-5"} <= set(list_priced_models())
    assert all(price_of(name) is not None for name in list_priced_models())


def test_a_tier_holds_for_the_whole_request() -> None:
    price = price_of("claude-haiku-5-5")
    assert price is not None
    assert price.get_rates(100_000).input == 0.1
    assert price.get_rates(100_001) == Rates(0.5, 2.5, 0.05, 0.625, 1.0)


def test_prices_have_a_history_and_some_hours_of_the_day() -> None:
    before, after = (ms(datetime(2026, 3, day, tzinfo=UTC)) for day in (12, 13))
    old, new = price_of("claude-opus-4-6", before), price_of("claude-opus-4-6", after)
    assert old is not None
    assert [tier.over for tier in old.tiers] == [200_000]
    assert new == price_of("claude-opus-4-6")
    assert new is not None
    assert not new.tiers


@pytest.mark.parametrize(
    ("day", "hour", "times"),
    [
        (23, 0, 1),
        (23, 1, 2),
        (23, 3, 2),
        (23, 4, 1),
        (23, 6, 2),
        (23, 9, 2),
        (23, 10, 1),
        (27, 2, 2),
        (28, 2, 1),
        (29, 7, 1),
    ],
)
def test_peak_hours_are_those_of_weekdays(day: int, hour: int, times: int) -> None:
    """2026-11-23 is a Monday."""
    for model in ("deepseek-v4-pro", "deepseek-flash"):
        then, usual = price_of(model, ms(datetime(2026, 11, day, hour, 30, tzinfo=UTC))), price_of(model)
        assert then is not None
        assert usual is not None
        assert (then.base.input, then.base.read, then.base.output) == tuple(
            times * (one or 0) for one in (usual.base.input, usual.base.read, usual.base.output)
        )
        assert then.base.r == pytest.approx(usual.base.r)  # all classes double: no decision changes


@pytest.mark.parametrize(
    ("model", "over", "rises"),
    [
        ("claude-haiku-4-5", 0, ()),
        ("claude-haiku-5-5", 100_000, (5, 5)),
        ("claude-sonnet-4-5", 200_000, (2, 1.5)),
        ("gemini-2.5-pro", 200_000, (2, 1.5)),
        ("gpt-5.4", 272_000, (2, 1.5)),
        ("gpt-5.5", 272_000, (2, 1.5)),
        ("gpt-6-sol", 272_000, (2, 1.5)),
        ("gpt-6.1-terra", 272_000, (2, 1.5)),
    ],
)
def test_tiers_rise_input_and_output(model: str, over: int, rises: tuple[float, ...]) -> None:
    price = price_of(model)
    assert price is not None
    assert [tier.over for tier in price.tiers] == ([over] if over else [])
    for tier in price.tiers:
        assert (tier.rates.input / price.base.input, tier.rates.output / price.base.output) == rises
        assert tier.rates.r == pytest.approx(price.base.r)  # reads and writes rise with the input


def test_a_price_that_is_announced_holds_from_its_day_on() -> None:
    before, after = (price_of("gemini-4-argon", ms(datetime(2026, *day, tzinfo=UTC))) for day in ((11, 30), (12, 1)))
    assert before is not None
    assert after is not None
    assert (before.base.input, after.base.input) == (2.0, 4.0)


def test_a_dated_version_may_have_a_price_of_its_own() -> None:
    first, now = price_of("gpt-4o-2024-05-13"), price_of("gpt-4o-2024-11-20")
    assert first is not None
    assert first.base.input == 5.0
    assert now == price_of("gpt-4o")


def test_what_has_no_price_of_its_own_costs_as_input() -> None:
    bare = Rates(3.0, 15.0)
    assert (bare.r, bare.w, bare.w_1h, bare.o) == (1.0, 1.0, 1.0, 5.0)
    assert Rates(3.0, 15.0, 0.3, 3.75).w_1h == 1.25
    assert Rates(0.0, 0.0).o == 0.0


def test_a_price_can_be_stated() -> None:
    said = {"model": "mine", "base": {"input": 1.0, "output": 4.0, "read": 0.5}, "tiers": []}
    assert parse_price(said) == Price("mine", Rates(1.0, 4.0, 0.5))
    assert make_unit_price(1.25, 0.1).to_dollars(2_000_000) == 2.0
    price = Price("m", Rates(2.0, 10.0, 0.2, 2.5), (Tier(10, Rates(4.0, 20.0, 0.4, 5.0)),))
    again = restate_price(price, 1.25, 0.05)
    assert (again.base, again.tiers[0].rates) == (
        Rates(2.0, 10.0, 0.1, 2.5, 2.5),
        Rates(4.0, 20.0, 0.2, 5.0, 5.0),
    )


def test_the_table_says_what_its_source_says() -> None:
    genai_prices = pytest.importorskip("genai_prices", reason="install genai-prices to hold the table against it")
    sys.path.insert(0, str(SCRIPTS))
    try:
        from refresh_prices import MAKERS, NAME, OTHER_MARKETS
    finally:
        sys.path.remove(str(SCRIPTS))
    from genai_prices.data import providers

    compared = 0
    for provider in providers:
        if provider.id in MAKERS and provider.id not in OTHER_MARKETS:
            for model in provider.models:
                ours = price_of(model.id, ms(NOON)) if NAME.fullmatch(model.id) else None
                for prompt in (50_000, 150_000, 300_000) if ours else ():
                    theirs = asked(genai_prices, provider.id, model.id, prompt)
                    assert ours is not None
                    if theirs is not None:
                        compared += 1
                        assert paid(ours, prompt) == pytest.approx(theirs), model.id
    assert compared > 500


def asked(genai_prices: Any, provider: str, model: str, prompt: int) -> float | None:
    """What the package asks for a prompt of which half is read and a quarter written; None for what it cannot name."""
    usage = genai_prices.Usage(
        input_tokens=prompt, cache_read_tokens=prompt // 2, cache_write_tokens=prompt // 4, output_tokens=1_000
    )
    try:
        found = genai_prices.calc_price(usage, model, provider_id=provider, genai_request_timestamp=NOON)
    except LookupError:
        return None
    return float(found.total_price)


def paid(price: Price, prompt: int) -> float:
    rates = price.get_rates(prompt)
    units = rates.r * (prompt // 2) + rates.w * (prompt // 4) + (prompt - prompt // 2 - prompt // 4) + rates.o * 1_000
    return units * rates.input / 1e6


def ms(when: datetime) -> int:
    return int(when.timestamp() * 1000)
