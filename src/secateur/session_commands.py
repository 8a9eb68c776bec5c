"""What a caller says about the sessions that an engine keeps, between their requests: usage, undo, pins, replay, close.

Rule: each is saved before it returns, and applies from the next request on. Commands raise their errors. `close` may be
called any number of times; beside a running event loop it runs in a thread of its own.
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
    """The part of an engine that speaks of its sessions. A `tenant` named in a call stands for the engine's own."""

    settings: EngineSettings
    sessions: SessionManager
    _objects: ObjectRequests

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
            self.sessions,
            who or make_session_id(str(view), tenant, self.sessions.tenant),
            receipt,
            usage,
            resolve_now(now_ms),
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
        """The view that request number `request` (its receipt's) of a session was sent on as, byte for byte.

        From the raw history handed in, that of the request or one that continues from it; else from the store, where
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
        """Drop what is kept in memory. With a store every session goes on all the same."""
        self.sessions.memory.clear()
        self._objects.forget()
