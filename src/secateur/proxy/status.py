"""What the proxy has done since it was started, in numbers.

Rule: numbers and names only, never content or credentials. Nothing survives a restart. Savings are computed with the
engine's prices: the cost of an epoch is subtracted at once, its savings are added with each later request, and the cost
of reading back is subtracted.
"""

import logging
import os
import time
from collections import OrderedDict
from typing import Any

from secateur.answers.savings import SavingsTally
from secateur.pricing import bill_answer
from secateur.proxy.asked import Edited
from secateur.proxy.callers import Caller
from secateur.proxy.metrics import Totals
from secateur.proxy.request_record import RequestRecord
from secateur.proxy.settings import Api, Mode, ProxySettings
from secateur.stores.place import hide_password
from secateur.usage import Usage, UsageBill

_LOGGER = logging.getLogger("secateur.proxy")
_SESSIONS = 500  # the last ones, by their newest request


class SessionStatus:
    """One session's numbers."""

    def __init__(self, caller: Caller, mode: Mode) -> None:
        self.caller = caller
        self.mode = mode
        self.requests = 0
        self.savings = SavingsTally()
        self.failed = 0
        self.bill = UsageBill()
        self.model = ""  # of the last request that was read
        self.last_at = 0.0

    def note(self, edited: Edited) -> None:
        """Count a request."""
        self.requests += 1
        self.last_at = time.time()
        self.failed += edited.how == "failed"
        receipt = edited.receipt
        if receipt is not None:
            self.model = receipt.model
            self.savings.add(receipt)

    def add_usage(self, usage: Usage) -> None:
        """Count the usage that a provider reported for a request."""
        self.bill += bill_answer(self.model, usage, int(time.time() * 1000))

    def report(self) -> dict[str, Any]:
        """The numbers by name."""
        savings = self.savings.sum()
        return {
            "session": self.caller.session,
            "tenant": self.caller.tenant,
            "client": self.caller.client,
            "subscription": self.caller.subscription,
            "mode": self.mode,
            "model": self.model,
            "requests": self.requests,
            "failed": self.failed,
            "epochs": savings.epochs,
            "tokens_raw": savings.tokens_raw,
            "tokens_saved": savings.tokens_raw - savings.tokens_sent,
            "saved_dollars": round(savings.dollars, 6),
            "cost_dollars": round(self.bill.dollars, 6),
            "input_tokens": self.bill.usage.input,
            "read_tokens": self.bill.usage.read,
            "write_tokens": self.bill.usage.write,
            "output_tokens": self.bill.usage.output,
            **_report_rounds(savings.recall_rounds),
            "last_at": round(self.last_at, 3),
        }


def _report_rounds(rounds: UsageBill) -> dict[str, Any]:
    return {
        "recall_rounds": rounds.answers,
        "recall_tokens": rounds.usage.taken + rounds.usage.output,
        "recall_dollars": round(rounds.dollars, 6),
    }


