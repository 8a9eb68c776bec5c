"""Prices of models, from a small dated table (`make prices` updates it from genai-prices).

Rule: dollars per million tokens, as published by the maker of the model; batch discounts and resellers are ignored. A
model that is not in the table has no price: callers say so by name. A price can be stated instead, in any unit
(`make_unit_price`).
"""

import json
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from secateur.decoding import prepare_type
from secateur.pricing.model_names import match_known_name, strip_provider
from secateur.usage import Usage, UsageBill

_MINUTE_MS, _DAY_MINUTES = 60_000, 1_440
_WEEKEND = (5, 6)  # Saturday and Sunday, UTC


class Rates(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The price of each class of tokens, in dollars per million. A class without a price of its own costs as much as
    input.
    """

    input: float
    output: float
    read: float | None = None  # from the prompt cache
    write: float | None = None  # to the cache, for its usual time
    write_1h: float | None = None  # to the cache, for an hour

    @property
    def r(self) -> float:
        """A read, in units of the input price."""
        return 1.0 if self.read is None or not self.input else self.read / self.input

    @property
    def w(self) -> float:
        """A write, in units of the input price."""
        return 1.0 if self.write is None or not self.input else self.write / self.input

    @property
    def w_1h(self) -> float:
        """A write for an hour, in units of the input price; where there is none, as any write."""
        return self.w if self.write_1h is None or not self.input else self.write_1h / self.input

    @property
    def o(self) -> float:
        """Output, in units of the input price."""
        return self.output / self.input if self.input else 0.0


class Tier(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rates of all tokens of a request whose prompt has more than `over` tokens."""

    over: int
    rates: Rates


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """The price of a model."""

    model: str
    base: Rates
    tiers: tuple[Tier, ...] = ()  # by `over`, lowest first
    source: str = "stated"

    def get_rates(self, prompt_tokens: int) -> Rates:
        """The rates of a request with this many prompt tokens: one tier applies to all of them."""
        found = self.base
        for tier in self.tiers:
            if prompt_tokens > tier.over:
                found = tier.rates
        return found

    def compute_units(self, read: int, write: int, plain: int, output: int, *, write_1h: int = 0) -> float:
        """The cost of a request by classes of tokens, in tokens of plain input at the base rate.

        `write` is kept for the cache's usual time, `write_1h` for an hour; `read`, the two and `plain` are disjoint.
        """
        rates = self.get_rates(read + write + write_1h + plain)
        units = rates.r * read + rates.w * write + rates.w_1h * write_1h + plain + rates.o * output
        return units * rates.input / self.base.input if self.base.input else 0.0

    def to_dollars(self, units: float) -> float:
        """Convert base-input token equivalents to dollars."""
        return units * self.base.input / 1_000_000


def price_of(model: str, at: int | None = None) -> Price | None:
    """The price of a model, under any name that providers give it; None if the table does not know it.

    `at`, in ms since 1970, chooses among prices that changed and among hours of the day; without it, the newest price
    on the table's own date, at an hour without surcharge.
    """
    table = _load_table()
    name = strip_provider(model)  # some dated versions have a price of their own
    name = name if name in _list_names() else match_known_name(model, _list_names()) or ""
    if not name:
        return None
    name = table["aliases"].get(name, name)
    row = _find_current_row(table["models"][name], at, table["date"])
    if row is None:
        return None
    tiers = tuple(Tier(one["over"], _read_rates(one)) for one in row.get("tiers", ()))
    return Price(name, _read_rates(row), tiers, f"{table['source']}, {table['date']}")


def bill_answer(model: str, usage: Usage, at: int) -> UsageBill:
    """The bill of one answer, given at `at` ms since 1970."""
    price = price_of(model, at) if model else None
    if price is None:
        return UsageBill(1, usage, unpriced=1)
    short = usage.write - usage.write_1h
    units = price.compute_units(usage.read, short, usage.input, usage.output, write_1h=usage.write_1h)
    return UsageBill(1, usage, price.to_dollars(units))


def list_priced_models() -> tuple[str, ...]:
    """All models with a price, by normalized name."""
    return tuple(name for name, rows in _load_table()["models"].items() if rows)


def make_unit_price(w: float, r: float, o: float = 5.0, w_1h: float | None = None) -> Price:
    """A price where only the ratios count: input costs 1, a write `w`, a read `r`, output `o`.

    The price of a million input tokens is one dollar, so that dollars and units differ by that factor alone.
    """
    return Price(f"w={w:g} r={r:g}", Rates(1.0, o, r, w, w if w_1h is None else w_1h))


def parse_price(said: dict[str, Any]) -> Price:
    """Parse a price from configuration, with the fields of `Price`. Raises ValidationError (msgspec)."""
    return msgspec.convert(said, prepare_type(Price))


def restate_price(price: Price, w: float, r: float) -> Price:
    """The same model with other cache write and read prices, in units of its input price, tiers too."""

    def again(rates: Rates) -> Rates:
        return Rates(rates.input, rates.output, rates.input * r, rates.input * w, rates.input * w)

    tiers = tuple(Tier(one.over, again(one.rates)) for one in price.tiers)
    return Price(price.model, again(price.base), tiers, f"{price.source}; w={w:g} r={r:g} stated")


def _find_current_row(rows: list[dict[str, Any]], at: int | None, today: str) -> dict[str, Any] | None:
    """The last row whose conditions apply; before the first of dated rows, the first."""
    then = datetime.fromtimestamp(at / 1000, UTC).date() if at is not None else date.fromisoformat(today)
    when = then.isoformat()
    minute = at // _MINUTE_MS % _DAY_MINUTES if at is not None else None
    found = None
    for row in rows:
        start, end = row.get("minutes", (0, _DAY_MINUTES))
        hour = "minutes" not in row or (minute is not None and start <= minute < end)
        hour = hour and not ("weekdays" in row and then.weekday() in _WEEKEND)
        if row.get("since", "") <= when and hour:
            found = row
    return found


def _read_rates(row: dict[str, Any]) -> Rates:
    return Rates(**{name: row[name] for name in Rates.__struct_fields__ if name in row})


@cache
def _list_names() -> frozenset[str]:
    return frozenset(_load_table()["models"]) | frozenset(_load_table()["aliases"])


@cache
def _load_table() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(Path(__file__).with_name("prices.json").read_text("utf-8"))
    return made
