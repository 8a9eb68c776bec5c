"""What a policy states of prices and caches wins over the tables, each setting by itself."""

from datetime import UTC, datetime
from typing import Any

import pytest

from secateur import Engine, fit
from secateur.errors import ConfigError
from secateur.policy import as_toml, load
from secateur.pricing import Rates, Stated, StatedCache, Tier, get_rules, price_of
from secateur.pricing.stated import SAYS, find_entry, price_under, resolve_rules
from secateur.pricing.tariffs import get_tariff

OWN: dict[str, Any] = {
    "models": ["house-*"],
    "price": {"input": 1.0, "output": 4.0, "read": 0.5},
    "tiers": [{"over": 100_000, "rates": {"input": 2.0, "output": 8.0, "read": 1.0}}],
    "cache": {"positions": "steps", "ttl_s": 900.0, "minimum_tokens": 256},
}
LONGER: dict[str, Any] = {"models": ["claude-*"], "cache": {"ttl_s": 1_200.0}}


def entries(*said: dict[str, Any]) -> tuple[Stated, ...]:
    return load({"name": "mine", "pricing": list(said)}).pricing


def test_the_first_entry_that_fits_holds() -> None:
    some = entries(OWN, LONGER, {"cache": {"ttl_s": 7.0}})
    fits = {model: find_entry(some, model) for model in ("House-1", "us.anthropic.claude-opus-5-v1:0", "x/gpt-5", "")}
    assert list(fits.values()) == [some[0], some[1], some[2], some[2]]
    assert find_entry(some[:2], "gpt-5") is None


def test_a_model_of_ones_own_has_the_price_and_the_rules_that_are_stated() -> None:
    price, rules = price_under(entries(OWN), "house-1"), resolve_rules(entries(OWN), "house-1")
    assert price is not None
    assert rules is not None
    assert (price.model, price.source) == ("house-1", SAYS)
    assert price.tiers == (Tier(100_000, Rates(2.0, 8.0, 1.0)),)
    assert (rules.positions, rules.ttl_s, rules.minimum_tokens, rules.source) == ("steps", 900.0, 256, SAYS)
    tariff = get_tariff("house-1", said=entries(OWN))
    assert (tariff.cache_read, tariff.cache_write, tariff.output, tariff.ttl_s, tariff.tiers) == (
        0.5,
        1.0,
        4.0,
        900.0,
        (100_000,),
    )
    assert (tariff.any_prefix, tariff.assumption) == (True, "")


def test_what_is_not_stated_stays_as_the_tables_say() -> None:
    some = entries(LONGER)
    rules, known = resolve_rules(some, "claude-opus-5"), get_rules("claude-opus-5")
    assert rules is not None
    assert known is not None
    assert (rules.ttl_s, rules.minimum_tokens, rules.look_back) == (1_200.0, known.minimum_tokens, known.look_back)
    assert rules.name == f"{known.name}, {SAYS}"
    assert price_under(some, "claude-opus-5") == price_of("claude-opus-5")
    assert resolve_rules(some, "gpt-5") == get_rules("gpt-5")


def test_a_model_can_be_like_another() -> None:
    some = entries({"models": ["gateway-large"], "like": "claude-opus-5"})
    assert price_under(some, "gateway-large") == price_of("claude-opus-5")
    assert resolve_rules(some, "gateway-large") == get_rules("claude-opus-5")
    assert get_tariff("gateway-large", said=some) == get_tariff("claude-opus-5")


def test_settings_of_a_model_of_which_nothing_is_known_stand_on_the_named_default() -> None:
    some = entries({"models": ["house-*"], "cache": {"ttl_s": 42.0}})
    assert resolve_rules(some, "house-1") is None
    tariff = get_tariff("house-1", said=some)
    assert tariff.ttl_s == 42.0
    assert "price and cache rules of house-1 unknown" in tariff.assumption


def test_where_a_write_has_a_price_writes_are_charged() -> None:
    writes = OWN | {"price": OWN["price"] | {"write": 1.25}}
    found = [resolve_rules(entries(said), "house-1") for said in (OWN, writes, writes | {"cache": {"ttl_s": 1.0}})]
    assert [rules.writes_cost if rules else None for rules in found] == [False, True, None]
    assert get_tariff("house-1", said=entries(writes)).cache_write == 1.25


