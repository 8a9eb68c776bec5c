"""Commands on an engine's sessions, between their requests: usage, undo, pins, replay, close.

Rule: each is saved before it returns, and applies from the next request on. Commands raise their errors. `close` can be
called any number of times; in a running event loop it runs in a thread of its own.
"""

import asyncio
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import structs

from secateur import arguments
from secateur.arguments import make_session_id, pin_named, resolve_now
from secateur.errors import StillTooLong
from secateur.object_requests import ObjectRequests
from secateur.objects import inspect_request
from secateur.sessions import SessionManager
from secateur.sessions.commands import UndoResult, add_pin, record_session_usage, remove_pin, undo_epoch
from secateur.sessions.replay import ReplayResult, replay_request
from secateur.sessions.unsent import keep_unsent
from secateur.stages import EngineSettings, make_projection, repair_request
from secateur.stores.protocol import Pin
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
    """The methods of an engine that concern its sessions. A `tenant` in a call replaces the engine's own."""

    settings: EngineSettings
    sessions: SessionManager
    _objects: ObjectRequests

    def sent(self, error: StillTooLong) -> View[Any]:
        """Report that the view of a StillTooLong was sent anyway: its epochs apply, as if `fit` had returned it.

        Without this the attempt leaves only its receipt. Raises ConfigError for an error of another origin.
        """
        receipt = keep_unsent(self.sessions, make_projection(self.settings), arguments.check_too_long(error))
        error.view = structs.replace(error.view, receipt=receipt)
        view: View[Any] = error.view
        return view

    def record_usage(
        self, view: View[Any] | str, usage: Any, *, tenant: str | None = None, now_ms: int | None = None
    ) -> None:
        """Record the token usage of a request, from a response, its `usage` object, or a stream.

        `view` is a view that `fit` returned, or a session, whose last request is meant. It calibrates the counter for
        the session and its model, and moves the cache clock: the model was called `now`. Implausible figures are
        ignored, and the next receipt says so. For a rejected request pass the error: if it states the window, that
        applies from then on. A failing store stops nothing here.
        """
        who, receipt = arguments.get_session_and_receipt(view)
        record_session_usage(
            self.sessions,
            who or make_session_id(str(view), tenant, self.sessions.tenant),
            receipt,
            usage,
            resolve_now(now_ms),
        )

    async def arecord_usage(
        self, view: View[Any] | str, usage: Any, *, tenant: str | None = None, now_ms: int | None = None
    ) -> None:
        """`record_usage` for a running event loop, which a store could block."""
        await asyncio.to_thread(self.record_usage, view, usage, tenant=tenant, now_ms=resolve_now(now_ms))

    def undo(
        self, session: str, epoch: int | None = None, *, tenant: str | None = None, now_ms: int | None = None
    ) -> UndoResult:
        """Take an epoch back, the newest that holds by default, by a new one; undoing that brings it back.

        What it edited is left alone from then on. Raises EditError where there is none, StoreError.
        """
        number = None if epoch is None else arguments.check_integer("epoch", epoch)
        return undo_epoch(
            self.sessions, make_session_id(session, tenant, self.sessions.tenant), number, resolve_now(now_ms)
        )

    def pin(
        self, session: str, kind: str, pattern: str, *, tenant: str | None = None, now_ms: int | None = None
    ) -> tuple[Pin, ...]:
        """Keep something in the session's views as received, from the next request on; all pins of the session.

        `kind` is `message` (a key), `call` (an id), `tool` (a name, globs), `glob` (over the paths in calls'
        arguments) or `handle`. Raises ConfigError, StoreError.
        """
        return add_pin(
            self.sessions,
            make_session_id(session, tenant, self.sessions.tenant),
            *pin_named(kind, pattern),
            resolve_now(now_ms),
        )

    def unpin(
        self, session: str, kind: str, pattern: str, *, tenant: str | None = None, now_ms: int | None = None
    ) -> tuple[Pin, ...]:
        """Take a pin away: what it held may be removed again. Raises ConfigError if there is none such, StoreError."""
        return remove_pin(
            self.sessions,
            make_session_id(session, tenant, self.sessions.tenant),
            *pin_named(kind, pattern),
            resolve_now(now_ms),
        )

    def replay(self, session: str, request: int, raw: Any = None, *, tenant: str | None = None) -> ReplayResult:
        """Rebuild the view that was sent for request number `request` (its receipt's) of a session, byte for byte.

        From the given raw history, that of the request or one that continues it; else from the store, if
        `store_raw=True` was set. Raises StoreError.
        """
        past = inspect_request(raw)
        history = None if raw is None else repair_request(self.settings, past.native).native
        number = arguments.check_integer("request", request)
        done = replay_request(
            self.sessions,
            make_projection(self.settings),
            make_session_id(session, tenant, self.sessions.tenant),
            number,
            history,
        )
        return structs.replace(done, request=past.restore(done.request))

    def clear_cache(self) -> None:
        """Drop what is kept in memory. With a store every session continues anyway."""
        self.sessions.memory.clear()
        self._objects.forget()
