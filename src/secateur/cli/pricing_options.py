"""What a session is priced by: its own model, another one, what a policy or the command line states, or a kappa.

Rule: nothing is guessed in silence. A model that has no price, or whose cache rules are not known, is named, with what
to pass; what was taken in its place is said as a warning.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import click
from msgspec import Struct

from secateur import policy
from secateur.cli.exit_codes import UsageError
from secateur.cli.options import option
from secateur.cli.output.formatting import pluralize
from secateur.pricing import CacheRules, Price, Rates, price_of, rules_of
from secateur.pricing.prices import restated
from secateur.pricing.stated import Entries, entry_for, price_under, rules_under
from secateur.simulate.cache import Caching
from secateur.simulate.client import client_of
from secateur.simulate.requests import Recording
from secateur.tariff import DEFAULT_MODEL

_NAMES = ("input", "output", "read", "write")
_WRITE = 1.25  # of input: a cache write where the model's own price has none (Anthropic's)


class SessionPricing(Struct, frozen=True):
    """A price and cache rules for one session, and what is to be said of them."""

    price: Price
    caching: Caching
    warnings: tuple[str, ...] = ()
    client: str = ""  # how the recorded client uses the cache, as far as that matters


class PricingChoice(Struct, frozen=True):
    """What a command line says of prices."""

    model: str = ""
    price: Rates | None = None
    kappa: float | None = None
    hour: bool | None = None  # the longer of the two lifetimes in the cache; None: as recorded
    assume: bool = False  # take the default model's price where there is none, with a warning
    stated: Entries = ()  # by the policies


class RatesType(click.ParamType[Rates]):
    """Dollars per million tokens: `input=3,output=15,read=0.3,write=3.75`."""

    name = "rates"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Rates:
        said = dict(one.partition("=")[::2] for one in str(value).replace(" ", "").split(","))
        if not {"input", "output"} <= said.keys() <= set(_NAMES):
            self.fail(f"say input and output, and read and write where there is a cache, not {value!r}", param, ctx)
        try:
            figures = {name: float(figure) for name, figure in said.items()}
        except ValueError:
            self.fail(f"each is a number, dollars per million tokens, not {value!r}", param, ctx)
        if min(figures.values()) < 0 or not figures["input"]:
            self.fail("no price is negative, and input costs something", param, ctx)
        return Rates(**figures)


PriceOption = Annotated[
    Rates | None,
    option(
        "--price", type=RatesType(), metavar="RATES", help="Dollars per million: input=3,output=15,read=0.3,write=3.75."
    ),
]
KappaOption = Annotated[
    float | None,
    option("--kappa", type=click.FloatRange(min=0), metavar="X", help="(write - read) / read: reads priced anew."),
]


def resolve_pricing(recording: Recording, said: PricingChoice, label: str) -> SessionPricing:
    """The price and cache rules of a session. Raises Refused, which names the model and what to pass."""
    names = [said.model] if said.model else list_models(recording)
    warnings: list[str] = []
    price = _find_price(names, said)
    if price is None:
        if not said.assume:
            raise UsageError(f"{label}: {_describe_unknown(names)}: pass --model (as {DEFAULT_MODEL}), or --price")
        price = price_of(DEFAULT_MODEL)
        warnings.append(f"{_describe_unknown(names)}: that of {DEFAULT_MODEL} is taken")
    assert price is not None
    rules = _find_rules([price.model, *names], said.stated)
    if rules is None:
        rules = rules_of(DEFAULT_MODEL)
        warnings.append(f"how {' or '.join(names) or 'the model'} caches is not known: as {DEFAULT_MODEL} does")
    assert rules is not None
    if said.kappa is not None:
        price = restate_reads(price, said.kappa)
    client = client_of(recording, rules, _find_lifetime(names, said))
    caching = Caching(rules=rules, hour=client.hour, free=client.free)
    return SessionPricing(price, caching, (*warnings, *_warn_of_other_models(recording, price, said)), client.told)


def _find_lifetime(names: list[str], said: PricingChoice) -> bool | None:
    """Which lifetime somebody states; None where nobody does."""
    if said.hour is not None:
        return said.hour
    entries = [entry for name in names or [""] if (entry := entry_for(said.stated, name))]
    return True if any(entry.cache_ttl == "1h" for entry in entries[:1]) else None


def _warn_of_other_models(recording: Recording, price: Price, said: PricingChoice) -> list[str]:
    """What is to be said of requests that other models answered than the one whose price is taken."""
    if said.model or said.price:
        return []
    asked = Counter(one.model for one in recording.requests if one.model)
    other = {
        name: times for name, times in asked.items() if (own := price_of(name)) is None or own.model != price.model
    }
    if not other or price.model not in {own.model for name in asked if (own := price_of(name))}:
        return []
    names = " and ".join(other)
    return [f"{pluralize(sum(other.values()), 'request')} answered by {names} are priced as {price.model} too"]


def find_stated_prices(policies: Iterable[str]) -> Entries:
    """The prices and cache rules that these policies state. Raises Refused where two of them state different ones."""
    found = {one.pricing: one.name for one in map(policy.load, policies) if one.pricing}
    if len(found) > 1:
        names = " and ".join(found.values())
        raise UsageError(f"{names} state different prices, and one bill has one: play them apart, or pass --price")
    return next(iter(found), ())


def list_models(recording: Recording) -> list[str]:
    """The models that answered, the most often asked first; then the document's own."""
    asked = Counter(one.model for one in recording.requests if one.model)
    return list(dict.fromkeys([*(name for name, _ in asked.most_common()), *filter(None, [recording.model])]))


def restate_reads(price: Price, kappa: float) -> Price:
    """The price, were (write - read) / read this: reads are priced anew, writes stay."""
    write = price.base.w if price.base.write is not None else _WRITE
    return restated(price, write, write / (1 + kappa))


def _find_price(names: list[str], said: PricingChoice) -> Price | None:
    if said.price is not None:
        return Price(next(iter(names), "stated price"), said.price)
    found = (price_under(said.stated, name) for name in names or ([""] if said.stated else []))
    return next(filter(None, found), None)


def _find_rules(names: list[str], stated: Entries) -> CacheRules | None:
    return next(filter(None, (rules_under(stated, name) for name in names)), None)


def _describe_unknown(names: list[str]) -> str:
    return f"no price is known for {', '.join(names)}" if names else "the session names no model"
