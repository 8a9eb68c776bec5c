"""The report of a simulation: as JSON, and as the text around its table.

Rule: assumptions are shown next to the figures: the prices, the cache rules, how the recorded client uses the cache,
and the recorded cost. The explanation adds up to the difference of the two costs and covers every request.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from secateur.cli.output import tables
from secateur.cli.output.formatting import abbreviate_short, format_dollars, format_net_dollars, pluralize
from secateur.cli.output.terminal import clean
from secateur.cli.policy_bills import (
    LEAST_RECALL,
    PlayedSession,
    PolicyBill,
    Recommendation,
    choose_policy,
    list_bills,
    sum_bills,
)
from secateur.simulate.bill import sum_bill
from secateur.simulate.cache_validation import compare_requests
from secateur.simulate.decision_log import DecisionLog, build_decision_log
from secateur.simulate.run import as_paid
from secateur.simulate.timeline import EDITS, TimelineEntry, build_timeline, describe_entry

if TYPE_CHECKING:
    from secateur.simulate.compare import PolicyResult

SCHEMA = "secateur.simulate/1"
LEGEND = (
    "recall: share of later references still visible, of those that only a tool result had shown (echoed: of the"
    " others). complete: requests with all they refer to. cost + refetch: with what was lost fetched again. vs opt.:"
    " cost relative to the optimal, the cheapest schedule of the same edits. Assumed: requests offer the recall tool"
    " (`secateur mcp`), so the model can read back what was removed."
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
    write_read_ratio: float  # what a cache write costs in cache reads
    cache: str  # the rules for it, by name
    client: str  # how the recorded client uses it; "" where that is the provider's affair alone
    recorded: float | None  # dollars that the recorded usage comes to; None: not every request has one
    misses: int  # requests that read less, as recorded, than the cache's rules say
    lines: list[PolicyBill]
    decision_logs: dict[str, DecisionLog]  # by policy; costs in units: tokens of plain input
    warnings: tuple[str, ...]


class SimulationReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    sessions: list[SessionReport]
    lines: dict[str, list[PolicyBill]]  # over all sessions, by the model asked for ("": each its own)
    recommended: dict[str, Recommendation | None]  # by the same; None: no policy is cheaper than none


def report_session(replay: PlayedSession) -> SessionReport:
    """The report of one session."""
    comparison, price, caching = replay.comparison, replay.terms.price, replay.terms.caching
    return SessionReport(
        input=replay.label,
        format=comparison.recording.document.format.name,
        requests=len(comparison.recording.requests),
        compactions=len(comparison.recording.segments) - 1,
        model=price.model,
        price=price.source,
        write_read_ratio=(price.base.w_1h if caching.hour else price.base.w) / price.base.r,
        cache=caching.rules.name,
        client=replay.terms.client,
        recorded=_price_recorded_usage(replay),
        misses=_count_misses(replay),
        lines=list_bills(comparison),
        decision_logs={
            standing.name: build_decision_log(standing.run, comparison.base.run) for standing in comparison.standings
        },
        warnings=(*comparison.recording.document.transcript.warnings, *replay.terms.warnings),
    )


def sum_policy_bills(replays: Sequence[PlayedSession], model: str) -> list[PolicyBill]:
    """Return the bills of all sessions, priced for one model."""
    return sum_bills([list_bills(replay.comparison) for replay in replays if replay.asked == model])


def describe_choice(rows: Sequence[PolicyBill], suits: dict[str, str]) -> list[str]:
    """Lines below the table: which policy these sessions speak for and why, and whom those with `suits` suit."""
    found = choose_policy(rows)
    no = f"no policy with a recall of {LEAST_RECALL:.0%} or more is cheaper than the unpruned session"
    return [f"* {found.policy}: {found.reason}" if found else no] + [
        f"{row.policy} suits {suits[row.policy]}" for row in rows[1:-1] if suits.get(row.policy)
    ]


def make_heading(sessions: Sequence[SessionReport]) -> str:
    """The lines above the table."""
    first, requests = sessions[0], sum(session.requests for session in sessions)
    if len(sessions) > 1:
        names = ", ".join(dict.fromkeys(session.model for session in sessions))
        caches = dict.fromkeys(describe_cache(session) for session in sessions)
        text = f"{pluralize(len(sessions), 'session')}, {pluralize(requests, 'request')}, priced as {clean(names)}"
        return "\n".join([text, *caches]) if len(caches) <= _FEW else text
    host = f", {pluralize(first.compactions, 'compaction')} by its host" if first.compactions else ""
    paid = f"; its recorded usage cost {format_dollars(first.recorded)}" if first.recorded is not None else ""
    paid += (
        f": {pluralize(first.misses, 'request')} read less from the cache than its rules predict"
        if first.misses
        else ""
    )
    return "\n".join(
        (
            f"{clean(_shorten_path(first.input))}: {first.format}, {pluralize(requests, 'request')}{host}{paid}",
            f"prices: {clean(first.model)}, {clean(first.price)},"
            f" a cache write costs {first.write_read_ratio:.3g} reads",
            describe_cache(first),
        )
    )


def describe_cache(session: SessionReport) -> str:
    """Describe the simulated cache rules, and how the client uses the cache."""
    return f"cache: {session.cache}" + (f"; {session.client}" if session.client else "")


def _shorten_path(path: str) -> str:
    """A path, or its end if it would fill the line."""
    return path if len(path) <= _WIDE else f"…/{Path(path).name}"


def _price_recorded_usage(replay: PlayedSession) -> float | None:
    requests = replay.comparison.recording.requests
    if replay.asked or not all(request.usage for request in requests):
        return None
    return sum_bill(as_paid(replay.comparison.recording, replay.terms.price), replay.terms.price).dollars


def _count_misses(replay: PlayedSession) -> int:
    comparison = replay.comparison
    if replay.asked or replay.terms.caching.rules.positions != "marks" or _price_recorded_usage(replay) is None:
        return 0
    pairs = compare_requests(comparison.recording, replay.terms.caching)
    return sum(each.recorded.read < each.model.read for each in pairs)


def explain_decisions(standing: "PolicyResult", base: "PolicyResult", account: DecisionLog) -> list[Any]:
    """The decisions of a policy as text and a table."""
    dollars = standing.run.price.to_dollars
    rows = [_make_row(entry, dollars, standing.name) for entry in build_timeline(standing.run, account)]
    if not rows:
        return [describe_outcome(standing, base, account)]
    title = f"Decisions of {standing.name} (a million input tokens cost {format_dollars(dollars(1e6))})"
    head = (">requests", ">freed", ">cost", ">saved", "", "why")
    styles = ["" if row[-1].startswith(EDITS) else "dim" for row in rows]
    return [
        describe_outcome(standing, base, account),
        "",
        title,
        tables.make_dense_table(rows, head, styles, fold=True),
    ]


def describe_for_plot(standing: "PolicyResult", base: "PolicyResult", account: DecisionLog) -> list[str]:
    """The text of a plot: the outcome, the excerpts on arrival, and the most frequent reason to wait."""
    texts = [describe_outcome(standing, base, account)]
    arrivals = [event for event in account.events if event.on_arrival]
    if arrivals:
        freed, saved = (
            sum(standing.freed for standing in arrivals),
            standing.run.price.to_dollars(sum(standing.saved for standing in arrivals)),
        )
        texts.append(
            f"{pluralize(len(arrivals), 'time')} a new result was shortened before it was cached, at no cost:"
            f" {freed:,} tokens, {format_dollars(max(0.0, saved))} saved since."
        )
    if account.waits:
        wait = account.waits[0]
        times = pluralize(wait.requests, "request")
        texts.append(f"The most frequent reason to wait, {times}, the last {wait.last + 1}: {clean(wait.reason)}.")
    return texts


def describe_outcome(standing: "PolicyResult", base: "PolicyResult", account: DecisionLog) -> str:
    """The outcome, in one or two sentences."""
    dollars = standing.run.price.to_dollars
    less = dollars(base.run.bill.units - standing.run.bill.units)
    if not account.events:
        return f"{standing.name} edited nothing: the cost is unchanged."
    cost, saved = sum(event.cost for event in account.events), sum(event.saved for event in account.events)
    against = f"{format_dollars(less)} less" if less >= 0 else f"{format_dollars(-less)} more"
    lost = len(standing.score.lost)
    text = (
        f"{standing.name}: {pluralize(len(account.events), 'epoch')} cost {format_net_dollars(dollars(cost))}"
        f" immediately and saved {format_net_dollars(dollars(saved))} since: {against} than unpruned."
    )
    if not lost:
        return f"{text} Nothing that a later call needed was removed."
    again = dollars(standing.refetched - standing.run.bill.units)
    return (
        f"{text} {pluralize(lost, 'time')} a call needed what had been removed; fetching it again would cost"
        f" {format_dollars(again)}."
    )


def _make_row(entry: TimelineEntry, dollars: Callable[[float], float], policy: str) -> tuple[str, ...]:
    edited = entry.event is not None or entry.small or entry.arrivals
    return (
        f"{entry.first + 1:,}" + (f"–{entry.last + 1:,}" if entry.last > entry.first else ""),
        abbreviate_short(entry.freed) if edited else "",
        format_net_dollars(dollars(entry.cost)) if edited else "",
        format_net_dollars(dollars(entry.saved)) if edited else "",
        "",  # a little more room
        clean(describe_entry(entry, policy)),
    )
