"""The only place at which the proxy calls the engine.

Rule: only the main conversation opens epochs; requests that are counted, retried or sent apart from it get the same
view by replaying the plan. If the engine fails, the request is sent as received if nothing was edited before; else as
the plan, or the last view, shows it; if neither is known, without reasoning that is bound to another view. A session
whose edits cannot be looked up is not edited again. Called in threads, never in the event loop.
"""

import time
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import documents
from secateur.engine import Engine
from secateur.errors import SecateurError, StoreError
from secateur.model import Transcript
from secateur.plan import Plan
from secateur.policy import Policy, load, with_target_tokens
from secateur.proxy.asked import Asked, Edited, How
from secateur.proxy.callers import read_fields, read_model
from secateur.proxy.last_views import LastViews, drop_bound_reasoning
from secateur.proxy.overflow import Overflow, choose_window
from secateur.proxy.quota import Quota
from secateur.proxy.retries import Recent, Retries, find_asked_elsewhere
from secateur.proxy.routes import Route
from secateur.proxy.settings import Recall
from secateur.sessions import SessionManager
from secateur.sessions.commands import bill_other_answer
from secateur.sessions.recall_handles import Handles, find_recall_folder
from secateur.sessions.receipt_log import make_recall_receipt
from secateur.sessions.store_access import StoreAccess
from secateur.stores.protocol import SessionId, State, Store
from secateur.usage import Usage, UsageBill
from secateur.view import View

_ENGINES = 16  # at once: one for each format, and for each model that a path names
_PLANS = 4_096  # sessions whose plan is in memory
_MEMORY_PER_BYTE = 7  # of a request that is remembered: 4 for itself, its parts and indices; the rest for last views
_CHECKS = 16  # in the time in which so many bytes come as may be remembered
_VIEWS_SHARE = 4  # one part in four of that memory is for last views
_EMPTY = Transcript((), ())


class CompactingSetup(Struct, frozen=True):
    """Settings for summaries of history: in the background, unless a request would not fit its window."""

    summarizers: tuple[str, ...] = ()  # without one, the summary is made without a model


class EditorLimits(Struct, frozen=True):
    """Limits of what an editor keeps."""

    cached_bytes: int = 256 * 1024 * 1024  # of memory for the last requests of sessions
    stored_bytes: int | None = None  # of a tenant in the store


DEFAULT_LIMITS = EditorLimits()


class KnownPlan(Struct, frozen=True):
    """The plan of a session's newest view."""

    plan: Plan
    end: int  # it knows the session's epochs before this number; another process may have opened more
    receipts: int  # of the session, that one of this view included