class Status:
    """Numbers of one proxy; used by its event loop alone."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._started = time.time()
        self._sessions: OrderedDict[tuple[str, str, str], SessionStatus] = OrderedDict()
        self.requests = 0
        self.active = 0
        self.answered = 0  # by providers, whole
        self.held_bytes = 0  # of requests that are in flight
        self.refused = 0  # by the proxy itself
        self.disconnected = 0  # clients that left before their response was complete
        self.broken = 0  # responses that their provider did not complete
        self.cut = 0  # requests that were sent again, cut, after a refusal as too long
        self.failed = 0  # requests that went on as received because of a failure of ours
        self.left_out = 0  # responses of which nothing was written down, since too many came at once
        self.last_error = ""
        self.totals = Totals()
        self._reaches: dict[Api, tuple[str, float]] = {}  # why a provider could not be reached ("": it could), and when
        self._gone_dollars = (0.0, 0.0)  # saved and paid by sessions that are not listed any more

    def begin(self) -> None:
        """A request came in."""
        self.requests += 1
        self.active += 1

    def end(self) -> None:
        """It is over."""
        self.active -= 1

    def note_request(self, caller: Caller, edited: Edited, mode: Mode) -> None:
        """Count the editor's result for a request; in `observe`, the result it would have had."""
        if edited.how == "failed":
            self.failed += 1
            self.last_error = edited.error
            whose = f"a request of session {caller.session}" if caller.session else "a request"
            _LOGGER.warning("%s was sent without an edit: %s", whose, edited.error)
        self._find(caller, mode).note(edited)

    def note_unread(self, why: str) -> None:
        """Count a request that went on as received because its body could not be unpacked."""
        self.failed += 1
        self.last_error = why
        _LOGGER.warning("a request was sent without an edit: %s", why)

    def note_cut(self, caller: Caller, edited: Edited, mode: Mode) -> None:
        """A request is sent again, shorter."""
        self.cut += 1
        if edited.receipt is not None:
            self._find(caller, mode).savings.add_epoch(edited.receipt)

    def note_usage(self, caller: Caller, usage: Usage) -> None:
        """Count the provider's usage for a request."""
        row = self._sessions.get(_name(caller))
        if row is not None:
            row.add_usage(usage)

    def note_recall_rounds(self, caller: Caller, rounds: UsageBill) -> None:
        """Requests that served the model's read-backs in one turn."""
        row = self._sessions.get(_name(caller))
        if row is not None:
            row.savings.add_recall_rounds(rounds)

    def note_record(self, record: RequestRecord) -> None:
        """Count an exchange that is over, and whether it reached its provider."""
        self.totals.add(record)
        api = record.route.api
        if record.outcome == "refused" and record.status in (502, 504):
            self.note_reach(api, record.error)
        elif record.first_byte_s and record.outcome != "refused":
            self.note_reach(api, "")

    def note_reach(self, api: Api, error: str) -> None:
        """A provider answered ("") or could not be reached."""
        self._reaches[api] = (error, time.monotonic())

    def list_unproven(self) -> tuple[Api, ...]:
        """The APIs whose provider did not answer lately: those in use, else those that an address was given for."""
        now, used = time.monotonic(), tuple(self._reaches) or tuple(self._settings.upstreams)
        lately = self._settings.limits.probe_s
        known = {api: not error and now - at < lately for api, (error, at) in self._reaches.items()}
        return tuple(api for api in used if not known.get(api))

    def report_health(self) -> dict[str, Any]:
        """Whether requests are taken, and whether providers answer them."""
        counts = {"requests": self.requests, "answered": self.answered, "broken": self.broken, "failed": self.failed}
        errors = {api: error for api, (error, _) in self._reaches.items() if error}
        head = {"ok": not errors, "pid": os.getpid(), "mode": self._settings.mode}
        return {**head, **counts, "upstreams": self._report_reaches(), "errors": errors}

    def _report_reaches(self) -> dict[Api, bool]:
        return {api: not error for api, (error, _) in self._reaches.items()}

    def report(self) -> dict[str, Any]:
        """All numbers."""
        sessions = [one.report() for one in reversed(self._sessions.values())]
        return {
            "schema": 1,
            "pid": os.getpid(),
            "mode": self._settings.mode,
            "policy": self._settings.policy,
            "store": hide_password(self._settings.store),
            "uptime_s": round(time.time() - self._started, 3),
            "requests": self.requests,
            "active": self.active,
            "held_bytes": self.held_bytes,
            "answered": self.answered,
            "refused": self.refused,
            "disconnected": self.disconnected,
            "broken": self.broken,
            "cut": self.cut,
            "failed": self.failed,
            "left_out": self.left_out,
            "last_error": self.last_error,
            "upstreams": self._report_reaches(),
            "subscription": any(one["subscription"] for one in sessions),
            "tokens_saved": sum(one["tokens_saved"] for one in sessions),
            "saved_dollars": round(self._gone_dollars[0] + sum(one["saved_dollars"] for one in sessions), 6),
            "cost_dollars": round(self._gone_dollars[1] + sum(one["cost_dollars"] for one in sessions), 6),
            **_report_rounds(self.totals.recall_rounds),
            "sessions": sessions,
        }

    def _find(self, caller: Caller, mode: Mode) -> SessionStatus:
        key = _name(caller)
        row = self._sessions.pop(key, None) or SessionStatus(caller, mode)
        row.mode = mode
        self._sessions[key] = row
        if len(self._sessions) > _SESSIONS:
            _, gone = self._sessions.popitem(last=False)
            saved, paid = self._gone_dollars
            self._gone_dollars = (saved + gone.savings.sum().dollars, paid + gone.bill.dollars)
        return row


def _name(caller: Caller) -> tuple[str, str, str]:
    return caller.tenant, caller.session, caller.client
