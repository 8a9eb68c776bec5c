"""An engine for code that sits between an agent and its model: clients' wrappers and frameworks' adapters.

Rule: an agent is never stopped by it. What cannot be served is sent as received, a view that is still too long is sent
all the same, and usage that cannot be recorded is not. `on_view` sees every view, also the failed ones.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from typing import Any

from secateur import arguments
from secateur.engine import Engine
from secateur.errors import ConfigError, StillTooLong
from secateur.fail_open import FailOpen
from secateur.model import Transcript
from secateur.plan import Plan
from secateur.stores.memory import MemoryStore
from secateur.view import View

OnView = Callable[[View[Any]], None]
FindUsage = Callable[[Any], Any]
_EMPTY = Transcript((), ())
OWNER = "local"  # owns sessions that are found by their history, where the engine names no tenant


class Edge:
    """One engine, made from `settings` unless one is passed in, and the ways to call it.

    Sessions without a name are found by their history, so the engine needs a store: one in memory if none is named.
    """

    def __init__(
        self, engine: Engine | None, settings: dict[str, Any], session: str = "", on_view: OnView | None = None
    ) -> None:
        if engine is not None and settings:
            raise ConfigError(f"give an engine, or its settings ({', '.join(sorted(settings))}), not both")
        self.engine = engine or Engine(**{"store": MemoryStore(), "tenant": OWNER, "fail_open": True, **settings})
        self.session = arguments.name("session", session, "a session's name")
        self.on_view: OnView | None = arguments.check_callable("on_view", on_view)
        self._fail_open = FailOpen(self.engine.settings, 1)

    def require_sessions(self) -> None:
        """Raise ConfigError where neither a name nor a history would say whose plan a request has."""
        if not self.session and self.engine.sessions.store is None:
            raise ConfigError("this engine identifies sessions only by name: pass session=, or an engine with a store")

    def fit(self, request: Any, session: str = "", **given: Any) -> View[Any]:
        """The view of a request; the request itself if it cannot be served."""
        name, tenant = self._identify(session)
        try:
            view = self.engine.fit(request, session=name, tenant=tenant, **given)
        except Exception as error:
            view = self._recover(request, name, tenant, error)
        return self._announce(view)

    async def afit(self, request: Any, session: str = "", **given: Any) -> View[Any]:
        """`fit` for a running event loop."""
        name, tenant = self._identify(session)
        try:
            view = await self.engine.afit(request, session=name, tenant=tenant, **given)
        except Exception as error:
            view = self._recover(request, name, tenant, error)
        return self._announce(view)

    def record(self, view: View[Any] | None, answer: Any, find_usage: FindUsage | None = None) -> None:
        """Keep what the model's provider reported for a view: an answer, its usage, or a stream's events.

        `find_usage` finds it in a framework's answer. That may be of any class, so what it raises stops nothing either.
        """
        if view is None or view.receipt.status == "failed":
            return
        with suppress(Exception):
            usage = answer if find_usage is None else find_usage(answer)
            if usage:
                self.engine.record_usage(view, usage)

    async def arecord(self, view: View[Any] | None, answer: Any, find_usage: FindUsage | None = None) -> None:
        """`record` for a running event loop."""
        if view is None:
            return
        try:
            await asyncio.to_thread(self.record, view, answer, find_usage)
        except RuntimeError:  # the interpreter is shutting down and starts no thread any more
            self.record(view, answer, find_usage)

    def _identify(self, session: str) -> tuple[str | None, str | None]:
        """The session's name, and its owner where the history has to say which session it is."""
        name = session or self.session
        if name or self.engine.sessions.store is None:
            return name or None, None
        return None, self.engine.sessions.tenant or OWNER

    def _recover(self, request: Any, session: str | None, tenant: str | None, error: Exception) -> View[Any]:
        if isinstance(error, StillTooLong):
            with suppress(Exception):
                return self.engine.sent(error)
        return self._fail_open.make_view(request, session, tenant or "", arguments.resolve_now(None), error)

    def _announce(self, view: View[Any]) -> View[Any]:
        if self.on_view is not None:
            with suppress(Exception):
                self.on_view(view)
        return view


class OpenCalls:
    """The views of calls that have been sent and not ended, for frameworks that report a call's end elsewhere.

    Of a stream that its reader left, and of a call that failed for good, frameworks report no end. So little of each is
    kept: what its usage is recorded with, and which object was sent.
    """

    MOST = 1_000

    def __init__(self) -> None:
        self._calls: OrderedDict[Hashable, tuple[View[Any], int]] = OrderedDict()
        self._lock = Lock()

    def add(self, call: Hashable, view: View[Any], sent: object = None) -> None:
        """A call is sent, with this object in it; of too many, the one that was sent first goes."""
        bare = View(None, Plan(), view.receipt, _EMPTY, _EMPTY, view.session, view.tenant)
        with self._lock:
            self._calls[call] = bare, id(sent)
            self._calls.move_to_end(call)
            while len(self._calls) > self.MOST:
                self._calls.popitem(last=False)

    def has_sent(self, call: Hashable, sent: object) -> bool:
        """Whether a call that is open was sent with this very object: it is sent once more."""
        known = self._calls.get(call)
        return known is not None and known[1] == id(sent)

    def take(self, call: Hashable) -> View[Any] | None:
        """The view of a call that has ended, without its request; None if it is not open."""
        with self._lock:
            known = self._calls.pop(call, None)
        return known[0] if known else None
