"""Who writes summaries, from whatever a caller names them by.

Rule: nothing is loaded where nobody is named; a name that stands for nothing fails when the engine is made, not when
the window is full.
"""

from typing import TYPE_CHECKING, Any

from secateur.errors import ConfigError
from secateur.policy.windows import window_of

if TYPE_CHECKING:
    from secateur.summarizers.protocol import Summarizer


def summarizers(named: Any, local_only: bool = False) -> "tuple[Summarizer, ...]":
    """The summarisers of a name, a function, a `Summarizer`, or a list of these, in order. Raises ConfigError."""
    if named is None or named == ():
        return ()
    from secateur.summarizers import local

    every = tuple(named) if isinstance(named, list | tuple) else (named,)
    made = tuple(_one(one) for one in every)
    if local_only:
        local(made)
    return made


def _one(named: Any) -> "Summarizer":
    from secateur.summarizers import Function, parse

    if isinstance(named, str):
        return parse(named, window_of=window_of)[0]
    if all(hasattr(named, name) for name in ("name", "host", "window_tokens", "summarize")):
        made: Summarizer = named
        return made
    if callable(named):
        return Function(getattr(named, "__name__", "function"), named)
    raise ConfigError(f"a summarizer is a name, a function or a Summarizer, not a {type(named).__name__}")
