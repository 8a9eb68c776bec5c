"""What a simulation tells: the report for scripts, and for people the lines above its table.

Rule: what was taken for granted stands beside the figures: whose prices, which cache, how the recorded client uses it,
and what its own recorded usage comes to.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from secateur.cli.figures import many, money
from secateur.cli.played import Played
from secateur.cli.standings import Line, lines, summed
from secateur.cli.terminal import harmless
from secateur.pricing import kappa
from secateur.simulate.account import Account, account
from secateur.simulate.agreement import compared
from secateur.simulate.bill import billed
from secateur.simulate.run import as_paid

SCHEMA = "secateur.simulate/1"
LEGEND = (
    "hard: of what later calls refer to and results alone had shown, the share in view; soft: of what else they refer"
    " to. intact: requests with all of it. refetch: the bill, what was lost fetched again. ×best: the bill over the"
    " cheapest schedule of the same."
)
_FEW = 2  # caches that are named one by one
_WIDE = 60  # letters of a path that is shown whole


class Told(Struct, frozen=True, kw_only=True):
    """One session at one price."""

    input: str
    format: str
    requests: int
    compactions: int  # that the host made of its own
    model: str  # whose price was taken
    price: str  # where that is from
    kappa: float  # (write - read) / read
    cache: str  # the rules for it, by name
    client: str  # how the recorded client uses it; "" where that is the provider's affair alone
    recorded: float | None  # dollars that the recorded usage comes to; None: not every request has one
    misses: int  # requests that read less, as recorded, than the cache's rules say
    lines: list[Line]
    accounts: dict[str, Account]  # by policy; costs in units: tokens of plain input
    warnings: tuple[str, ...]


class Simulation(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    sessions: list[Told]
    lines: dict[str, list[Line]]  # over all sessions, by the model asked for ("": each its own)


def told_of(one: Played) -> Told:
    """One session as it is reported."""
    found, price, caching = one.comparison, one.terms.price, one.terms.caching
    return Told(
        input=one.label,
        format=found.recording.document.format.name,
        requests=len(found.recording.requests),
        compactions=len(found.recording.segments) - 1,
        model=price.model,
        price=price.source,
        kappa=kappa(price.base.w_1h if caching.hour else price.base.w, price.base.r),
        cache=caching.rules.name,
        client=one.terms.client,
        recorded=_recorded(one),
        misses=_misses(one),
        lines=lines(found),
        accounts={each.name: account(each.run, found.base.run) for each in found.standings},
        warnings=(*found.recording.document.transcript.warnings, *one.terms.warnings),
    )


def sums(found: Sequence[Played], model: str) -> list[Line]:
    """The lines of all sessions priced as a model."""
    return summed([lines(one.comparison) for one in found if one.asked == model])


def heading(told: Sequence[Told]) -> str:
    """What stands above the table."""
    first, requests = told[0], sum(one.requests for one in told)
    if len(told) > 1:
        names = ", ".join(dict.fromkeys(one.model for one in told))
        caches = dict.fromkeys(cache_of(one) for one in told)
        text = f"{many(len(told), 'session')}, {many(requests, 'request')}, priced as {harmless(names)}"
        return "\n".join([text, *caches]) if len(caches) <= _FEW else text
    host = f", {many(first.compactions, 'compaction')} by its host" if first.compactions else ""
    paid = f"; by its recorded usage it cost {money(first.recorded)}" if first.recorded is not None else ""
    paid += f": {many(first.misses, 'request')} found less in the cache than the rules say" if first.misses else ""
    return "\n".join(
        (
            f"{harmless(_near(first.input))}: {first.format}, {many(requests, 'request')}{host}{paid}",
            f"prices: {harmless(first.model)}, {harmless(first.price)}, κ {first.kappa:.3g}",
            cache_of(first),
        )
    )


def cache_of(one: Told) -> str:
    """Which cache is played, and how the client uses it."""
    return f"cache: {one.cache}" + (f"; {one.client}" if one.client else "")


def _near(path: str) -> str:
    """A path, or the end of one that would fill the line."""
    return path if len(path) <= _WIDE else f"…/{Path(path).name}"


def _recorded(one: Played) -> float | None:
    requests = one.comparison.recording.requests
    if one.asked or not all(request.usage for request in requests):
        return None
    return billed(as_paid(one.comparison.recording, one.terms.price), one.terms.price).dollars


def _misses(one: Played) -> int:
    found = one.comparison
    if one.asked or one.terms.caching.rules.positions != "marks" or _recorded(one) is None:
        return 0
    both = compared(found.recording, one.terms.caching)
    return sum(each.recorded.read < each.model.read for each in both)
