"""The price and cache rules of a session: of its own model or another one, or as a policy or an option states them.

Rule: nothing is assumed silently. A model without a known price or cache rules is named in an error that says which
option to give; what is assumed in its place is a warning.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import click
from msgspec import Struct

from secateur import policy
from secateur.cli.exit_codes import UsageError
from secateur.cli.number_types import DecimalType
from secateur.cli.options import make_option
from secateur.cli.output.formatting import pluralize
from secateur.pricing import CacheRules, Price, Rates, get_rules, price_of
from secateur.pricing.prices import restate_price
from secateur.pricing.stated import Entries, find_entry, price_under, resolve_rules
from secateur.pricing.tariffs import DEFAULT_MODEL
from secateur.simulate.cache import Caching
from secateur.simulate.client import infer_client
from secateur.simulate.requests import Recording

_NAMES = ("input", "output", "read", "write")
_WRITE = 1.25  # of input: a cache write where the model's own price has none (Anthropic's)


class SessionPricing(Struct, frozen=True):
    """A price and cache rules for one session, and warnings about them."""

    price: Price
    caching: Caching
    warnings: tuple[str, ...] = ()
    client: str = ""  # how the recorded client uses the cache, as far as that matters


class PricingChoice(Struct, frozen=True):
    """The options about prices."""

    model: str = ""
    price: Rates | None = None
    write_read_ratio: float | None = None  # cache writes cost this many reads; None: as the price says
    cache_ttl: str | None = None  # the lifetime bought in the cache, "5m" or "1h"; None: as recorded
    assume: bool = False  # take the default model's price where there is none, with a warning
    stated: Entries = ()  # by the policies


class RatesType(click.ParamType[Rates]):
    """Dollars per million tokens: `input=3,output=15,read=0.3,write=3.75`."""

    name = "rates"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Rates:
        stated = dict(pair.partition("=")[::2] for pair in str(value).replace(" ", "").split(","))
        if not {"input", "output"} <= stated.keys() <= set(_NAMES):
            self.fail(f"give input and output, and read and write if there is a cache, not {value!r}", param, ctx)
        try:
            figures = {name: float(figure) for name, figure in stated.items()}
        except ValueError:
            self.fail(f"each is a number, dollars per million tokens, not {value!r}", param, ctx)
        if min(figures.values()) < 0 or not figures["input"]:
            self.fail("prices must not be negative, and input must not be free", param, ctx)
        return Rates(**figures)


PriceOption = Annotated[
    Rates | None,
    make_option(
        "--price", type=RatesType(), metavar="RATES", help="Dollars per million: input=3,output=15,read=0.3,write=3.75."
    ),
]
RatioOption = Annotated[
    float | None,
    make_option(
        "--write-read-ratio",
        type=DecimalType(min=1),
        metavar="X",
        help="Set the cache-read price so that one cache write costs X reads.",
    ),
]


def resolve_pricing(recording: Recording, choice: PricingChoice, label: str) -> SessionPricing:
    """The price and cache rules of a session. Raises UsageError, which names the model and what to give."""
    names = [choice.model] if choice.model else list_models(recording)
    warnings: list[str] = []
    price = _find_price(names, choice)
    if price is None:
        if not choice.assume:
            raise UsageError(f"{label}: {_describe_unknown(names)}: give --model (such as {DEFAULT_MODEL}) or --price")
        price = price_of(DEFAULT_MODEL)
        warnings.append(f"{_describe_unknown(names)}: using the price of {DEFAULT_MODEL}")
    assert price is not None
    rules = _find_rules([price.model, *names], choice.stated)
    if rules is None:
        rules = get_rules(DEFAULT_MODEL)
        warnings.append(
            f"the cache rules of {' or '.join(names) or 'the model'} are not known: using those of {DEFAULT_MODEL}"
        )
    assert rules is not None
    if choice.write_read_ratio is not None:
        price = restate_reads(price, choice.write_read_ratio)
    client = infer_client(recording, rules, _find_lifetime(names, choice))
    caching = Caching(rules=rules, hour=client.hour, free=client.free)
    return SessionPricing(price, caching, (*warnings, *_warn_of_other_models(recording, price, choice)), client.told)


def _find_lifetime(names: list[str], choice: PricingChoice) -> bool | None:
    """Whether an option or a policy states the longer lifetime; None if neither states one."""
    if choice.cache_ttl is not None:
        return choice.cache_ttl == "1h"
    entries = [entry for name in names or [""] if (entry := find_entry(choice.stated, name))]
    return True if any(entry.cache_ttl == "1h" for entry in entries[:1]) else None


def _warn_of_other_models(recording: Recording, price: Price, choice: PricingChoice) -> list[str]:
    """Warnings for requests that other models answered than the one whose price is used."""
    if choice.model or choice.price:
        return []
    asked = Counter(request.model for request in recording.requests if request.model)
    other = {
        name: times for name, times in asked.items() if (own := price_of(name)) is None or own.model != price.model
    }
    if not other or price.model not in {own.model for name in asked if (own := price_of(name))}:
        return []
    names = " and ".join(other)
    return [f"{pluralize(sum(other.values()), 'request')} answered by {names} are priced as {price.model} too"]


def find_stated_prices(policies: Iterable[str]) -> Entries:
    """The prices and cache rules that these policies state. Raises UsageError if two of them differ."""
    stated = {loaded.pricing: loaded.name for loaded in map(policy.load, policies) if loaded.pricing}
    if len(stated) > 1:
        names = " and ".join(stated.values())
        raise UsageError(f"{names} state different prices: simulate them separately, or give --price")
    return next(iter(stated), ())


def list_models(recording: Recording) -> list[str]:
    """The models that answered, the most frequent first; then the document's own."""
    asked = Counter(request.model for request in recording.requests if request.model)
    return list(dict.fromkeys([*(name for name, _ in asked.most_common()), *filter(None, [recording.model])]))


def restate_reads(price: Price, ratio: float) -> Price:
    """The price with reads such that a write costs `ratio` of them; writes stay."""
    write = price.base.w if price.base.write is not None else _WRITE
    return restate_price(price, write, write / ratio)


def _find_price(names: list[str], choice: PricingChoice) -> Price | None:
    if choice.price is not None:
        return Price(next(iter(names), "stated price"), choice.price)
    prices = (price_under(choice.stated, name) for name in names or ([""] if choice.stated else []))
    return next(filter(None, prices), None)


def _find_rules(names: list[str], stated: Entries) -> CacheRules | None:
    return next(filter(None, (resolve_rules(stated, name) for name in names)), None)


def _describe_unknown(names: list[str]) -> str:
    return f"no price is known for {', '.join(names)}" if names else "the session names no model"