def test_an_hour_can_be_stated_for_requests_that_do_not_show_it() -> None:
    some = entries({"cache_ttl": "1h"})
    assert (get_tariff("claude-opus-5", said=some).ttl_s, get_tariff("claude-opus-5", said=some).cache_write) == (
        3_600.0,
        2.0,
    )
    assert get_tariff("claude-opus-5") == get_tariff(
        "claude-opus-5", said=entries({"models": ["gpt-*"], "cache_ttl": "1h"})
    )


def test_a_tariff_is_of_the_time() -> None:
    night, noon = (int(datetime(2026, 11, 23, hour, tzinfo=UTC).timestamp()) // 60 for hour in (2, 12))
    assert get_tariff("deepseek-v4-pro", minute=night).dollars == 2 * get_tariff("deepseek-v4-pro", minute=noon).dollars
    november, december = (int(datetime(2026, *day, tzinfo=UTC).timestamp()) // 60 for day in ((11, 30), (12, 1)))
    assert [get_tariff("gemini-4-argon", minute=at).dollars for at in (november, december)] == [2.0, 4.0]


def test_a_policy_with_prices_is_written_and_loaded_again() -> None:
    policy = load({"name": "mine", "extends": "balance", "pricing": [OWN, LONGER]})
    assert policy.pricing[0] == Stated(
        models=("house-*",),
        price=Rates(1.0, 4.0, 0.5),
        tiers=(Tier(100_000, Rates(2.0, 8.0, 1.0)),),
        cache=StatedCache(positions="steps", ttl_s=900.0, minimum_tokens=256),
    )
    import tomllib

    assert load(tomllib.loads(as_toml(policy))) == policy


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"tiers": OWN["tiers"]}, "state `price` too"),
        ({"price": {"input": -1.0, "output": 4.0}}, "prices cannot be negative"),
        ({"price": {"input": 1.0}}, "missing required field `output`"),
        ({"cache": {"ttl": 5}}, "did you mean ttl_s"),
        ({"cache": {"ttl_s": -1}}, "ttl_s"),
        ({"model": ["x"]}, "did you mean models"),
    ],
)
def test_what_cannot_be_is_refused(said: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why.replace("'", ".")):
        load({"name": "mine", "pricing": [said]})


def asked(rounds: int, ttl: str = "", model: str = "claude-opus-5") -> dict[str, Any]:
    """A request of a client that marks its newest message, for an hour or for the usual time."""
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for number in range(rounds):
        use = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"n": number}}
        told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} " * 4_000}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    mark = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
    messages[-1]["content"][-1]["cache_control"] = mark
    return {"model": model, "max_tokens": 9, "system": "help", "messages": messages}


COLD: dict[str, Any] = {
    "name": "cold",
    "protect": {"last_messages": 4},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "cold_cache"},
}


@pytest.mark.parametrize(
    ("policy", "ttl", "idle_s", "opened"),
    [
        (COLD, "", 299, False),
        (COLD, "", 301, True),
        (COLD, "5m", 301, True),
        (COLD, "1h", 301, False),  # the request buys an hour: its cache is warm
        (COLD, "1h", 3_601, True),
        (COLD | {"pricing": [LONGER]}, "", 301, False),
        (COLD | {"pricing": [LONGER]}, "", 1_201, True),
        (COLD | {"pricing": [{"cache_ttl": "1h"}]}, "", 3_599, False),
    ],
)
def test_a_cache_lives_as_long_as_the_request_buys_and_the_policy_states(
    policy: dict[str, Any], ttl: str, idle_s: float, opened: bool
) -> None:
    assert fit(asked(6, ttl), policy=policy, idle_s=idle_s, now_ms=1).receipt.opened is opened


def test_whose_prices_an_epoch_was_weighed_by_is_in_the_receipt() -> None:
    view = fit(asked(6), policy=COLD | {"pricing": [OWN | {"models": ["claude-*"]}]}, idle_s=10_000, now_ms=1)
    assert view.receipt.cost is not None
    assert view.receipt.cost.model == "claude-opus-5"
    saved = view.receipt.cost.saved_per_request / 0.5  # tokens
    assert view.receipt.cost.dollars_saved == pytest.approx(saved * 0.5 * 1.0 / 1e6, abs=1e-6)
    unknown = Engine(COLD).fit(asked(6, model="never-heard-of-it"), session="s", idle_s=10_000, now_ms=1)
    assert any("never-heard-of-it unknown" in text for text in unknown.receipt.warnings)
    stated = COLD | {"pricing": [{"models": ["never-*"], "like": "gpt-5"}]}
    assert (
        not Engine(stated).fit(asked(6, model="never-heard-of-it"), session="s", idle_s=1e4, now_ms=1).receipt.warnings
    )
