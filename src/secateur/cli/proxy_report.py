"""What a running proxy reports of itself, fetched over HTTP, and the same in a sentence.

Rule: a proxy that does not answer is no error here: the caller says what that means.
"""

import urllib.request
from http.client import HTTPException

import msgspec
from msgspec import Struct

from secateur.cli.output.formatting import format_count, format_net_dollars, format_percent, pluralize

_TIMEOUT_S = 2.0


class ProxySession(Struct, frozen=True, kw_only=True):
    """One session that went through the proxy."""

    session: str = ""
    tenant: str = ""
    client: str = ""
    mode: str = ""
    subscription: bool = False
    requests: int = 0
    epochs: int = 0
    tokens_raw: int = 0  # of all requests, as they came
    tokens_saved: int = 0  # in observe: that pruning would have saved
    saved_dollars: float = 0.0  # net of what edits cost the prompt cache
    input_tokens: int = 0  # as the provider counted
    read_tokens: int = 0
    write_tokens: int = 0
    output_tokens: int = 0
    last_at: float = 0.0  # seconds since 1970


class ProxyReport(Struct, frozen=True, kw_only=True):
    """All of one proxy."""

    address: str = ""
    mode: str = ""
    policy: str = ""
    uptime_s: float = 0.0
    requests: int = 0  # of every kind
    active: int = 0  # in flight, the one that asks for this report left out
    failed: int = 0  # requests that went on as they came because of an error of the proxy
    last_error: str = ""
    subscription: bool = False
    tokens_saved: int = 0
    saved_dollars: float = 0.0
    cost_dollars: float = 0.0  # as far as models have a price
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
            report = msgspec.json.decode(response.read(), type=ProxyReport, strict=False)
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
