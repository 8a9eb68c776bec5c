"""The proxy's numbers as Prometheus scrapes them.

Rule: numbers are kept as plain counts while requests pass, and put into Prometheus's form only when they are asked for.
Labels are APIs, kinds and codes; never a session, a tenant or a model's name, whose number has no bound.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from secateur.proxy.request_record import RequestRecord
from secateur.usage import Usage, UsageBill

_BOUNDS_S = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0)
_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "secateur_proxy_"


class Histogram:
    """How many values were at most this large."""

    def __init__(self) -> None:
        self._counts = [0] * (len(_BOUNDS_S) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        """Count a value."""
        self._counts[bisect_left(_BOUNDS_S, seconds)] += 1
        self._sum += seconds

    def list_buckets(self) -> tuple[list[tuple[str, float]], float]:
        """Cumulative counts by upper bound, and the sum of all values."""
        so_far, buckets = 0, []
        for bound, count in zip((*map(str, _BOUNDS_S), "+Inf"), self._counts, strict=True):
            so_far += count
            buckets.append((bound, float(so_far)))
        return buckets, self._sum


class Totals:
    """Totals over all exchanges."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, str, str]] = Counter()  # by API, kind, what was done, status
        self.outcomes: Counter[str] = Counter()
        self.seconds: dict[tuple[str, str], Histogram] = {}  # by phase and API
        self.bytes: Counter[str] = Counter()
        self.tokens_raw = 0
        self.tokens_sent = 0
        self.usage = Usage()
        self.recall_rounds = UsageBill()  # of these, requests of ours that served the model's read-backs

    def add(self, record: RequestRecord) -> None:
        """Count an exchange that is over."""
        api = record.route.api
        self.requests[(api, record.route.kind, record.how or "passed", str(record.status or ""))] += 1
        self.outcomes[record.outcome or "unknown"] += 1
        self.bytes.update({"in": record.bytes_in, "sent": record.bytes_sent, "back": record.bytes_back})
        for phase, seconds in (("own", record.own_s), ("first_byte", record.first_byte_s), ("total", record.total_s)):
            if seconds:
                self.seconds.setdefault((phase, api), Histogram()).add(seconds)
        if record.receipt is not None:
            self.tokens_raw += record.receipt.tokens_raw
            self.tokens_sent += record.receipt.tokens_view
        if record.usage is not None:
            self.usage += record.usage
        self.recall_rounds += record.recall_rounds


def render_metrics(totals: Totals, report: dict[str, Any]) -> tuple[bytes, bytes]:
    """The content type and the text that Prometheus reads; `report` is the status."""
    prometheus: Any = import_module("prometheus_client")
    registry = prometheus.CollectorRegistry(auto_describe=False)
    registry.register(_Collector(totals, report))
    return _TYPE, prometheus.generate_latest(registry)


class _Collector:
    """The object that `prometheus_client` reads."""

    def __init__(self, totals: Totals, report: dict[str, Any]) -> None:
        self._totals = totals
        self._report = report

    def collect(self) -> Iterator[Any]:
        """All families."""
        families: Any = import_module("prometheus_client.core")
        totals, report = self._totals, self._report
        requests = families.CounterMetricFamily(
            _PREFIX + "requests", "Exchanges that are over.", labels=["api", "kind", "how", "code"]
        )
        for key, count in sorted(totals.requests.items()):
            requests.add_metric(list(key), count)
        yield requests
        faults = {name: report[name] for name in ("cut", "failed", "left_out")}
        tokens = {"raw": totals.tokens_raw, "sent": totals.tokens_sent, **_list_tokens(totals.usage)}
        counts = {
            "outcomes": totals.outcomes,
            "bytes": totals.bytes,
            "tokens": tokens,
            "recall_tokens": _list_tokens(totals.recall_rounds.usage),
            "faults": faults,
        }
        for name, values in counts.items():
            family = families.CounterMetricFamily(_PREFIX + name, _COUNTERS[name], labels=["class"])
            for label, value in sorted(values.items()):
                family.add_metric([label], value)
            yield family
        yield families.CounterMetricFamily(
            _PREFIX + "recall_rounds",
            "Requests of the proxy's own, in which models read removed texts back.",
            value=totals.recall_rounds.answers,
        )
        seconds = families.HistogramMetricFamily(
            _PREFIX + "seconds", "Our own work, the time until the first byte, and the whole.", labels=["phase", "api"]
        )
        for names, histogram in sorted(totals.seconds.items()):
            buckets, total = histogram.list_buckets()
            seconds.add_metric(list(names), buckets, total)
        yield seconds
        for name, text in _GAUGES.items():
            yield families.GaugeMetricFamily(_PREFIX + name, text, value=report[name])
        up = families.GaugeMetricFamily(_PREFIX + "upstream_up", "Whether a provider was reached.", labels=["api"])
        for api, is_up in report["upstreams"].items():
            up.add_metric([api], is_up)
        yield up


_COUNTERS = {
    "outcomes": "How exchanges ended.",
    "bytes": "Bodies: of requests as they came and as they were sent, and of responses.",
    "tokens": "Tokens: by our count, and as providers counted.",
    "recall_tokens": "Of these, tokens of the proxy's own requests, as providers counted.",
    "faults": "Requests that were cut after a refusal, sent on after a failure of ours, or not written down.",
}
_GAUGES = {
    "active": "Requests in flight.",
    "held_bytes": "Bodies in memory.",
    "uptime_s": "Seconds since the proxy was started.",
    "saved_dollars": "Saved so far, net of what edits cost the prompt cache, and of reading back; it can fall.",
    "cost_dollars": "Paid so far, as far as models have a price.",
    "recall_dollars": "Of this, paid for the proxy's own requests, in which models read removed texts back.",
}


def _list_tokens(used: Usage) -> dict[str, int]:
    return {"input": used.input, "cache_read": used.read, "cache_write": used.write, "output": used.output}
