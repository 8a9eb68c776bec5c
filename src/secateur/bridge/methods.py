"""What plugins can ask of the bridge: each method takes the parameters of a line and returns a value.

Rule: sessions are kept under the host's own ids in the store, so that `secateur why`, `recall` and `undo` know them. A
request that cannot be served is to be sent as it is: `messages` is null, and `error` says why.
"""

import time
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from secateur.bridge.protocol import PROTOCOL, Method
from secateur.engine import Engine
from secateur.errors import ConfigError
from secateur.hosts.activity import Activity, record_activity
from secateur.view import View

_NO_MESSAGES = Raw(b"")


class HelloParameters(Struct, frozen=True):
    """Who asks."""

    host: str = ""
    protocol: int = PROTOCOL


class Hello(Struct, frozen=True, kw_only=True):
    """Who answers."""

    protocol: int = PROTOCOL
    secateur: str
    policy: str
    methods: list[str]


class FitParameters(Struct, frozen=True, kw_only=True):
    """A request that is about to be sent."""

    messages: Raw = _NO_MESSAGES  # in the host's own shape
    session: str = ""
    fixed_tokens: int = 0  # of the system prompt and the tools


class FitAnswer(Struct, frozen=True, kw_only=True):
    """What to send instead."""

    messages: Raw | None  # null: send the request as it is
    tokens_raw: int
    tokens_view: int
    edits: int  # that apply to this request
    reason: str = ""  # why new edits were made
    warnings: tuple[str, ...] = ()
    error: str = ""  # why nothing could be done


class Bridge:
    """One host's session, and what it asks. `version` is that of this package."""

    def __init__(self, engine: Engine, version: str, folder: Path | None = None) -> None:
        self._engine = engine
        self._version = version
        self._folder = folder  # of the host's installation: where it is noted that the host asks
        self._activity = Activity(at_ms=0, requests=0, edited=0)
        self.methods: dict[str, Method] = {"hello": self.answer_hello, "fit": self.fit}

    def answer_hello(self, given: Raw) -> Hello:
        """Say who answers. Raises ConfigError for a plugin of another protocol."""
        asked = msgspec.json.decode(given, type=HelloParameters)
        if asked.protocol > PROTOCOL:
            raise ConfigError(
                f"the plugin speaks protocol {asked.protocol}, this bridge {PROTOCOL}: run `secateur install` again"
            )
        return Hello(secateur=self._version, policy=self._engine.policy.name, methods=sorted(self.methods))

    def fit(self, given: Raw) -> FitAnswer:
        """The view of a request."""
        asked = msgspec.json.decode(given, type=FitParameters)
        if not asked.messages:
            raise ConfigError("`fit` needs `messages`: the request's, as the host holds them")
        raw = bytes(asked.messages)
        view = self._engine.fit(raw, session=asked.session or None, fixed_tokens=max(0, asked.fixed_tokens))
        fitted = _describe_view(view, raw)
        self._note(fitted)
        return fitted

    def close(self) -> None:
        """Keep what the host asked for."""
        if self._folder is not None and self._activity.requests:
            record_activity(self._folder, self._activity)

    def _note(self, fitted: FitAnswer) -> None:
        seen = self._activity
        self._activity = Activity(
            at_ms=time.time_ns() // 1_000_000,
            requests=seen.requests + 1,
            edited=seen.edited + (fitted.messages is not None),
            error=fitted.error or seen.error,
        )
        if seen.requests == 0 or fitted.error != seen.error:  # a process that is killed leaves this much
            self.close()


def _describe_view(view: View[Any], raw: bytes) -> FitAnswer:
    receipt = view.receipt
    return FitAnswer(
        messages=None if view.request is raw else Raw(view.request),
        tokens_raw=receipt.tokens_raw,
        tokens_view=receipt.tokens_view,
        edits=receipt.active_edits,
        reason=receipt.reason,
        warnings=receipt.warnings,
        error=receipt.error,
    )
