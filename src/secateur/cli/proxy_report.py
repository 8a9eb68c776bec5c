"""The report of a running proxy, fetched over HTTP: in a sentence, and as one live line on the terminal.

Rule: a proxy that does not answer is not an error here; the caller decides what that means. The line is drawn on
standard error, only on a terminal, once a second, and is removed at the end; it stays unchanged while a proxy does not
answer.
"""

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from threading import Event, Thread

import msgspec
from msgspec import Struct

from secateur.cli.output.formatting import abbreviate, format_count, format_net_dollars, format_percent, pluralize
from secateur.cli.output.terminal import make_console, print_text
from secateur.decoding import prepare_type

_TIMEOUT_S = 2.0

_EVERY_S = 1.0


class ProxySession(Struct, frozen=True, kw_only=True):
    """One session that went through the proxy."""

    session: str = ""
    tenant: str = ""
    client: str = ""
    mode: str = ""
    subscription: bool = False
    requests: int = 0
    epochs: int = 0
    tokens_raw: int = 0  # of all requests, as received
    tokens_saved: int = 0  # in observe: that pruning would have saved
    saved_dollars: float = 0.0  # net of what edits cost the prompt cache, and of reading back
    input_tokens: int = 0  # as the provider counted
    read_tokens: int = 0
    write_tokens: int = 0
    output_tokens: int = 0
    recall_rounds: int = 0  # requests of the proxy's own, in which the model read removed texts back
    recall_tokens: int = 0  # of these requests
    recall_dollars: float = 0.0  # that they cost: taken off from what was saved
    last_at: float = 0.0  # seconds since 1970


class ProxyReport(Struct, frozen=True, kw_only=True):
    """All of one proxy."""

    address: str = ""
    mode: str = ""
    policy: str = ""
    uptime_s: float = 0.0
    requests: int = 0  # of every kind
    active: int = 0  # in flight, the one that asks for this report left out
    failed: int = 0  # requests that went on as received because of an error of the proxy
    last_error: str = ""
    subscription: bool = False
    tokens_saved: int = 0
    saved_dollars: float = 0.0
    cost_dollars: float = 0.0  # as far as models have a price
    recall_rounds: int = 0
    recall_tokens: int = 0
    recall_dollars: float = 0.0
    sessions: tuple[ProxySession, ...] = ()

    @property
    def generated(self) -> int:
        """Requests that asked a model for an answer."""
        return sum(session.requests for session in self.sessions)


def fetch_report(address: str) -> ProxyReport | None:
    """The report of the proxy at an address; None if there is none."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # this machine, whatever HTTP_PROXY says
    try:
        with opener.open(f"{address}/_secateur/status", timeout=_TIMEOUT_S) as response:
            report = msgspec.json.decode(response.read(), type=prepare_type(ProxyReport), strict=False)
    except (OSError, HTTPException, ValueError, msgspec.MsgspecError):
        return None
    return msgspec.structs.replace(report, address=address, active=max(0, report.active - 1))


def summarize(report: ProxyReport) -> str:
    """Requests, tokens and money in one sentence."""
    raw = sum(session.tokens_raw for session in report.sessions)
    sent = raw - report.tokens_saved
    verb, saved = ("were pruned", "saved") if report.mode != "observe" else ("would be pruned", "would be saved")
    dollars = format_net_dollars(report.saved_dollars)
    return (
        f"{pluralize(report.generated, 'request')}, {format_count(raw)} tokens, of which "
        f"{format_percent(report.tokens_saved, raw)} {verb} ({format_count(sent)} remain); {dollars} {saved}"
    )


class LiveLine:
    """The line. Nothing is drawn before there is a proxy to follow."""

    def __init__(self, every_s: float = _EVERY_S) -> None:
        self._every_s = every_s
        self._over = Event()
        self._thread: Thread | None = None

    def follow(self, address: str) -> None:
        """Draw what the proxy at an address reports, until `stop`."""
        if make_console(err=True).is_terminal:
            self._thread = Thread(target=self._draw, args=(address,), name="secateur-live-line", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Draw no more, and take the line away."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _draw(self, address: str) -> None:
        with make_console(err=True).status("waiting for requests", refresh_per_second=1 / self._every_s) as line:
            while not self._over.wait(self._every_s):
                report = fetch_report(address)
                if report is not None:
                    line.update(describe_live(report))


@contextmanager
def show_live() -> Iterator[LiveLine]:
    """A line for as long as a block runs."""
    line = LiveLine()
    try:
        yield line
    finally:
        line.stop()


def watch_proxy(address: str) -> None:
    """Print a line whenever the numbers of a proxy changed, until it is gone."""
    pause, last = Event(), ""
    while (report := fetch_report(address)) is not None:
        said = describe_live(report)
        if said != last:
            print_text(f"{said}\n")
            last = said
        pause.wait(_EVERY_S)


def describe_live(report: ProxyReport) -> str:
    """Requests, tokens and money in one line."""
    raw = sum(session.tokens_raw for session in report.sessions)
    verb = "pruned" if report.mode != "observe" else "could be pruned"
    flight = f", {report.active:,} in flight" if report.active else ""
    failed = f", {report.failed:,} sent as received after an error" if report.failed else ""
    return (
        f"{pluralize(report.generated, 'request')}{flight}, {abbreviate(raw)} tokens, "
        f"{format_percent(report.tokens_saved, raw)} {verb}, {format_net_dollars(report.saved_dollars)} saved, "
        f"{format_net_dollars(report.cost_dollars)} paid{failed}"
    )
