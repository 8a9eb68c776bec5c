"""The methods of the bridge: each takes the parameters of a line and returns a value.

Rule: sessions are stored under the host's own ids, so that `secateur why`, `recall` and `undo` know them. If a request
cannot be processed, the plugin sends it unchanged: `messages` is null, and `error` says why. In a host that compacts by
itself, views are only pruned; its compaction is answered on request.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Raw, Struct, structs

from secateur.answers.savings import read_savings
from secateur.arrival import ArrivedResult, ResultShortener
from secateur.bridge.parameters import (
    EventAnswer,
    EventParameters,
    FitAnswer,
    FitParameters,
    Hello,
    HelloParameters,
    ShortenAnswer,
    ShortenParameters,
    TextAnswer,
    ToolParameters,
    UndoAnswer,
    UndoParameters,
    UsageParameters,
)
from secateur.bridge.protocol import PROTOCOL, Channel, Method, read_parameters
from secateur.bridge.summaries import HostModel, write_prompt
from secateur.engine import Engine
from secateur.errors import ConfigError
from secateur.hosts import pi
from secateur.hosts.activity import Activity, record_activity
from secateur.mcp.scope import Scope
from secateur.mcp.tools import Tools
from secateur.policy import Policy
from secateur.sessions.recall_handles import Handles
from secateur.stores.protocol import Store
from secateur.view import View

_ENGINES = 4  # at once: one for each model and window, as a host may ask for several by turns


class BridgeSettings(Struct, frozen=True, kw_only=True):
    """The settings of one bridge. `make_engine` gets a model and a window (0: the model's)."""

    version: str
    policy: Policy
    store: Store
    make_engine: Callable[[str, int], Engine]
    summarizers: tuple[str, ...] = ()
    deadline_s: float = 120.0
    folder: Path | None = None  # of the host's installation: where it is noted that the host asks
    handles: Handles = "on"  # how the model reads back what was removed


class Bridge:
    """The methods that one process of a host calls."""

    def __init__(self, settings: BridgeSettings, channel: Channel | None = None) -> None:
        self._settings = settings
        self._channel = channel
        self._summarizer: Any = settings.summarizers or None
        self._engines: dict[tuple[str, int], Engine] = {}  # the one used last at the end
        self._engine = self._find_engine("", 0)
        self._shortener: ResultShortener | None = None  # made for the first result
        self._activity = Activity(at_ms=0, requests=0, edited=0)
        self.methods: dict[str, Method] = {
            "hello": self.answer_hello,
            "fit": self.fit,
            "usage": self.record_usage,
            "event": self.handle_event,
            "shorten": self.shorten_result,
            "prompt": self.write_prompt,
            "undo": self.undo,
            "status": self.describe_status,
            "recall": lambda given: self._call_tool("recall", given),
            "search": lambda given: self._call_tool("search", given),
            "removed": lambda given: self._call_tool("removed", given),
        }

    def answer_hello(self, given: Raw) -> Hello:
        """Say who answers. Raises ConfigError for a plugin of a newer protocol."""
        asked = read_parameters(given, HelloParameters)
        if asked.protocol > PROTOCOL:
            raise ConfigError(
                f"the plugin uses protocol {asked.protocol}, this bridge {PROTOCOL}: run `secateur install` again"
            )
        if asked.answers and self._channel is not None and not self._settings.summarizers:
            self._summarizer = HostModel(self._channel)
        return Hello(secateur=self._settings.version, policy=self._settings.policy.name, methods=sorted(self.methods))

    def fit(self, given: Raw) -> FitAnswer:
        """The view of a request."""
        asked = read_parameters(given, FitParameters)
        if not asked.messages:
            raise ConfigError("`fit` needs `messages`: the request's, as the host holds them")
        came = bytes(asked.messages)
        raw = pi.arrange_messages(came, bytes(asked.layout))
        view = self._choose_engine(asked).fit(
            raw, session=asked.session or None, fixed_tokens=max(0, asked.fixed_tokens)
        )
        answer = _describe_view(view, came)
        self._note(answer)
        return answer

    def record_usage(self, given: Raw) -> None:
        """Keep what the provider reported."""
        asked = read_parameters(given, UsageParameters)
        self._engine.record_usage(_require_session(asked.session), asked.usage)

    def handle_event(self, given: Raw) -> EventAnswer:
        """Answer an event of Pi."""
        asked = read_parameters(given, EventParameters)
        reply = pi.handle_event(asked.event, self._settings.policy, self._summarizer, self._settings.deadline_s)
        return EventAnswer(reply.native, reply.status)

    def shorten_result(self, given: Raw) -> ShortenAnswer:
        """A shorter form of a new result, for a host that stores it. The original is in the store by then."""
        asked = read_parameters(given, ShortenParameters)
        if self._shortener is None:
            settings = self._settings
            self._shortener = ResultShortener(settings.store, settings.policy, recall_handles=settings.handles)
        session = f"{_require_session(asked.session)}/{asked.call_id}"
        rest = structs.asdict(asked) | {"session": session}
        del rest["call_id"]
        return ShortenAnswer(self._shortener.shorten(ArrivedResult(**rest)))

    def write_prompt(self, given: Raw) -> TextAnswer:
        """Return a prompt for a model that has the conversation itself, so that it writes a summary."""
        asked = read_parameters(given, FitParameters)
        if not asked.messages:
            raise ConfigError("`prompt` needs `messages`: those to summarize, as the host holds them")
        return TextAnswer(write_prompt(bytes(asked.messages), self._settings.policy, self._engine.settings.format))

    def undo(self, given: Raw) -> UndoAnswer:
        """Undo an epoch."""
        asked = read_parameters(given, UndoParameters)
        done = self._engine.undo(_require_session(asked.session), asked.epoch)
        return UndoAnswer(done.epoch, done.tokens)

    def describe_status(self, given: Raw) -> TextAnswer:
        """Describe a session for a person."""
        asked = read_parameters(given, ToolParameters)
        name = _require_session(asked.session)
        scope = Scope(self._settings.store, session=name)
        text = Tools(scope).status()
        saved = read_savings(self._settings.store, scope.get_session())
        share = (saved.tokens_raw - saved.tokens_sent) / saved.tokens_raw if saved.tokens_raw else 0.0
        pruned = f"pruned: {share:.0%} of {saved.tokens_raw:,} tokens in {saved.requests:,} requests"
        net = f"{'−' if saved.dollars < 0 else ''}${abs(saved.dollars):,.2f} saved, net of what edits cost the cache"
        return TextAnswer(f"{text}\n{pruned}; {net}")

    def close(self) -> None:
        """Keep what the host asked for."""
        self._record()
        for each in (*self._engines.values(), self._shortener):
            if each is not None:
                each.close()

    def _choose_engine(self, asked: FitParameters) -> Engine:
        """The engine for a model and its window. A plugin that knows neither keeps the one there is."""
        window = max(0, asked.window)
        if asked.model or window:
            self._engine = self._find_engine(asked.model, window)
        return self._engine

    def _find_engine(self, model: str, window: int) -> Engine:
        """The engine that was made for these, with its sessions in memory, or a new one."""
        engine = self._engines.pop((model, window), None) or self._settings.make_engine(model, window)
        self._engines[model, window] = engine
        if len(self._engines) > _ENGINES:
            self._engines.pop(next(iter(self._engines))).close()
        return engine

    def _call_tool(self, name: str, given: Raw) -> TextAnswer:
        asked = read_parameters(given, ToolParameters)
        call = getattr(Tools(Scope(self._settings.store, session=asked.session)), name)
        hints = [(each, hint, None) for each, hint in get_type_hints(call).items() if each != "return"]
        msgspec.convert(asked.arguments, msgspec.defstruct(name, hints))
        try:
            return TextAnswer(call(**asked.arguments))
        except TypeError as error:
            raise ConfigError(f"`{name}` does not take these arguments ({error}): see docs/reference/mcp.md") from error

    def _note(self, answer: FitAnswer) -> None:
        before = self._activity
        self._activity = Activity(
            at_ms=time.time_ns() // 1_000_000,
            requests=before.requests + 1,
            edited=before.edited + (answer.messages is not None),
            error=answer.error,
        )
        if before.requests == 0 or answer.error != before.error:  # a process that is killed leaves this much
            self._record()

    def _record(self) -> None:
        if self._settings.folder is not None and self._activity.requests:
            record_activity(self._settings.folder, self._activity)


def _describe_view(view: View[Any], came: bytes) -> FitAnswer:
    receipt = view.receipt
    return FitAnswer(
        messages=None if view.request == came else Raw(view.request),
        tokens_raw=receipt.tokens_raw,
        tokens_view=receipt.tokens_view,
        edits=receipt.active_edits,
        reason=receipt.reason,
        warnings=receipt.warnings,
        error=receipt.error,
    )


def _require_session(session: str) -> str:
    if not session:
        raise ConfigError("`session` is empty: give the host's id of the session")
    return session
