"""Read, plan, apply: once per request.

How a request flows: `serving` finds its session and keeps the result; `pipeline` decides it, as a chain of values from
reading to rendering; the stages propose, a projection shows what the model reads. `docs/explanation/architecture.md`
follows one request through all of them. Here is what a caller sees of it.

Rule: the view is a pure function of history and plan. What is kept in memory only saves work: where a store keeps the
session, dropping it changes no byte. The core fails loud, and so do commands on a session; a store that fails never
stops a request, and the receipt says so.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from msgspec import structs

from secateur import arguments
from secateur.arguments import asked
from secateur.errors import StillTooLong
from secateur.fitting import CompactionSetup, CompactOptions, Hooks
from secateur.fitting.background import Background
from secateur.fitting.hooks import AfterHook, BeforeHook
from secateur.fitting.options import DEADLINE_S, resolve_summarizers
from secateur.nesting import told_if_too_deep
from secateur.object_requests import ObjectRequests
from secateur.plan import Plan
from secateur.policy import DEFAULT, Policy, load, protecting
from secateur.session_commands import SessionCommands
from secateur.sessions import SessionManager
from secateur.sessions.commands import Undone
from secateur.sessions.recall_handles import Handles, setting_of
from secateur.sessions.replay import Replayed
from secateur.sessions.unsent import keep_unsent
from secateur.sessions.waiting_receipts import settle
from secateur.stages import EngineSettings, FitRequest, new_projection
from secateur.stores.protocol import Store, Who
from secateur.view import View

__all__ = ["Engine", "Replayed", "Undone", "View", "fit"]

T = TypeVar("T")


def fit(
    request: T,
    *,
    policy: Any = DEFAULT,
    plan: Plan | None = None,
    model: str = "",
    window: int | None = None,
    format: str | None = None,
    protect: str | Iterable[str] = (),
    idle_s: float | None = None,
    now: int | None = None,
    fixed_tokens: int = 0,
    counter: str = "estimate",
    repair: bool = False,
    compact: bool = True,
) -> View[T]:
    """The request as it should be sent, with the plan to hand in next time. Pure: no key, no network, no store.

    `request` is a body or a session log as bytes or str, a body as a dict, a list of messages, or what a provider's
    client is called with: objects of its package, pydantic models and dataclasses stay what they are. `policy` is a
    preset's name, the path of a TOML file, a dict or a `Policy`; the default one edits when that pays. `protect` names
    more tools whose results stay: a glob, or several. `idle_s` is the time since the model was last called, in seconds
    (default: from the document's timestamps, else unknown: of a first request no prompt cache is counted on, with a
    `plan` it is taken to be alive); `now` the present in ms since 1970. `fixed_tokens` states system prompt and tools
    where the document lacks them. With `repair`, a request that the provider would refuse as it came is mended first,
    anew each time. What is still too long after pruning becomes a summary where the policy says so; no model is asked
    here, and with `compact` false none is made. Raises FormatError, ConfigError, EditError, StillTooLong.
    """
    engine = Engine(
        policy, model, window=window, format=format, protect=protect, counter=counter, repair=repair, compact=compact
    )
    return engine.fit(request, plan=plan, idle_s=idle_s, now=now, fixed_tokens=fixed_tokens)


class Engine(SessionCommands):
    """`fit` with settings kept, and sessions that go on from request to request.

    With a `store` (its address, or the store itself) they go on in every process, each tenant's apart; without one
    they live in memory. `sessions` bounds how many are remembered: with a store a forgotten one costs a cold read,
    nothing else; without one it has lost its plan. `keep` says what the store keeps beside plans, receipts and what
    was removed: with "raw" also each message as it came, once, so that `replay` needs nothing else. `pin_tokens`
    bounds what pins hold. `handles` says whether placeholders name handles, by which the model reads back what left:
    "auto" where the request has a tool for that (`secateur mcp`), "on" where it has another way, "off" never; only
    what the store keeps is named, and receipts have the handles anyway.

    `summarizer` writes summaries where the policy compacts: a name (`anthropic:claude-haiku-4-5`,
    `http://127.0.0.1:8080/v1#MODEL`), a function from a question to a text, a `Summarizer`, or a list of these, asked
    in order within `deadline_s` seconds; without one, or if all fail, the summary is made without a model. With
    `local_only` nothing leaves this machine. `compact` false: never, on any path. `before_compact` and `after_compact`
    are called around each compaction. With `background` a summary is made early, beside the requests, and swapped in
    when it is there; no request waits for it. `too_long` says what `fit` does with a view that exceeds its window:
    "raise" StillTooLong, or give the view for the caller to "send", with a warning in its receipt. Raises ConfigError.
    """

    def __init__(
        self,
        policy: Any = DEFAULT,
        model: str = "",
        *,
        window: int | None = None,
        format: str | None = None,
        protect: str | Iterable[str] = (),
        counter: str = "estimate",
        repair: bool = False,
        sessions: int = 64,
        store: Store | str | None = None,
        tenant: str = "",
        keep: Literal["removed", "raw"] = "removed",
        pin_tokens: int = 40_000,
        handles: Handles = "auto",
        summarizer: Any = None,
        compact: bool = True,
        deadline_s: float = DEADLINE_S,
        before_compact: BeforeHook | None = None,
        after_compact: AfterHook | None = None,
        background: bool = False,
        local_only: bool = False,
        too_long: Literal["raise", "send"] = "raise",
    ) -> None:
        self.policy: Policy = protecting(load(policy), arguments.globs("protect", protect))
        arguments.flags(repair=repair, compact=compact, background=background, local_only=local_only)
        fitting = CompactionSetup(
            summarizers=resolve_summarizers(summarizer, local_only),
            deadline_s=arguments.seconds("deadline_s", deadline_s, above_zero=True),
            enabled=compact,
            hooks=Hooks(
                arguments.function("before_compact", before_compact), arguments.function("after_compact", after_compact)
            ),
            background=Background() if background else None,
        )
        self.background = fitting.background
        self.settings = EngineSettings(
            self.policy,
            arguments.name("model", model, "the model's name"),
            None if window is None else arguments.whole("window", window, unit="tokens"),
            None
            if format is None
            else arguments.name("format", format, "a format's name, or None to have it detected"),
            arguments.counted_by(counter),
            repair,
            arguments.whole("pin_tokens", pin_tokens),
            setting_of(handles),
            fitting,
            sends=arguments.one_of("too_long", too_long, ("raise", "send")) == "send",
        )
        arguments.name("tenant", tenant, "the tenant's name")
        raw = arguments.one_of("keep", keep, ("removed", "raw")) == "raw"
        self.sessions = SessionManager(arguments.store(store), tenant, arguments.whole("sessions", sessions, 1), raw)
        self._objects = ObjectRequests(self.settings, self.sessions, sessions)
        self._opened = isinstance(store, str)  # its store is its own; one that was handed in is its maker's

    def __repr__(self) -> str:
        kept = f" of tenant {self.sessions.tenant!r}" if self.sessions.tenant else ""
        where = "in memory" if self.sessions.store is None else "in a store"
        return f"<Engine {self.policy.name}, {self.settings.model or 'any model'}, sessions{kept} {where}>"

    def close(self) -> None:
        """Call off summaries that are being made beside requests, and close the store if its address was given.

        Receipts that wait for a store that was away are kept first, if it can be reached now.

        What was kept stays kept, and a closed engine may be used again: it opens itself.
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
        now: int | None = None,
        fixed_tokens: int = 0,
    ) -> View[T]:
        """The request as it should be sent. With a `session`, its plan goes on where the last request left it.

        With a store and no name, the history says whose it is, or a new session is opened (`View.session`). What is
        pinned, observed or undone needs a name, or an owner: the engine's `tenant`, or the one named here. Whatever
        happens leaves a receipt there. A store that fails stops nothing: `View.receipt.warnings` says so.
        A view is taken to go to the model at once: without `idle_s`, `observe` or timestamps, pauses begin with it.
        """
        return self._served(self._who(session, tenant), asked(request, plan, now, idle_s, fixed_tokens))

    async def afit(
        self,
        request: T,
        *,
        session: str | None = "",
        tenant: str | None = None,
        plan: Plan | None = None,
        idle_s: float | None = None,
        now: int | None = None,
        fixed_tokens: int = 0,
    ) -> View[T]:
        """The same beside a running event loop. Cancelled, it leaves no trace."""
        from secateur.summarizers.driving import Stop

        stop = Stop()
        whole = asked(request, plan, now, idle_s, fixed_tokens, CompactOptions(stop=stop))
        try:
            return await asyncio.to_thread(lambda: self._served(self._who(session, tenant), whole))
        except asyncio.CancelledError:
            stop.now()
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
        active: bool = False,
        queued: bool = False,
        idle_s: float | None = None,
        now: int | None = None,
        fixed_tokens: int = 0,
    ) -> View[T]:
        """Prune and compact now, because somebody asks for it; `View.compaction` says what came of it.

        `focus` is what the summary should pay most attention to; `summary` the summary itself, so that no model is
        asked. Without `force` only where it is due. A host says with `active` that a run is going on, with `queued`
        that messages wait: then nothing is compacted. Where compaction is off, it stays off. Raises as `fit` does.
        """
        arguments.flags(force=force, active=active, queued=queued)
        busy = "a run is active: compact when it has ended" if active else ""
        busy = busy or ("messages are queued: compact when they have been sent" if queued else "")
        said = (arguments.text("focus", focus), arguments.text("summary", summary))
        wish = CompactOptions(force, *said, busy)
        return self._served(self._who(session, tenant), asked(request, plan, now, idle_s, fixed_tokens, wish))

    def sent(self, error: StillTooLong) -> View[Any]:
        """Say that the view of a StillTooLong was sent all the same: its epochs stand, as if `fit` had given it.

        Without this the attempt leaves nothing but its receipt. Raises ConfigError for an error of another origin.
        """
        receipt = keep_unsent(self.sessions, new_projection(self.settings), arguments.too_long(error))
        error.view = structs.replace(error.view, receipt=receipt)
        view: View[Any] = error.view
        return view

    def _served(self, who: Who, request: FitRequest) -> View[Any]:
        with told_if_too_deep():
            return self._objects.served(who, request)
