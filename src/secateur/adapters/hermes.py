"""Hermes Agent: a context engine that prunes, compacts, and has a tool that reads back what was removed.

    def register(ctx):  # ~/.hermes/plugins/secateur/__init__.py
        ctx.register_context_engine(SecateurContextEngine())

Rule: what `compress` returns becomes Hermes' history for good. So the store holds every message as received before a
shorter history is returned; where it cannot, the history stays unchanged. Hermes asks at a share of the model's window,
and has no hook on a single request.
"""

import json
from contextlib import suppress
from typing import Any

from agent.context_engine import ContextEngine
from typing_extensions import override

from secateur import Engine, SecateurError, View, fit
from secateur.adapters.recall_tool import DESCRIPTION, SCHEMA
from secateur.edge import OnView
from secateur.mcp.scope import Scope
from secateur.mcp.tools import Tools
from secateur.plugins import Store, open_store

_TOOL = "secateur_recall"
_TENANT = "hermes"
_ENOUGH = 0.2  # of the history: where pruning frees less, a summary follows
_NAMED = "compression"  # why Hermes says that a session with another id is the same one


class SecateurContextEngine(ContextEngine):
    """Shortens Hermes' history at its threshold; `settings` are those of `secateur.Engine`.

    `store` is a store, its address, or "", the user's. `threshold` is the share of the model's window from which Hermes
    asks. `on_view` is called with each view that replaces a history.
    """

    def __init__(
        self,
        store: Store | str = "",
        *,
        policy: Any = "hermes",
        threshold: float = 0.85,
        on_view: OnView | None = None,
        **settings: Any,
    ) -> None:
        self.threshold_percent = threshold
        self.store: Store = open_store(store) if isinstance(store, str) else store
        self._settings = {"policy": policy, **settings}
        self._on_view = on_view
        self._session, self._model = "", ""
        self._engine: Engine | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "SecateurContextEngine":
        """An engine for another agent: the store is shared, the session is not."""
        return SecateurContextEngine(
            self.store, threshold=self.threshold_percent, on_view=self._on_view, **self._settings
        )

    @property
    @override
    def name(self) -> str:
        """As `context.engine` in Hermes' configuration names it."""
        return "secateur"

    @override
    def update_from_response(self, usage: dict[str, Any]) -> None:
        """Keep what Hermes shows and compares with the threshold."""
        self.last_prompt_tokens = int(usage.get("prompt_tokens") or 0)
        self.last_completion_tokens = int(usage.get("completion_tokens") or 0)
        self.last_total_tokens = int(usage.get("total_tokens") or 0)

    @override
    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Whether the prompt has reached the threshold."""
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return bool(self.threshold_tokens) and tokens >= self.threshold_tokens

    @override
    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> list[dict[str, Any]]:
        """The shorter history; the same list if there is none, or if the originals cannot be kept."""
        with suppress(Exception):  # whatever goes wrong here, Hermes continues
            focus = "\n".join(filter(None, (focus_topic, memory_context.strip())))
            view = self._shorten(messages, current_tokens or 0, focus, force)
            if view is not None:
                self.compression_count += 1
                shown: list[dict[str, Any]] = view.request["messages"]
                if self._on_view is not None:
                    with suppress(Exception):  # the shorter history is kept by now, whatever its observer does
                        self._on_view(view)
                return shown
        return messages

    @override
    def on_session_start(self, session_id: str, **given: Any) -> None:
        """Take the session's name. A session that continues under another id after a compression keeps its first."""
        if given.get("boundary_reason") != _NAMED or not self._session:
            self._session = session_id

    @override
    def update_model(self, model: str, context_length: int, *given: Any, **more: Any) -> None:
        """Take the model and its window."""
        super().update_model(model, context_length, *given, **more)
        if model != self._model or self._engine is None:
            self._model = model
            self._engine = self._make_engine()

    @override
    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """The tool that reads back what was removed."""
        return [{"name": _TOOL, "description": DESCRIPTION, "parameters": SCHEMA}]

    @override
    def handle_tool_call(self, name: str, args: dict[str, Any], **more: Any) -> str:
        """Return the tool's answer, as JSON."""
        if name != _TOOL:
            return super().handle_tool_call(name, args, **more)
        try:
            return json.dumps({"text": Tools(Scope(self.store, _TENANT)).answer("recall", args)})
        except SecateurError as error:
            return json.dumps({"error": str(error)})

    def _make_engine(self) -> Engine:
        given: dict[str, Any] = {"format": "openai_chat", "recall_handles": "on", "too_long": "send", "store_raw": True}
        given |= {"store": self.store, "tenant": _TENANT, "window": self.context_length or None, **self._settings}
        return Engine(model=self._model, **given)

    def _shorten(self, messages: list[dict[str, Any]], tokens: int, focus: str, force: bool) -> View[Any] | None:
        """The view that replaces the history; None if it stays. Raises SecateurError."""
        engine = self._engine or self._make_engine()
        body = {"model": self._model, "messages": messages} if self._model else {"messages": messages}
        fixed = max(0, tokens - fit(body, policy="observe", format="openai_chat").receipt.tokens_raw)
        view = engine.fit(body, session=self._session or None, fixed_tokens=fixed)
        freed = view.receipt.tokens_raw - view.receipt.tokens_view
        if force or freed < _ENOUGH * (view.receipt.tokens_raw - fixed):
            view = engine.compact(body, session=self._session or None, focus=focus, fixed_tokens=fixed)
        if view.receipt.tokens_view >= view.receipt.tokens_raw:
            return None
        kept = engine.replay(view.session, view.receipt.sequence or 0, tenant=_TENANT)
        return view if kept.is_exact else None
