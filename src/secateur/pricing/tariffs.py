"""The tariff of a model: its price and its cache rules as the plain numbers that a decision needs.

Rule: prices are in units of plain input, so a token of plain input costs 1. What a policy states is used before the
tables. A model without a price or without cache rules uses those of a named other one, and the tariff says so.
"""

from functools import lru_cache

from msgspec import Struct

from secateur.pricing.prices import Price, price_of
from secateur.pricing.rules import CacheRules, get_rules
from secateur.pricing.stated import Entries, find_entry, price_under, resolve_rules, with_settings

DEFAULT_MODEL = "claude-sonnet-5-5"  # whose prices and cache rules hold where a model has none

FREE = 3  # slots that a client leaves of which nothing is known: one that marks its newest message
MINUTE_MS = 60_000  # prices change by the day, and by the minute of the day


class CachePricing(Struct, frozen=True, kw_only=True):
    """Prices and cache rules of one model, as far as a decision needs them (economics: prices and kappa)."""

    cache_read: float = 0.05  # a read from the cache
    cache_write: float = 1.25  # a write to it
    output: float = 5.0  # output
    ttl_s: float = 300.0  # the cache lives so long since it was last used
    minimum_tokens: int = 1_024  # a shorter prefix is not kept
    step_tokens: int = 1  # the cache is read in steps of so many tokens
    any_prefix: bool = False  # any common prefix is found, not only where one was marked or a request ended
    positions: str = "marks"  # where else a prefix ends that is found (`pricing.rules`)
    look_back: int = 20  # blocks behind a mark, or messages behind the newest, where one is looked for; 0: no bound
    breakpoints: int = 4  # prefixes that one request may leave
    free_breakpoints: int = 3  # of these, what may be added to a request that is edited: slots that its client leaves
    strips_reasoning: bool = False  # a new user turn takes earlier reasoning out of the prompt
    tiers: tuple[int, ...] = ()  # prompt tokens above which all of a request costs more, lowest first
    dollars: float = 2.0  # what a million tokens of plain input cost
    model: str = DEFAULT_MODEL  # whose prices these are
    assumption: str = ""  # why they are not those of the request's own model; "": they are


@lru_cache(maxsize=256)
def get_tariff(model: str, hour: bool = False, *, minute: int | None = None, said: Entries = ()) -> CachePricing:
    """The tariff of a request to this model.

    `hour`: the client buys the longer cache lifetime. `minute`: when, in minutes since 1970; without it, on the date
    of the tables, at an hour without surcharge. `said`: what the policy states.
    """
    price = price_under(said, model, minute * MINUTE_MS if minute is not None else None)
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
        return f"no model is named: using prices and cache rules of {DEFAULT_MODEL}; name the model"
    return f"{' and '.join(lacks)} of {model} unknown: using those of {DEFAULT_MODEL}"
