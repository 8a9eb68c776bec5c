"""A request that an engine could not serve, passed on: for code that must not stop an agent for a reason of ours.

Rule: nothing is raised, and the receipt says why nothing was done. A session whose earlier views were edited gets the
same edits again if they can be made, since signed reasoning is bound to what the model read; else the request goes out
as received.
"""

from collections import OrderedDict
from contextlib import suppress
from threading import Lock
from typing import Any

from msgspec.structs import replace

from secateur.model import Transcript
from secateur.object_requests import ObjectRequests
from secateur.plan import Plan
from secateur.sessions import SessionManager
from secateur.sessions.receipt_log import make_failure_receipt
from secateur.stages import EngineSettings, FitRequest
from secateur.stages.setup import CompactionSetup
from secateur.stores.protocol import SessionId
from secateur.view import View

_EMPTY = Transcript((), ())


class FailOpen:
    """The plans of an engine's last views, by session."""

    def __init__(self, settings: EngineSettings, most: int) -> None:
        bare = replace(settings.policy, prune=(), on_arrival=None, compaction=None, binds="never")
        setup = CompactionSetup(enabled=False)
        self._settings = replace(settings, policy=bare, compaction=setup, sends=True)
        self._policy, self._counter, self._most = settings.policy.name, settings.counter, most
        self._plans: OrderedDict[tuple[str, str], Plan] = OrderedDict()
        self._lock = Lock()

    def keep(self, view: View[Any]) -> View[Any]:
        """Remember the plan of a view that goes out."""
        if view.session and view.plan.epochs:
            with self._lock:
                self._plans[view.session, view.tenant] = view.plan
                self._plans.move_to_end((view.session, view.tenant))
                while len(self._plans) > self._most:
                    self._plans.popitem(last=False)
        return view

    def make_view(self, request: Any, session: str | None, tenant: str, now_ms: int, error: Exception) -> View[Any]:
        """The view of a request that failed."""
        receipt = make_failure_receipt(self._policy, self._counter, error, now_ms)
        plan = self._plans.get((session or "", tenant))
        if plan is not None:
            with suppress(Exception):  # whatever it is, the request goes out
                objects = ObjectRequests(self._settings, SessionManager(None, "", 1, False), 1)
                view = objects.serve(SessionId("", ""), FitRequest(request, plan, now_ms))
                told = replace(view.receipt, status="failed", error=receipt.error, policy=receipt.policy)
                return replace(view, receipt=told, session=session or "", tenant=tenant)
        return View(request, plan or Plan(), receipt, _EMPTY, _EMPTY, session or "", tenant)
