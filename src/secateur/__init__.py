"""secateur keeps a long-running LLM agent inside its context window.

`fit` takes a request and returns the view to send, together with the plan to pass in next time; `Engine` adds settings
and sessions; `wrap` adds an engine to a provider's client. The core is pure: it needs no network, no key and no store.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from secateur.errors import (
    ConfigError,
    EditError,
    FormatError,
    SecateurError,
    StillTooLong,
    StoreError,
    SummaryError,
    UnknownFormat,
    UpstreamError,
)

if TYPE_CHECKING:
    from secateur.clients import wrap
    from secateur.engine import Engine, fit
    from secateur.plan import Plan
    from secateur.view import View

__all__ = [
    "ConfigError",
    "EditError",
    "Engine",
    "FormatError",
    "Plan",
    "SecateurError",
    "StillTooLong",
    "StoreError",
    "SummaryError",
    "UnknownFormat",
    "UpstreamError",
    "View",
    "fit",
    "wrap",
]
__version__ = "0.1.0"

_LATER = {"Engine": "engine", "View": "view", "fit": "engine", "Plan": "plan", "wrap": "clients"}


def __getattr__(name: str) -> Any:
    """Load heavy modules on first use, so that `secateur --help` answers at once."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"secateur.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*__all__, "__version__", *(name for name in globals() if name.startswith("__"))})
