"""What a caller says about the sessions that an engine keeps, between their requests: usage, undo, pins, replay, close.

Rule: each is saved before it returns, and applies from the next request on. Commands raise their errors. `close` may be
called any number of times; beside a running event loop it runs in a thread of its own.
"""

import asyncio
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import structs

from secateur import arguments
from secateur.arguments import check_session, make_fit_request, pin_named, resolve_now
from secateur.errors import StillTooLong
from secateur.fail_open import FailOpen
from secateur.jsontext import convert_recursion_error
from secateur.object_requests import ObjectRequests
from secateur.objects import inspect_request
from secateur.plan import Plan
from secateur.sessions import SessionManager
from secateur.sessions.commands import UndoResult, add_pin, record_session_usage, remove_pin, undo_epoch
from secateur.sessions.replay import ReplayResult, replay_request
from secateur.sessions.unsent import keep_unsent
from secateur.stages import EngineSettings, make_projection, repair_request
from secateur.stages.setup import CompactOptions
from secateur.stores.protocol import Pin, SessionId
from secateur.view import View

T = TypeVar("T")


class Closing:
    """Something with a `close` to be called when it is not needed any more."""

    def close(self) -> None:
        """Give back what is held open."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)


class SessionCommands(Closing):
    """The part of an engine that speaks of its sessions. A `tenant` named in a call stands for the engine's own."""

    settings: EngineSettings
    sessions: SessionManager
    _objects: ObjectRequests
    _fail_open: FailOpen | None

    def compact(
        self,
        request: T,
        *,
        session: str | None = "",
        tenant: str | None = None,
        plan: Plan | None = None,
        focus: str = "",
        summary: str = "",
        force: bool = True,
        run_active: bool = False,
        messages_queued: bool = False,
        idle_s: float | None = None,
        now_ms: int | None = None,
        fixed_tokens: int = 0,
    ) -> View[T]:
        """Prune and compact now; `View.compaction` reports the result.

        `focus` is what the summary should emphasize; `summary` is the summary itself, so that no model is called.
        `force=False` compacts only if it is due. With `run_active` or `messages_queued` nothing is compacted, nor if
        the policy turns compaction off. Raises as `fit` does.
        """
        arguments.check_flags(force=force, run_active=run_active, messages_queued=messages_queued)
        busy = "a run is active: compact when it has ended" if run_active else ""
        busy = busy or ("messages are queued: compact when they have been sent" if messages_queued else "")
        said = (arguments.check_text("focus", focus), arguments.check_text("summary", summary))
        wish = CompactOptions(force, *said, busy)
        beside = arguments.NOTHING_BESIDE
        return self._serve_request(request, session, tenant, plan, now_ms, idle_s, fixed_tokens, beside, wish)

    def sent(self, error: StillTooLong) -> View[Any]:
        """Say that the view of a StillTooLong was sent all the same: its epochs stand, as if `fit` had given it.

        Without this the attempt leaves nothing but its receipt. Raises ConfigError for an error of another origin.
        """
        receipt = keep_unsent(self.sessions, make_projection(self.settings), arguments.check_too_long(error))
        error.view = structs.replace(error.view, receipt=receipt)
        view: View[Any] = error.view
        return view

    def record_usage(
        self, view: View[Any] | str, usage: Any, *, tenant: str | None = None, now_ms: int | None = None
    ) -> None:
        """Tell what a provider said that a request cost: a response, its usage, or a stream, of any shape we know.

        `view` is what `fit` gave, or a session, whose last request is meant. It calibrates the counter for the session
        and its model, and moves the cache clock: the model was called `now`. Figures that cannot be of that request are
        left out, and the next receipt says so. Of a refused request hand in the error: where it names the window, that
        holds from then on. A store that fails stops nothing here.
        """
        who, receipt = arguments.get_session_and_receipt(view)
        record_session_usage(
            self.sessions, who or self._resolve_session(str(view), tenant), receipt, usage, resolve_now(now_ms)
        )

    async def arecord_usage(
        self, view: View[Any] | str, usage: Any, *, tenant: str | None = None, now_ms: int | None = None
    ) -> None:
        """The same beside a running event loop, which a store may keep waiting."""
        await asyncio.to_thread(self.record_usage, view, usage, tenant=tenant, now_ms=resolve_now(now_ms))

    def undo(
        self, session: str, epoch: int | None = None, *, tenant: str | None = None, now_ms: int | None = None
    ) -> UndoResult:
        """Take an epoch back, the newest that holds by default, by a new one; undoing that brings it back.

        What it edited is left alone from then on. Raises EditError where there is none, StoreError.
        """
        number = None if epoch is None else arguments.check_integer("epoch", epoch)
        return undo_epoch(self.sessions, self._resolve_session(session, tenant), number, resolve_now(now_ms))

    def pin(
        self, session: str, kind: str, pattern: str, *, tenant: str | None = None, now_ms: int | None = None
    ) -> tuple[Pin, ...]:
        """Keep something in the session's views as received, from the next request on; all pins of the session.

        `kind` is `message` (a key), `call` (an id), `tool` (a name, globs), `glob` (over the paths in calls'
        arguments) or `handle`. Raises ConfigError, StoreError.
        """
        return add_pin(
            self.sessions, self._resolve_session(session, tenant), *pin_named(kind, pattern), resolve_now(now_ms)
        )

    def unpin(
        self, session: str, kind: str, pattern: str, *, tenant: str | None = None, now_ms: int | None = None
    ) -> tuple[Pin, ...]:
        """Take a pin away: what it held may be removed again. Raises ConfigError if there is none such, StoreError."""
        return remove_pin(
            self.sessions, self._resolve_session(session, tenant), *pin_named(kind, pattern), resolve_now(now_ms)
        )

    def replay(self, session: str, request: int, raw: Any = None, *, tenant: str | None = None) -> ReplayResult:
        """The view that request number `request` (its receipt's) of a session was sent on as, byte for byte.

        From the raw history handed in, that of the request or one that continues from it; else from the store, where
        `store_raw=True` was set. Raises StoreError.
        """
        past = inspect_request(raw)
        history = None if raw is None else repair_request(self.settings, past.native).native
        number = arguments.check_integer("request", request)
        done = replay_request(
            self.sessions, make_projection(self.settings), self._resolve_session(session, tenant), number, history
        )
        return structs.replace(done, request=past.restore(done.request))

    def clear_cache(self) -> None:
        """Drop what is kept in memory. With a store every session goes on all the same."""
        self.sessions.memory.clear()
        self._objects.forget()

    def _serve_request(self, request: T, session: str | None, tenant: str | None, *given: Any) -> View[T]:
        """Serve a request; `given` are the other arguments of `make_fit_request`."""
        try:
            whole = make_fit_request(request, *given)
            with convert_recursion_error():
                view = self._objects.serve(self._resolve_session(session, tenant), whole)
        except Exception as error:
            if self._fail_open is None:
                raise
            return self._fail_open.make_view(request, session, tenant or self.sessions.tenant, resolve_now(None), error)
        return view if self._fail_open is None else self._fail_open.keep(view)

    def _resolve_session(self, session: str | None, tenant: str | None) -> SessionId:
        """Resolve a session's name and its tenant."""
        name = "" if session is None else check_session(session)
        return self.sessions.identify_session(
            name, None if tenant is None else arguments.name("tenant", tenant, "the tenant's name")
        )
