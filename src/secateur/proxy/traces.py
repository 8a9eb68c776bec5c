"""One span for each request to a model, by OpenTelemetry's conventions for generative AI.

Rule: a span is made when the exchange is over, from its record, so nothing waits for it; it goes where the process's
own tracer provider sends it. Headers pass unchanged: a client's trace is continued here, and not rewritten for the
provider.
"""

from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from secateur.errors import ConfigError
from secateur.proxy.request_record import RequestRecord
from secateur.proxy.settings import Api

_PROVIDERS: dict[Api, str] = {"anthropic": "anthropic", "openai": "openai", "gemini": "gcp.gemini"}
_PROVIDERS |= {"bedrock": "aws.bedrock", "vertex": "gcp.vertex_ai"}
_OPERATIONS = {"gemini": "generate_content"}


class Tracer:
    """Makes spans of records. Raises ConfigError where OpenTelemetry is not installed."""

    def __init__(self) -> None:
        try:
            self._trace: Any = import_module("opentelemetry.trace")
            propagation: Any = import_module("opentelemetry.trace.propagation.tracecontext")
        except ImportError as error:
            raise ConfigError("traces need OpenTelemetry: pip install 'secateur[traces]'") from error
        self._propagator = propagation.TraceContextTextMapPropagator()
        self._tracer = self._trace.get_tracer("secateur")

    def add(self, record: RequestRecord, upstream: str) -> None:
        """Make the span of an exchange with a model; of any other, none."""
        if record.route.kind not in ("generate", "compact"):
            return
        operation = _OPERATIONS.get(record.route.api, "chat")
        span = self._tracer.start_span(
            f"{operation} {record.model}".strip(),
            context=self._propagator.extract({"traceparent": record.trace_parent}) if record.trace_parent else None,
            kind=self._trace.SpanKind.CLIENT,
            attributes=_list_attributes(record, operation, upstream),
            start_time=record.began_ns,
        )
        if record.outcome != "answered" or record.status >= 400:
            span.set_attribute("error.type", str(record.status) if record.status >= 400 else record.outcome)
            span.set_status(self._trace.StatusCode.ERROR)
        span.end(record.began_ns + round(record.total_s * 1e9))


def _list_attributes(record: RequestRecord, operation: str, upstream: str) -> dict[str, str | int | float | bool]:
    parts, caller, usage, receipt = urlsplit(upstream), record.caller, record.usage, record.receipt
    told: dict[str, str | int | float | bool] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": _PROVIDERS.get(record.route.api, record.route.api),
        "gen_ai.request.model": record.model,
        "gen_ai.conversation.id": caller.session if caller else "",
        "server.address": parts.hostname or "",
        "server.port": parts.port or (443 if parts.scheme == "https" else 80),
        "http.response.status_code": record.status,
        "secateur.how": record.how,
        "secateur.client": caller.client if caller else "",
    }
    if usage is not None:
        told |= {
            "gen_ai.usage.input_tokens": usage.taken,
            "gen_ai.usage.output_tokens": usage.output,
            "gen_ai.usage.cache_read.input_tokens": usage.read,
            "gen_ai.usage.cache_creation.input_tokens": usage.write,
        }
    if receipt is not None:
        told |= {
            "secateur.tokens_raw": receipt.tokens_raw,
            "secateur.tokens_sent": receipt.tokens_view,
            "secateur.epoch": receipt.opened,
        }
    return {name: value for name, value in told.items() if value != ""}