class Editor:
    """Edits requests under one policy, and keeps their sessions in one store."""

    def __init__(
        self,
        policy: str | Policy,
        store: Store,
        target_tokens: int | None = None,
        compacting: CompactingSetup | None = None,
        limits: EditorLimits = DEFAULT_LIMITS,
        recall: Recall = "auto",
    ) -> None:
        self.policy: Policy = with_target_tokens(load(policy), target_tokens)
        self.store = store
        self._compacting = compacting
        self._handles: Handles = "file" if recall == "files" else "auto"
        find_recall_folder(self._handles, store)  # an invalid setting is reported at the start
        self._replaying = replace(self.policy, prune=(), on_arrival=None, compaction=None, binds="never")
        self._engines: Recent[tuple[str, str], Engine] = Recent(_ENGINES)
        self._plans: Recent[SessionId, KnownPlan] = Recent(_PLANS)
        self._retries = Retries()
        self._views = LastViews(limits.cached_bytes // _VIEWS_SHARE)
        self._quota = Quota(store, limits.stored_bytes)
        self._most_read = limits.cached_bytes // _MEMORY_PER_BYTE
        self._unchecked = 0  # bytes of requests since the memory was measured

    def edit(self, asked: Asked) -> Edited:
        """Return the request to send. Never raises because of an edit."""
        who = SessionId(asked.caller.session, asked.caller.tenant)
        try:
            known = self._retries.find(who.tenant, asked.text)
            beside = asked.route.kind != "generate" or asked.caller.call != "main"
            if known is None and not beside:
                known = self._find_elsewhere(asked, who)
            if known is not None or beside or self._quota.is_spent(who.tenant):
                return self._replay(asked, known or who)
            edited = self._keep(asked, self._fit(self._find_engine(asked.route), asked, who))
            self._forget_unused(len(asked.body))
            return edited
        except Exception as error:  # whatever it is, the client's request continues
            return self.fail_open(asked, error)

    def cut(self, asked: Asked, edited: Edited, overflow: Overflow, refusal: bytes) -> Edited | None:
        """Return what to send after the provider rejected a view as too long; None if nothing more can be removed."""
        receipt, who = edited.receipt, edited.who
        if edited.how == "failed" or asked.route.kind != "generate" or asked.caller.call == "side":
            return None
        try:
            if receipt is None:
                receipt = self._find_engine(asked.route).fit(asked.body, session=who.session, tenant=who.tenant).receipt
            if overflow.window:
                self._find_engine(asked.route).record_usage(edited.view or who.session, refusal, tenant=who.tenant)
            engine = self._make_engine(asked.route, choose_window(receipt, overflow), compact=True)
            view = engine.fit(asked.body, session=who.session or None, tenant=who.tenant)
            cut = self._keep(asked, view)
        except Exception:  # whatever it is, the client gets the provider's refusal
            return None
        return cut if len(cut.body) < len(edited.body) else None

    def record(self, asked: Asked, edited: Edited, usage: Usage) -> None:
        """Record a provider's reported usage; for a request outside a conversation, only that."""
        engine, who = self._find_engine(asked.route), edited.who
        if edited.view is not None:
            engine.record_usage(edited.view, usage)
        elif edited.how == "replayed" and who.session and asked.caller.call == "main":
            engine.record_usage(who.session, usage, tenant=who.tenant)
        elif self._plans.get(who) is not None:
            model = asked.route.model or read_model(read_fields(asked.body))
            bill_other_answer(engine.sessions, who, model, usage, int(time.time() * 1000))

    def record_rounds(self, asked: Asked, edited: Edited, rounds: UsageBill) -> None:
        """Keep what it cost to serve the model's read-backs of a request, beyond the request itself."""
        model = asked.route.model or read_model(read_fields(asked.body))
        receipt = make_recall_receipt(model, rounds, int(time.time() * 1000))
        self.get_sessions(asked.route).keep_receipt(edited.who, receipt)

    def fail_open(self, asked: Asked, error: Exception) -> Edited:
        """The original, or what the session's edits make of it as far as they are known."""
        who = SessionId(asked.caller.session, asked.caller.tenant)
        why = f"{type(error).__name__}: {error}" if isinstance(error, SecateurError) else type(error).__name__
        with suppress(Exception):
            return replace(self._replay(asked, who), how="failed", error=why)
        body = self._views.extend(who, asked.route.format, asked.body)
        known = self._plans.get(who)
        if body is None and (known is None or known.plan.epochs):
            with suppress(Exception):
                body = drop_bound_reasoning(asked.body, asked.route.format, asked.route.model)
        return Edited(asked.body if body is None else body, "failed", who, error=why)

    def get_sessions(self, route: Route) -> SessionManager:
        """The sessions whose requests take this route."""
        return self._find_engine(route).sessions

    def has_session(self, asked: Asked) -> bool:
        """Whether the session that a request names is known. Raises StoreError."""
        who = SessionId(asked.caller.session, asked.caller.tenant)
        return self._plans.get(who) is not None or self.store.load(who) is not None

    def close(self) -> None:
        """Call off what is made in the background, and keep what waits for the store, which stays open."""
        for engine in self._engines.list_values():
            engine.close()

    # --- one view ------------------------------------------------------------------------------------------------

    def _keep(self, asked: Asked, view: View[Any]) -> Edited:
        """Remember the view as it is sent, for retries and for requests outside the conversation."""
        who = SessionId(view.session or asked.caller.session, asked.caller.tenant)
        if who.session:
            receipts = (view.receipt.sequence or 0) + 1
            self._plans.put(who, KnownPlan(view.plan, view.receipt.epochs[1], receipts))
            self._retries.note(who.tenant, asked.text, who)
        how: How = "unchanged" if view.request is asked.body or view.request == asked.body else "edited"
        body = bytes(view.request)
        if how == "edited":
            self._views.keep(who, asked.body, body)
        light = replace(view, request=b"", raw_transcript=_EMPTY, transcript=_EMPTY)
        return Edited(body if how == "edited" else asked.body, how, who, view.plan, light)

    def _replay(self, asked: Asked, who: SessionId) -> Edited:
        """The view under a session's plan, which stays unchanged."""
        who, plan = self._find_plan(asked, who)
        if not plan.epochs:
            return Edited(asked.body, "unchanged", who)
        engine = Engine(self._replaying, asked.route.model, format=asked.route.format, compact=False, too_long="send")
        view = engine.fit(asked.body, plan=plan)
        how: How = "unchanged" if view.request == asked.body else "replayed"
        return Edited(bytes(view.request), how, who, plan)

    def _find_elsewhere(self, asked: Asked, who: SessionId) -> SessionId | None:
        """The session of a request that another process on this store was asked with last; None if it is new.

        Raises StoreError for a session whose edits cannot be looked up.
        """
        known = self._plans.get(who)
        sessions = self.get_sessions(asked.route)
        try:
            return find_asked_elsewhere(sessions, who.tenant, asked.text, known.receipts if known else None)
        except StoreError:
            if who.session and known is None:
                raise
            return None

    def _fit(self, engine: Engine, asked: Asked, who: SessionId) -> View[Any]:
        """The engine's view. Raises StoreError for a session whose edits cannot be looked up."""
        access = engine.sessions.reach
        assert access is not None
        view = engine.fit(asked.body, session=who.session or None, tenant=who.tenant)
        found = SessionId(view.session or who.session, who.tenant)
        if (why := access.explain_away()) and self._plans.get(found) is None:
            raise StoreError(why)
        return view

    def _find_plan(self, asked: Asked, who: SessionId) -> tuple[SessionId, Plan]:
        """The session that a request belongs to, by its name or else its history, and its plan."""
        known = self._plans.get(who) if who.session else None
        sessions = self.get_sessions(asked.route)
        access = sessions.reach
        assert access is not None
        sessions.begin()
        state = self._load_state(access, who, known) if who.session else None
        if known is not None and (state is None or len(state.plan.epochs) <= known.end):
            return who, known.plan
        if state is not None:
            return who, state.plan
        read = documents.read(asked.body, asked.route.format, asked.route.model)
        place = sessions.find(who, read.transcript)
        if why := access.explain_away():
            raise StoreError(why)
        return SessionId(place.session, who.tenant), place.state.plan if place.state is not None else place.inherited

    def _load_state(self, access: StoreAccess, who: SessionId, known: KnownPlan | None) -> State | None:
        """A session as any process saved it last. Raises StoreError where nothing is known of it here."""
        try:
            return access.load(who)
        except StoreError:
            if known is None:
                raise
            return None

    # --- engines -------------------------------------------------------------------------------------------------

    def _forget_unused(self, size: int) -> None:
        """Keep the memory of all engines together near its bound, after a request of this size."""
        self._unchecked += size
        if self._unchecked < self._most_read // _CHECKS:
            return
        self._unchecked = 0
        memories = [engine.sessions.memory for engine in self._engines.list_values()]
        if sum(memory.count_bytes() for memory in memories) > self._most_read:
            for memory in memories:
                memory.shrink(self._most_read // len(memories))

    def _find_engine(self, route: Route) -> Engine:
        key = (route.format, route.model)
        engine = self._engines.get(key)
        if engine is None:
            engine = self._make_engine(route, compact=self._compacting is not None)
            self._engines.put(key, engine)
        return engine

    def _make_engine(self, route: Route, window: int | None = None, compact: bool = False) -> Engine:
        in_background = compact and window is None
        return Engine(
            self.policy,
            route.model,
            format=route.format,
            store=self.store,
            window=window,
            compact=compact,
            summarizer=[*self._compacting.summarizers] if in_background and self._compacting else None,
            background=in_background,
            too_long="send",
            recall_handles=self._handles,
        )
