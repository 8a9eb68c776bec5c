"""The public entry points, `fit` and `Engine`; `docs/explanation/architecture.md` traces one request from here.

A view is a pure function of history and plan; the cache only saves work. Bad input and failed commands on a session
raise an error; a failing store never stops a request, and the receipt reports it.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from secateur import arguments
from secateur.arguments import Beside
from secateur.fail_open import FailOpen
from secateur.hooks import AfterHook, BeforeHook, Hooks
from secateur.jsontext import convert_recursion_error
from secateur.object_requests import ObjectRequests
from secateur.plan import Plan
from secateur.policy import DEFAULT, Policy, load, with_protected_tools, with_target_tokens
from secateur.serving import run
from secateur.session_commands import SessionCommands
from secateur.sessions import SessionManager
from secateur.sessions.commands import UndoResult
from secateur.sessions.recall_handles import Handles
from secateur.sessions.replay import ReplayResult
from secateur.sessions.store_access import settle
from secateur.stages import EngineSettings
from secateur.stages.setup import DEADLINE_S, Background, CompactionSetup, CompactOptions, resolve_summarizers
from secateur.stores.protocol import Store
from secateur.view import View

__all__ = ["Engine", "ReplayResult", "UndoResult", "View", "fit"]

T = TypeVar("T")


def fit(
    request: T,
    *,
    policy: Any = DEFAULT,
    plan: Plan | None = None,
    model: str = "",
    window: int | None = None,
    target_tokens: int | None = None,
    format: str | None = None,
    protect: str | Iterable[str] = (),
    idle_s: float | None = None,
    now_ms: int | None = None,
    fixed_tokens: int = 0,
    counter: str = "estimate",
    repair: bool = False,
    compact: bool = True,
) -> View[T]:
    """Return the request to send, and the plan to pass in next time. Pure: no key, no network, no store.

    `request` is a body or session log as bytes or str, a body as a dict, a list of messages, or the arguments of a
    provider's client: SDK objects, pydantic models and dataclasses keep their types. `policy` is a preset's name, the
    path of a TOML file, a dict or a `Policy`. `target_tokens` keeps the view below this size as cheaply as possible; it
    is a goal below the model's `window`, and missing it is a warning. `protect` names additional tools (globs) whose
    results are kept. `idle_s` is the time since the last model call in seconds (default: from the document's
    timestamps; if unknown, a first request has no prompt cache, and with `plan` a live one is assumed); `now_ms` is the
    current time in ms since 1970. `fixed_tokens` is the size of the system prompt and tools if the document lacks them.
    `repair` first repairs a request that the provider would reject. If the view is still too long after pruning, a
    policy with compaction summarizes it without a model; `compact=False` turns that off. Raises FormatError,
    ConfigError, EditError, StillTooLong.
    """
    engine = Engine(
        policy,
        model,
        window=window,
        target_tokens=target_tokens,
        format=format,
        protect=protect,
        counter=counter,
        repair=repair,
        compact=compact,
    )
    return engine.fit(request, plan=plan, idle_s=idle_s, now_ms=now_ms, fixed_tokens=fixed_tokens)


class Engine(SessionCommands):
    """`fit` with fixed settings, and sessions that continue from request to request.

    With a `store` (its address, or the store itself) every process can continue a session, and tenants are separate;
    without one, sessions live in memory. `max_cached_sessions` bounds how many are cached: with a store, an evicted
    session is reloaded when next used; without one, its plan is lost. With `store_raw` the store also keeps each
    message in its original form, once, so that `replay` needs nothing else. `max_pinned_tokens` limits what pins
    protect. `recall_handles` decides whether placeholders contain handles with which the model can read removed content
    back: "auto" if the request has a tool for it (`secateur mcp`), "on" if there is another way, "off" never. "file"
    makes the store, a file on the agent's machine, also write removed content to files, and placeholders name these.
    Only content that the store keeps gets a handle.

    `summarizer` writes summaries if the policy compacts: a name (`anthropic:claude-haiku-4-5`,
    `http://127.0.0.1:8080/v1#MODEL`), a callable that takes a prompt and returns text, a `Summarizer`, or a list of
    these, tried in order within `deadline_s` seconds; without one, or if all fail, the summary is made without a model.
    `local_only` sends nothing to other machines. `compact=False` turns compaction off everywhere. `before_compact` and
    `after_compact` are called around each compaction. With `background` a summary is made early, in a thread, and used
    once it is ready; no request waits for it. `too_long` says what `fit` does with a view that exceeds its window:
    "raise" StillTooLong, or return it for the caller to "send", with a warning in its receipt. With `fail_open`, `fit`
    never raises: a request that cannot be served is returned unchanged, or with the edits of the session's earlier
    views, and its receipt contains the `error`. Raises ConfigError.
    """

    def __init__(
        self,
        policy: Any = DEFAULT,
        model: str = "",
        *,
        window: int | None = None,
        target_tokens: int | None = None,
        format: str | None = None,
        protect: str | Iterable[str] = (),
        counter: str = "estimate",
        repair: bool = False,
        max_cached_sessions: int = 64,
        store: Store | str | None = None,
        tenant: str = "",
        store_raw: bool = False,
        max_pinned_tokens: int = 40_000,
        recall_handles: Handles = "auto",
        summarizer: Any = None,
        compact: bool = True,
        deadline_s: float = DEADLINE_S,
        before_compact: BeforeHook | None = None,
        after_compact: AfterHook | None = None,
        background: bool = False,
        local_only: bool = False,
        too_long: Literal["raise", "send"] = "raise",
        fail_open: bool = False,
    ) -> None:
        self.policy: Policy = with_protected_tools(load(policy), arguments.check_globs("protect", protect))
        if target_tokens is not None:
            target = arguments.check_integer("target_tokens", target_tokens, 1, unit="tokens")
            self.policy = with_target_tokens(self.policy, target)
        arguments.check_flags(repair=repair, compact=compact, background=background, local_only=local_only)
        arguments.check_flags(store_raw=store_raw, fail_open=fail_open)
        before = arguments.check_callable("before_compact", before_compact)
        after = arguments.check_callable("after_compact", after_compact)
        fitting = CompactionSetup(
            summarizers=resolve_summarizers(summarizer, local_only),
            deadline_s=arguments.check_seconds("deadline_s", deadline_s, above_zero=True),
            enabled=compact,
            hooks=Hooks(before, after),
            background=Background() if background else None,
        )
        self.background = fitting.background
        arguments.name("tenant", tenant, "the tenant's name")
        cached = arguments.check_integer("max_cached_sessions", max_cached_sessions, 1)
        self.sessions = SessionManager(arguments.store(store), tenant, cached, store_raw, recall_handles)
        self.settings = EngineSettings(
            self.policy,
            arguments.name("model", model, "the model's name"),
            None if window is None else arguments.check_integer("window", window, unit="tokens"),
            None
            if format is None
            else arguments.name("format", format, "a format's name, or None to have it detected"),
            arguments.check_counter(counter),
            repair,
            arguments.check_integer("max_pinned_tokens", max_pinned_tokens),
            self.sessions.handles,
            fitting,
            recall_folder=self.sessions.recall_folder,
            sends=fail_open or arguments.check_choice("too_long", too_long, ("raise", "send")) == "send",
        )
        self._objects = ObjectRequests(self.settings, self.sessions, cached)
        self._fail_open = FailOpen(self.settings, cached) if fail_open else None
        self._opened = isinstance(store, str)  # a store given as an object is closed by its owner

    def __repr__(self) -> str:
        kept = f" of tenant {self.sessions.tenant!r}" if self.sessions.tenant else ""
        where = "in memory" if self.sessions.store is None else "in a store"
        return f"<Engine {self.policy.name}, {self.settings.model or 'any model'}, sessions{kept} {where}>"

    def close(self) -> None:
        """Cancel summaries in progress in the background, and close the store if it was given by address.

        Receipts that could not be stored before are saved first, if the store can be reached now.
        Saved data stays, and a closed engine can be used again: it reopens the store.
        """
        if self.background is not None:
            self.background.close()
        settle(self.sessions)
        if self._opened and self.sessions.store is not None:
            self.sessions.store.close()

    def fit(
        self,
        request: T,
        *,
        session: str | None = "",
        tenant: str | None = None,
        plan: Plan | None = None,
        idle_s: float | None = None,
        now_ms: int | None = None,
        fixed_tokens: int = 0,
        format: str | None = None,
        system: Any = None,
        tools: Any = None,
    ) -> View[T]:
        """Return the request to send. With a `session`, its plan continues from the last request.

        With a store and no name, the session is found by its history, or a new one is opened (`View.session`). Pins,
        recorded usage and undo need a name, or an owner: the engine's `tenant`, or the one passed here. Every request
        leaves a receipt in the store; a failing store stops nothing and is reported in `View.receipt.warnings`. A view
        is assumed to be sent at once: without `idle_s`, recorded usage or timestamps, idle time is counted from it.

        `format` overrides the engine's for this request. `system` and `tools` belong to a bare list of messages: they
        are counted, unless `fixed_tokens` gives their size.
        """
        beside = Beside(format, system, tools)
        return self._serve_request(request, session, tenant, plan, now_ms, idle_s, fixed_tokens, beside)

    async def afit(
        self,
        request: T,
        *,
        session: str | None = "",
        tenant: str | None = None,
        plan: Plan | None = None,
        idle_s: float | None = None,
        now_ms: int | None = None,
        fixed_tokens: int = 0,
        format: str | None = None,
        system: Any = None,
        tools: Any = None,
    ) -> View[T]:
        """`fit` for use in a running event loop. If cancelled, it leaves no trace."""
        from secateur.summarizers.driver import Stop

        stop = Stop()
        options = CompactOptions(stop=stop)
        beside = Beside(format, system, tools)
        given = (plan, now_ms, idle_s, fixed_tokens, beside, options)
        try:
            return await asyncio.to_thread(lambda: self._serve_request(request, session, tenant, *given))
        except asyncio.CancelledError:
            stop.cancel()
            raise

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
        given = (plan, now_ms, idle_s, fixed_tokens, arguments.NOTHING_BESIDE, wish)
        return self._serve_request(request, session, tenant, *given)

    def _serve_request(self, request: T, session: str | None, tenant: str | None, *given: Any) -> View[T]:
        """Serve a request; `given` are the other arguments of `make_fit_request`."""
        try:
            whole = arguments.make_fit_request(request, *given)
            who = arguments.make_session_id(session, tenant, self.sessions.tenant)
            with convert_recursion_error():
                is_text = isinstance(request, bytes | bytearray | memoryview | str)
                if is_text and whole.format is whole.system is whole.tools is None:
                    view = run(self.settings, self.sessions, who, whole)
                else:  # of objects, what is edited is decided on their JSON
                    view = self._objects.serve(who, whole)
        except Exception as error:
            if self._fail_open is None:
                raise
            owner = tenant or self.sessions.tenant
            return self._fail_open.make_view(request, session, owner, arguments.resolve_now(None), error)
        return view if self._fail_open is None else self._fail_open.keep(view)
