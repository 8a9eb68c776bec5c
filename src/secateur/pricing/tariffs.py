"""The tariff of a model: its price and its cache rules brought down to the numbers that a decision needs.

Rule: what a policy states holds before the tables. A model without a price or without cache rules goes by those of a
named other one, and the tariff says so.
"""

from functools import lru_cache

from secateur.pricing.prices import Price, price_of
from secateur.pricing.rules import CacheRules, get_rules
from secateur.pricing.stated import Entries, find_entry, price_under, resolve_rules, with_settings
from secateur.tariff import DEFAULT_MODEL, CachePricing

FREE = 3  # slots that a client leaves of which nothing is known: one that marks its newest message
_MINUTE_MS = 60_000  # prices change by the day, and by the minute of the day


def get_tariff(model: str, hour: bool = False, *, at: int | None = None, said: Entries = ()) -> CachePricing:
    """The tariff of a request to this model.

    `hour`: the client buys the cache's longer time to live. `at`: when, in ms since 1970; without it, as on the date of
    the tables, at an hour without surcharge. `said`: what the policy states.
    """
    return _resolve_tariff(model, hour, at // _MINUTE_MS if at else None, said)


@lru_cache(maxsize=256)
def _resolve_tariff(model: str, hour: bool, minute: int | None, said: Entries) -> CachePricing:
    price = price_under(said, model, minute * _MINUTE_MS if minute is not None else None)
    rules, entry = resolve_rules(said, model), find_entry(said, model)
    assumed = _explain_assumed(model, price, rules)
    price = price or price_of(DEFAULT_MODEL)
    rules = rules or (with_settings(get_rules(DEFAULT_MODEL), entry.cache) if entry else get_rules(DEFAULT_MODEL))
    assert price is not None
    assert rules is not None
    return build_tariff(price, rules, hour=hour or (entry is not None and entry.cache_ttl == "1h"), assumed=assumed)


def build_tariff(
    price: Price, rules: CacheRules, *, hour: bool = False, free: int = FREE, assumed: str = ""
) -> CachePricing:
    """The tariff of a price and a set of cache rules. Without a cache, reading is input; so is writing where the
    provider does not charge it. `free`: breakpoints that may be added to a request."""
    base, long_s = price.base, rules.ttl_long_s if hour else None
    none = rules.positions == "none"
    written = base.w if long_s is None else base.w_1h
    return CachePricing(
        cache_read=1.0 if none else base.r,
        cache_write=written if rules.writes_cost and not none else 1.0,
        output=base.o,
        ttl_s=rules.ttl_s if long_s is None else long_s,
        minimum_tokens=rules.minimum_tokens,
        step_tokens=rules.step_tokens,
        any_prefix=rules.positions in ("steps", "none"),
        positions=rules.positions,
        look_back=rules.look_back,
        breakpoints=rules.breakpoints,
        free_breakpoints=free,
        strips_reasoning=rules.strips_reasoning,
        tiers=tuple(tier.over for tier in price.tiers),
        dollars=base.input,
        model=price.model,
        assumption=assumed,
    )


def _explain_assumed(model: str, price: Price | None, rules: CacheRules | None) -> str:
    lacks = [what for what, known in (("price", price), ("cache rules", rules)) if known is None]
    if not lacks:
        return ""
    if not model:
        return f"no model is named: prices and cache rules of {DEFAULT_MODEL} are taken; name the model"
    return f"{' and '.join(lacks)} of {model} unknown: those of {DEFAULT_MODEL} are taken"
