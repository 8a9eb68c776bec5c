"""Prices and cache rules as a policy states them, where the tables do not know a model or are not right for a contract.

    [[pricing]]
    models = ["my-model*"]
    price = { input = 3.0, output = 15.0, read = 0.3, write = 3.75 }
    cache = { ttl_s = 600 }

Rule: of the entries that fit a model the first holds. What it states wins over the tables, each setting by itself; what
it does not state stays what the tables say. What neither knows is None here, and the caller names it.
"""

from fnmatch import fnmatchcase
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from secateur.pricing.model_names import normalize_model, strip_provider
from secateur.pricing.prices import Price, Rates, Tier, price_of
from secateur.pricing.rules import CacheRules, Count, Positions, get_rules

SAYS = "stated by the policy"

Seconds = Annotated[float, Meta(ge=0)]


class StatedCache(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of `CacheRules` that are to be others. None: as the tables say."""

    positions: Positions | None = None
    minimum_tokens: Count | None = None
    step_tokens: Annotated[int, Meta(ge=1)] | None = None
    breakpoints: Count | None = None
    look_back: Count | None = None
    ttl_s: Seconds | None = None
    ttl_long_s: Seconds | None = None
    delay_s: Seconds | None = None
    miss_share: Annotated[float, Meta(ge=0, le=1)] | None = None
    writes_cost: bool | None = None
    strips_reasoning: bool | None = None


class Stated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one entry states for some models."""

    models: tuple[str, ...] = (
        "*",
    )  # globs over a model's name: as given (`anthropic/*`), or without provider and date
    like: str = ""  # a model of the tables whose price and cache rules these have, but for what is stated here
    price: Rates | None = None  # dollars per million tokens
    tiers: tuple[Tier, ...] = ()  # by `over`, lowest first; only together with `price`
    cache: StatedCache = StatedCache()
    cache_ttl: Literal["5m", "1h"] | None = (
        None  # 1h: requests buy the longer time to live, though they may not show it
    )

    def __post_init__(self) -> None:
        if self.tiers and self.price is None:
            raise ValueError("`tiers` require the price below them: state `price` too")
        paid = [self.price, *(tier.rates for tier in self.tiers)]
        if any((getattr(one, name) or 0) < 0 for one in paid if one is not None for name in one.__struct_fields__):
            raise ValueError("prices cannot be negative")


Entries = tuple[Stated, ...]


def find_entry(entries: Entries, model: str) -> Stated | None:
    """The entry that applies to a model; None if none matches."""
    names = {model.strip().lower(), strip_provider(model), normalize_model(model)}
    for one in entries:
        if any(fnmatchcase(name, pattern.strip().lower()) for pattern in one.models for name in names):
            return one
    return None


def price_under(entries: Entries, model: str, at: int | None = None) -> Price | None:
    """The price of a model at a time (ms since 1970), as stated, else by `price_of`."""
    said = find_entry(entries, model)
    if said is not None and said.price is not None:
        return Price(model or said.like or "stated price", said.price, said.tiers, SAYS)
    name = (said.like if said is not None else "") or model
    return price_of(name, at) if name else None


def resolve_rules(entries: Entries, model: str) -> CacheRules | None:
    """The cache rules of a model: as configured, else as in `get_rules`.

    None where nothing is known of it; also where settings are stated of a model of which nothing else is known, unless
    `positions` is among them.
    """
    said = find_entry(entries, model)
    known = get_rules((said.like if said is not None else "") or model)
    if said is None:
        return known
    if known is None and said.price is not None and said.price.write is not None and said.cache.writes_cost is None:
        return with_settings(None, replace(said.cache, writes_cost=True))  # it has a price, so it costs
    return with_settings(known, said.cache)


def with_settings(known: CacheRules | None, said: StatedCache) -> CacheRules | None:
    """Rules with the settings that are stated."""
    settings = {name: value for name in said.__struct_fields__ if (value := getattr(said, name)) is not None}
    if not settings:
        return known
    if known is None:
        if said.positions is None:
            return None
        known = CacheRules(name="stated", models=(), positions=said.positions, source=SAYS, date="")
    return replace(known, name=f"{known.name}, {SAYS}" if known.date else SAYS, **settings)
