"""Parameters and results of the bridge's methods.

Rule: values only. A field's comment is its description in docs/reference/bridge.md.
"""

from typing import Any

from msgspec import Raw, Struct

from secateur.bridge.protocol import PROTOCOL

_NO_MESSAGES, _NOTHING = Raw(b""), Raw(b"null")


class HelloParameters(Struct, frozen=True):
    """Who calls."""

    host: str = ""
    protocol: int = PROTOCOL
    answers: bool = False  # the host's model can be asked for summaries


class Hello(Struct, frozen=True, kw_only=True):
    """The bridge's identity."""

    protocol: int = PROTOCOL
    secateur: str  # its version
    policy: str
    methods: list[str]


class FitParameters(Struct, frozen=True, kw_only=True):
    """A request that is about to be sent."""

    messages: Raw = _NO_MESSAGES  # in the host's own shape
    session: str = ""
    model: str = ""  # "": that of the messages
    window: int = 0  # of the model, in tokens; 0: the model's
    fixed_tokens: int = 0  # of the system prompt and the tools
    layout: Raw = _NOTHING  # Pi: the details of the newest compaction; null: there is none


class FitAnswer(Struct, frozen=True, kw_only=True):
    """What to send instead."""

    messages: Raw | None  # null: send the request as it is
    tokens_raw: int
    tokens_view: int
    edits: int  # that apply to this request
    reason: str = ""  # why new edits were made
    warnings: tuple[str, ...] = ()
    error: str = ""  # why nothing could be done


class UsageParameters(Struct, frozen=True):
    """The usage that the provider reported for the last request of a session."""

    session: str
    usage: Any


class EventParameters(Struct, frozen=True):
    """An event of the host, as `secateur hook` takes it."""

    event: dict[str, Any]


class EventAnswer(Struct, frozen=True):
    """The answer in the host's own shape, and what became of it: override, host, or cancelled and why."""

    answer: dict[str, Any]
    status: str


class ShortenParameters(Struct, frozen=True, kw_only=True):
    """A tool's new result, before the host stores it."""

    session: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    text: str
    is_error: bool = False
    model: str = ""  # that will read it


class ShortenAnswer(Struct, frozen=True):
    """What to store instead; null: store the result unchanged."""

    text: str | None


class ToolParameters(Struct, frozen=True, kw_only=True):
    """A call of a tool of `secateur mcp`."""

    session: str = ""
    arguments: dict[str, Any] = {}


class TextAnswer(Struct, frozen=True):
    """A text for the model or a person."""

    text: str


class UndoParameters(Struct, frozen=True):
    """Which epoch to undo; null: the newest active one."""

    session: str
    epoch: int | None = None


class UndoAnswer(Struct, frozen=True):
    """The result of an undo."""

    epoch: int
    tokens: int  # by which the view grows
