"""How an engine compacts, and what the caller of one request wants of it: values only.

Rule: `enabled` false is checked before anything else, on every path; a caller's options never overrule it.
"""

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from secateur.errors import ConfigError
from secateur.fitting.background import Background
from secateur.hooks import NO_HOOKS, Hooks
from secateur.policy.windows import get_window

if TYPE_CHECKING:  # without a summarizer none is loaded
    from secateur.summarizers.driving import Stop
    from secateur.summarizers.protocol import Summarizer

DEADLINE_S = 120.0


class CompactionSetup(Struct, frozen=True):
    """How an engine compacts."""

    summarizers: "tuple[Summarizer, ...]" = ()  # asked in this order; none: the summary is made without a model
    deadline_s: float = DEADLINE_S  # for all of them together
    enabled: bool = True  # False: never, whatever the policy says and whoever asks
    hooks: Hooks = NO_HOOKS
    background: Background | None = None  # makes summaries early, beside the requests; None: requests wait for them
    is_written: bool = True  # views go into their documents; False: they are only looked at, as in a replay


class CompactOptions(Struct, frozen=True):
    """What the caller of one request wants."""

    forced: bool = False  # compact now, whatever the threshold says
    focus: str = ""  # what the summary should pay most attention to
    summary: str = ""  # a summary that the caller wrote; no model is asked
    busy_reason: str = ""  # why the host cannot compact now: a run is active, messages are queued
    stop: "Stop | None" = None  # cancels the summary


NO_OPTIONS = CompactOptions()


def resolve_summarizers(named: Any, local_only: bool = False) -> "tuple[Summarizer, ...]":
    """The summarizers of a name, a function, a `Summarizer`, or a list of these, in order.

    A name that does not resolve fails here, when the engine is made. Raises ConfigError.
    """
    if named is None or named == ():
        return ()
    from secateur.summarizers import require_local

    every = tuple(named) if isinstance(named, list | tuple) else (named,)
    made = tuple(_resolve(value) for value in every)
    if local_only:
        require_local(made)
    return made


def _resolve(named: Any) -> "Summarizer":
    from secateur.summarizers import Function, parse

    if isinstance(named, str):
        return parse(named, window_of=get_window)[0]
    if all(hasattr(named, name) for name in ("name", "host", "window_tokens", "summarize")):
        made: Summarizer = named
        return made
    if callable(named):
        return Function(getattr(named, "__name__", "function"), named)
    raise ConfigError(f"a summarizer is a name, a function or a Summarizer, not a {type(named).__name__}")
