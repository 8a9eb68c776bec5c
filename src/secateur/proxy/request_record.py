"""The record of one exchange: its kind, its outcome, its duration. One line of the log, one trace.

Rule: names, numbers and codes; never a header, a query, a body or a credential. It is emitted once, at the end of the
exchange, and costs nothing without a listener.
"""

import json
import logging
import time
from typing import Any, Literal

from secateur.proxy.callers import Caller
from secateur.proxy.routes import Route
from secateur.receipt import Receipt
from secateur.usage import Usage, UsageBill

Outcome = Literal["", "answered", "refused", "broken", "disconnected"]
REQUESTS = "secateur.proxy.requests"  # the logger of these records
_LOGGER = logging.getLogger(REQUESTS)


class RequestRecord:
    """One exchange. What is not known of it stays empty."""

    def __init__(self, method: str, route: Route) -> None:
        self.method = method
        self.route = route
        self.began_ns = time.time_ns()
        self.began = time.monotonic()
        self.caller: Caller | None = None
        self.model = ""
        self.how = ""  # what was done to the request
        self.status = 0  # of the response
        self.outcome: Outcome = ""
        self.error = ""  # why ours failed
        self.trace_parent = ""  # of the client's own trace
        self.bytes_in = 0  # of the request, as received
        self.bytes_sent = 0  # as it was sent on
        self.bytes_back = 0  # of the response
        self.own_s = 0.0  # that reading and editing took
        self.first_byte_s = 0.0  # until the response began, 0: it never did
        self.total_s = 0.0
        self.receipt: Receipt | None = None
        self.usage: Usage | None = None
        self.recall_rounds = UsageBill()  # of `usage`: requests of ours that served the model's read-backs

    def begin_response(self, status: int) -> None:
        """The response begins."""
        self.status = status
        self.first_byte_s = time.monotonic() - self.began

    def refuse(self, status: int, message: str) -> None:
        """The proxy itself refuses the request."""
        self.outcome, self.status, self.error = "refused", status, message

    def finish(self) -> None:
        """The exchange is over: write it down where a log is wanted."""
        self.total_s = time.monotonic() - self.began
        if _LOGGER.isEnabledFor(logging.INFO):
            _LOGGER.info(json.dumps(self.report()))

    def report(self) -> dict[str, Any]:
        """The record by name, without what is not known."""
        usage, receipt, caller = self.usage, self.receipt, self.caller
        told = {
            "at": round(self.began_ns / 1e9, 3),
            "method": self.method,
            "api": self.route.api,
            "kind": self.route.kind,
            "path": self.route.path.decode("latin-1") if self.route.format else "",
            "status": self.status,
            "outcome": self.outcome,
            "how": self.how,
            "model": self.model,
            "client": caller.client if caller else "",
            "session": caller.session if caller else "",
            "tenant": caller.tenant if caller else "",
            "call": caller.call if caller else "",
            "bytes_in": self.bytes_in,
            "bytes_sent": self.bytes_sent,
            "bytes_back": self.bytes_back,
            "own_ms": round(self.own_s * 1000, 2),
            "first_byte_ms": round(self.first_byte_s * 1000, 2),
            "total_ms": round(self.total_s * 1000, 2),
            "tokens_raw": receipt.tokens_raw if receipt else 0,
            "tokens_sent": receipt.tokens_view if receipt else 0,
            "epoch": bool(receipt and receipt.opened),
            "input_tokens": usage.taken if usage else 0,
            "read_tokens": usage.read if usage else 0,
            "write_tokens": usage.write if usage else 0,
            "output_tokens": usage.output if usage else 0,
            "recall_rounds": self.recall_rounds.answers,
            "error": self.error,
        }
        return {name: value for name, value in told.items() if value not in ("", 0, 0.0, False)}
