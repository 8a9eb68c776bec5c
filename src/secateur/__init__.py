"""secateur keeps a long-running LLM agent inside its context window.

`fit` takes a request and gives back the view to send, with the plan to hand in next time; `Engine` keeps settings and
sessions. The core is pure: no network, no key, no store.
"""

from secateur.engine import Engine, View, fit
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
from secateur.plan import Plan

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
]
__version__ = "0.1.0"
