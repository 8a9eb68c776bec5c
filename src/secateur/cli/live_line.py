"""One line on the terminal that says what a proxy does, as long as it runs.

Rule: it is drawn on standard error, on a terminal alone, once a second, and nothing of it remains. A proxy that does
not answer leaves the line as it was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from secateur.cli.output.formatting import abbreviate, format_net_dollars, format_percent, pluralize
from secateur.cli.output.terminal import make_console, print_text
from secateur.cli.proxy_report import ProxyReport, fetch_report

_EVERY_S = 1.0


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
    failed = f", {report.failed:,} sent as they came after an error" if report.failed else ""
    return (
        f"{pluralize(report.generated, 'request')}{flight}, {abbreviate(raw)} tokens, "
        f"{format_percent(report.tokens_saved, raw)} {verb}, {format_net_dollars(report.saved_dollars)} saved, "
        f"{format_net_dollars(report.cost_dollars)} paid{failed}"
    )
