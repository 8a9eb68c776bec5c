"""`secateur status`: what the proxy did and saved, for each session and in total.

Rule: pruned sessions come from the store, whatever pruned them, with their providers' counts; facts that only a running
proxy knows (requests that it observed) come from there. A loss is shown as one. No content is read.
"""

import time
from typing import Annotated, Any

from msgspec import Struct

from secateur.answers.savings import OBSERVED, Savings, is_observed, read_savings, sum_bills
from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.options import Options, make_limit, make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import (
    abbreviate,
    describe_recall_rounds,
    format_dollars,
    format_duration,
    format_net_dollars,
    format_percent,
    pluralize,
)
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.proxy_report import ProxyReport, ProxySession, fetch_report, summarize, watch_proxy
from secateur.cli.store_option import get_shown_url, open_existing_store
from secateur.stores.protocol import SessionRow, State
from secateur.usage import Usage, UsageBill

SCHEMA = "secateur.status/1"
_ADDRESS = "http://127.0.0.1:8787"
_EPILOG = """\
\b
Examples:
  secateur status
  secateur status --address http://127.0.0.1:41235
  secateur status --json | jq .saved_dollars

\b
`secateur run` prints the address of its proxy. `secateur why SESSION` shows
what was removed from a session.
"""


class StatusOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur status`."""

    address: Annotated[
        str,
        make_option(
            "--address",
            default="",
            metavar="URL",
            help=f"The address of a running proxy.  [default: {_ADDRESS}, if one runs there]",
        ),
    ]
    limit: Annotated[int, make_limit(20, "Read at most N sessions of the store, the last used first.")]
    watch: Annotated[
        bool,
        make_option("--watch", is_flag=True, help="Print a line whenever the numbers of the running proxy change."),
    ]
    store: options.StoreUrl
    as_json: options.AsJson


class StoredSavings(Struct, frozen=True, kw_only=True):
    """One session of the store."""

    session: str
    tenant: str
    model: str
    touched: int  # ms since 1970
    observed: bool  # requests were sent as received; savings are what pruning would have saved
    savings: Savings
    bill: UsageBill  # what its answers took, as their provider counted


class StatusReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    sessions: tuple[StoredSavings, ...]
    more: int  # that --limit leaves out
    requests: int  # of these sessions
    tokens_raw: int  # of all their requests, as received
    tokens_sent: int
    saved_dollars: float  # net of what edits cost the prompt cache, and of reading back
    would_save_dollars: float  # the same of sessions that were only observed, which the sums above leave out
    cost_dollars: float  # of all answers whose model has a price
    recall_rounds: UsageBill  # requests of proxies' own, in which models read removed texts back; they are paid, too
    proxy: ProxyReport | None  # null: none runs at the address


@options.make_command("status", StatusOptions, _EPILOG)
def command(args: StatusOptions) -> None:
    """Show what the proxy did: requests, tokens, and money saved net of cache effects."""
    address = (args.address or _ADDRESS).rstrip("/")
    if args.watch:
        if fetch_report(address) is None:
            raise UsageError(f"no proxy answers at {address}: `secateur serve` and `secateur run` print theirs")
        return watch_proxy(address)
    with show_work("reading the store"):
        proxy = fetch_report(address)
        if args.address and proxy is None:
            raise UsageError(f"no proxy answers at {args.address}: `secateur serve` and `secateur run` print theirs")
        report = _build_report(args, proxy)
    if args.as_json:
        return print_json(report)
    return print_blocks(*_render(report))


def _build_report(args: StatusOptions, proxy: ProxyReport | None) -> StatusReport:
    sessions, more = _read_sessions(args.store, args.limit)
    pruned, observed = _split_observed(sessions)
    return StatusReport(
        store=get_shown_url(args.store),
        sessions=sessions,
        more=more,
        requests=sum(one.savings.requests for one in pruned),
        tokens_raw=sum(one.savings.tokens_raw for one in pruned),
        tokens_sent=sum(one.savings.tokens_sent for one in pruned),
        saved_dollars=sum(one.savings.dollars for one in pruned),
        would_save_dollars=sum(one.savings.dollars for one in observed),
        cost_dollars=sum(one.bill.dollars for one in sessions),
        recall_rounds=sum((one.savings.recall_rounds for one in pruned), UsageBill()),
        proxy=proxy,
    )


def _read_sessions(store_url: str, limit: int) -> tuple[tuple[StoredSavings, ...], int]:
    """The last sessions with their savings, and how many more there are; none if there is no store."""
    try:
        with open_existing_store(store_url) as kept:
            rows = kept.store.list_sessions()
            states = [(row, kept.store.load(row.who)) for row in rows[:limit]]
            found = tuple(_build_stored(row, read_savings(kept.store, state), state) for row, state in states if state)
    except UsageError:
        return (), 0
    return found, len(rows) - len(found)


def _split_observed(sessions: tuple[StoredSavings, ...]) -> tuple[list[StoredSavings], list[StoredSavings]]:
    """Sessions whose requests were pruned, and those that were only observed."""
    return [one for one in sessions if not one.observed], [one for one in sessions if one.observed]


def _build_stored(row: SessionRow, savings: Savings, state: State) -> StoredSavings:
    return StoredSavings(
        session=row.who.session,
        tenant=row.who.tenant.removeprefix(OBSERVED),
        observed=is_observed(row.who),
        model=row.model,
        touched=row.touched,
        savings=savings,
        bill=sum_bills(state),
    )


def _render(report: StatusReport) -> list[Any]:
    blocks = _render_proxy(report.proxy) if report.proxy else []
    if not report.sessions:
        return blocks or [f"Nothing is stored at {clean(report.store)} yet: `secateur run claude` begins."]
    now = time.time()
    head = ("session", "last", ">requests", ">tokens", ">pruned", ">cached", ">cost", ">saved")
    pruned, observed = _split_observed(report.sessions)
    lists = [tables.make_list([_make_row(one, now) for one in pruned], "", head)] if pruned else []
    if observed:
        would = tables.make_list(
            [_make_row(one, now) for one in observed], "", (*head[:4], ">prunable", *head[5:7], ">would save")
        )
        lists += ["Only observed, with what pruning would have saved:", would]
    total = (
        f"In all: {pluralize(report.requests, 'request')}, {abbreviate(report.tokens_raw)} tokens, of which "
        f"{format_percent(report.tokens_raw - report.tokens_sent, report.tokens_raw)} were pruned; "
        f"{format_net_dollars(report.saved_dollars)} saved, net of what edits cost the prompt cache; "
        f"{format_dollars(report.cost_dollars)} paid."
    )
    rounds = describe_recall_rounds(report.recall_rounds)
    more = [f"and {report.more:,} more: --limit reads them"] if report.more else []
    return [*blocks, f"Stored at {clean(report.store)}:", *lists, *more, total, *([rounds] if rounds else [])]


def _make_row(stored: StoredSavings, now: float) -> tuple[str, ...]:
    savings, bill, used = stored.savings, stored.bill, stored.bill.usage
    return (
        to_one_line(stored.session, 18),
        f"{format_duration(max(0.0, now - stored.touched / 1000))} ago",
        f"{savings.requests:,}",
        abbreviate(savings.tokens_raw),
        format_percent(savings.tokens_raw - savings.tokens_sent, savings.tokens_raw),
        format_percent(used.read, used.taken) if bill.answers else "?",
        format_dollars(bill.dollars) if bill.answers > bill.unpriced else "?",
        format_net_dollars(savings.dollars),
    )


def _render_proxy(proxy: ProxyReport) -> list[Any]:
    up = format_duration(proxy.uptime_s)
    blocks: list[Any] = [f"Proxy at {clean(proxy.address)}, {proxy.mode} by {clean(proxy.policy)}, up {up}:"]
    if proxy.sessions:
        head = ("session", "client", "mode", ">requests", ">tokens", ">pruned", ">saved", ">read from cache")
        blocks.append(tables.make_list([_make_proxy_row(one) for one in proxy.sessions], "", head))
    blocks.append(f"{summarize(proxy)}.")
    if proxy.recall_rounds:
        rounds = UsageBill(proxy.recall_rounds, Usage(proxy.recall_tokens), proxy.recall_dollars)
        blocks.append(describe_recall_rounds(rounds))
    if proxy.subscription:
        blocks.append(
            "Some of these requests are paid for by a subscription: they are only observed unless"
            " --prune-subscriptions is given."
        )
    if proxy.last_error:
        failed = pluralize(proxy.failed, "request")
        blocks.append(
            f"{failed} were sent as received after an error; the last one: {to_one_line(proxy.last_error, 200)}"
        )
    return [*blocks, ""]


def _make_proxy_row(session: ProxySession) -> tuple[str, ...]:
    prompt = session.input_tokens + session.read_tokens + session.write_tokens
    return (
        to_one_line(session.session or "(by its history)", 18),
        to_one_line(session.client, 14),
        session.mode,
        f"{session.requests:,}",
        abbreviate(session.tokens_raw),
        format_percent(session.tokens_saved, session.tokens_raw),
        format_net_dollars(session.saved_dollars),
        format_percent(session.read_tokens, prompt),
    )
