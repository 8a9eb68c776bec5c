"""What a simulation tells: the report for scripts, and for people the lines above its table.

Rule: what was taken for granted stands beside the figures: whose prices, which cache, how the recorded client uses it,
and what its own recorded usage comes to.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from secateur.cli.output import tables
from secateur.cli.output.formatting import abbreviate_short, format_dollars, format_net_dollars, pluralize
from secateur.cli.output.terminal import clean
from secateur.cli.policy_bills import PolicyBill, list_bills, sum_bills
from secateur.cli.session_replays import PlayedSession
from secateur.pricing import kappa
from secateur.simulate.account import Account, account
from secateur.simulate.agreement import compared
from secateur.simulate.bill import billed
from secateur.simulate.run import as_paid
from secateur.simulate.story import EDITS, Chapter, story, told

if TYPE_CHECKING:
    from secateur.simulate.compare import Standing

SCHEMA = "secateur.simulate/1"
LEGEND = (
    "hard: of what later calls refer to and results alone had shown, the share in view; soft: of what else they refer"
    " to. intact: requests with all of it. refetch: the bill, what was lost fetched again. ×best: the bill over the"
    " cheapest schedule of the same."
)
_FEW = 2  # caches that are named one by one
_WIDE = 60  # letters of a path that is shown whole


class SessionReport(Struct, frozen=True, kw_only=True):
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
    lines: list[PolicyBill]
    accounts: dict[str, Account]  # by policy; costs in units: tokens of plain input
    warnings: tuple[str, ...]


class SimulationReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    sessions: list[SessionReport]
    lines: dict[str, list[PolicyBill]]  # over all sessions, by the model asked for ("": each its own)


def report_session(one: PlayedSession) -> SessionReport:
    """One session as it is reported."""
    found, price, caching = one.comparison, one.terms.price, one.terms.caching
    return SessionReport(
        input=one.label,
        format=found.recording.document.format.name,
        requests=len(found.recording.requests),
        compactions=len(found.recording.segments) - 1,
        model=price.model,
        price=price.source,
        kappa=kappa(price.base.w_1h if caching.hour else price.base.w, price.base.r),
        cache=caching.rules.name,
        client=one.terms.client,
        recorded=_price_recorded_usage(one),
        misses=_count_misses(one),
        lines=list_bills(found),
        accounts={each.name: account(each.run, found.base.run) for each in found.standings},
        warnings=(*found.recording.document.transcript.warnings, *one.terms.warnings),
    )


def total_bills(found: Sequence[PlayedSession], model: str) -> list[PolicyBill]:
    """The lines of all sessions priced as a model."""
    return sum_bills([list_bills(one.comparison) for one in found if one.asked == model])


def make_heading(told: Sequence[SessionReport]) -> str:
    """What stands above the table."""
    first, requests = told[0], sum(one.requests for one in told)
    if len(told) > 1:
        names = ", ".join(dict.fromkeys(one.model for one in told))
        caches = dict.fromkeys(describe_cache(one) for one in told)
        text = f"{pluralize(len(told), 'session')}, {pluralize(requests, 'request')}, priced as {clean(names)}"
        return "\n".join([text, *caches]) if len(caches) <= _FEW else text
    host = f", {pluralize(first.compactions, 'compaction')} by its host" if first.compactions else ""
    paid = f"; by its recorded usage it cost {format_dollars(first.recorded)}" if first.recorded is not None else ""
    paid += f": {pluralize(first.misses, 'request')} found less in the cache than the rules say" if first.misses else ""
    return "\n".join(
        (
            f"{clean(_shorten_path(first.input))}: {first.format}, {pluralize(requests, 'request')}{host}{paid}",
            f"prices: {clean(first.model)}, {clean(first.price)}, κ {first.kappa:.3g}",
            describe_cache(first),
        )
    )


def describe_cache(one: SessionReport) -> str:
    """Which cache is played, and how the client uses it."""
    return f"cache: {one.cache}" + (f"; {one.client}" if one.client else "")


def _shorten_path(path: str) -> str:
    """A path, or the end of one that would fill the line."""
    return path if len(path) <= _WIDE else f"…/{Path(path).name}"


def _price_recorded_usage(one: PlayedSession) -> float | None:
    requests = one.comparison.recording.requests
    if one.asked or not all(request.usage for request in requests):
        return None
    return billed(as_paid(one.comparison.recording, one.terms.price), one.terms.price).dollars


def _count_misses(one: PlayedSession) -> int:
    found = one.comparison
    if one.asked or one.terms.caching.rules.positions != "marks" or _price_recorded_usage(one) is None:
        return 0
    both = compared(found.recording, one.terms.caching)
    return sum(each.recorded.read < each.model.read for each in both)


def explain_decisions(one: "Standing", base: "Standing", account: Account) -> list[Any]:
    """Blocks for the terminal."""
    dollars = one.run.price.dollars
    rows = [_make_row(chapter, dollars, one.name) for chapter in story(one.run, account)]
    if not rows:
        return [describe_outcome(one, base, account)]
    title = f"Why {one.name} decided when it did (a million tokens of input: {format_dollars(dollars(1e6))})"
    head = (">requests", ">freed", ">cost", ">saved", "", "why")
    styles = ["" if row[-1].startswith(EDITS) else "dim" for row in rows]
    return [describe_outcome(one, base, account), "", title, tables.make_dense_table(rows, head, styles, fold=True)]


def describe_for_plot(one: "Standing", base: "Standing", account: Account) -> list[str]:
    """For a picture: the outcome, what was done at birth, and what most often held the policy back."""
    found = [describe_outcome(one, base, account)]
    births = [event for event in account.events if event.birth]
    if births:
        freed, saved = sum(one.freed for one in births), one.run.price.dollars(sum(one.saved for one in births))
        found.append(
            f"{pluralize(len(births), 'time')} what was new became an excerpt before it was cached, at no cost:"
            f" {freed:,} tokens, {format_dollars(max(0.0, saved))} saved since."
        )
    if account.waits:
        wait = account.waits[0]
        times = pluralize(wait.requests, "request")
        found.append(f"What most often held it back, {times}, the last {wait.last + 1}: {clean(wait.why)}.")
    return found


def describe_outcome(one: "Standing", base: "Standing", account: Account) -> str:
    """What it came to, in one or two sentences."""
    dollars = one.run.price.dollars
    less = dollars(base.run.bill.units - one.run.bill.units)
    if not account.events:
        return f"{one.name} edited nothing: the bill is what it was."
    cost, saved = sum(event.cost for event in account.events), sum(event.saved for event in account.events)
    against = f"{format_dollars(less)} less" if less >= 0 else f"{format_dollars(-less)} more"
    lost = len(one.score.lost)
    text = (
        f"{one.name}: {pluralize(len(account.events), 'epoch')} cost {format_net_dollars(dollars(cost))} at once and"
        f" saved {format_net_dollars(dollars(saved))} since: {against} than unpruned."
    )
    if not lost:
        return f"{text} Nothing went that a later call needed."
    again = dollars(one.refetched - one.run.bill.units)
    return (
        f"{text} {pluralize(lost, 'time')} a call needed what had gone; to fetch it again would cost"
        f" {format_dollars(again)}."
    )


def _make_row(chapter: Chapter, dollars: Callable[[float], float], policy: str) -> tuple[str, ...]:
    edited = chapter.event is not None or chapter.small or chapter.births
    return (
        f"{chapter.first + 1:,}" + (f"–{chapter.last + 1:,}" if chapter.last > chapter.first else ""),
        abbreviate_short(chapter.freed) if edited else "",
        format_net_dollars(dollars(chapter.cost)) if edited else "",
        format_net_dollars(dollars(chapter.saved)) if edited else "",
        "",  # a little more room
        clean(told(chapter, policy)),
    )
