"""What requests cost: tokens by class times the rates that apply to a prompt of that size.

Rule: money is in dollars, `units` are input-token equivalents at the base rate; the two differ by one factor. Calls in
addition to the session's requests (summaries) are priced with the request that they were made for.
"""

from collections.abc import Iterable

from msgspec import Struct

from secateur.pricing.prices import Price
from secateur.simulate.cache import CachedPrompt


class ExtraCall(Struct, frozen=True):
    """A call that is not a request of the session: a summary, or a cache kept warm."""

    sent: CachedPrompt
    output: int = 0
    what: str = "summary"


class BillRow(Struct, frozen=True):
    """One request, paid."""

    number: int
    at: int  # ms since 1970, as far as recorded
    read: int
    write: int
    plain: int
    output: int
    units: float  # of this request with its calls
    called: float = 0.0  # units of its calls alone
    cold: bool = False  # its predecessor's prefix was no longer alive
    lost: int = 0  # tokens in a live cache that could not be read, since something before them had changed
    opened: bool = False  # an epoch was opened for it
    why: str = ""  # of that epoch, or of the gate that did nothing

    @property
    def prompt(self) -> int:
        """All tokens that were sent."""
        return self.read + self.write + self.plain


class Bill(Struct, frozen=True):
    """Sums over requests."""

    requests: int
    read: int
    write: int
    plain: int
    output: int
    units: float
    dollars: float
    calls: float  # units of summary calls, among `units`
    cache_breaks: int  # requests that found a live cache and could not read it to its end
    lost: int  # the tokens of these
    colds: int  # requests that came too late for the cache
    peak: int  # tokens of the longest prompt
    epochs: int

    @property
    def sent(self) -> int:
        """Tokens of all prompts."""
        return self.read + self.write + self.plain

    @property
    def hit_share(self) -> float:
        """The share of prompt tokens that were read from the cache."""
        return self.read / self.sent if self.sent else 0.0


def compute_units(price: Price, sent: CachedPrompt, output: int, *, hour: bool = False) -> float:
    """The cost of one request, in tokens of plain input at the base rate."""
    long = sent.write if hour else 0
    return price.compute_units(sent.read, sent.write - long, sent.plain, output, write_1h=long)


def sum_bill(rows: Iterable[BillRow], price: Price) -> Bill:
    """Sum up the rows."""
    some = tuple(rows)
    total = sum(row.units for row in some)
    cache_breaks = [row.lost for row in some if row.lost]
    return Bill(
        requests=len(some),
        read=sum(row.read for row in some),
        write=sum(row.write for row in some),
        plain=sum(row.plain for row in some),
        output=sum(row.output for row in some),
        units=total,
        dollars=price.to_dollars(total),
        calls=sum(row.called for row in some),
        cache_breaks=len(cache_breaks),
        lost=sum(cache_breaks),
        colds=sum(row.cold for row in some),
        peak=max((row.prompt for row in some), default=0),
        epochs=sum(row.opened for row in some),
    )
