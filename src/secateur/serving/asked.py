"""What one request is served with, and the view that comes of it: values, and how a session's work begins.

Rule: nothing here decides or keeps anything.
"""

from typing import Any

from msgspec import Struct

from secateur.fitting import NOTHING, Fitting, Wish
from secateur.fitting.ready import Ready
from secateur.keeping.readable import Handles
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.session import Session
from secateur.session.document import Document


class Settings(Struct, frozen=True):
    """What an engine was made with."""

    policy: Policy
    model: str
    window: int | None
    format: str | None
    counter: str
    repair: bool
    pin_tokens: int
    handles: Handles = "auto"
    fitting: Fitting = Fitting()
    sends: bool = False  # the caller sends a view that is too long as well: its epochs stand, and nothing is raised


class Request(Struct, frozen=True):
    """One request, and what the caller knows of it."""

    native: Any
    plan: Plan | None
    now: int  # ms since 1970
    idle_s: float | None = None
    fixed_tokens: int = 0
    wish: Wish = NOTHING
    ready: Ready | None = None  # a summary that was made beside earlier requests


class Taken(Struct, frozen=True):
    """A request as it is taken on."""

    native: Any  # mended, where that was asked for
    mended: tuple[str, ...]
    read: Document | None  # read already, to find its session


def as_taken(settings: Settings, native: Any) -> tuple[Any, tuple[str, ...]]:
    """The request as the provider takes it, and what was mended, where that was asked for."""
    if not settings.repair:
        return native, ()
    from secateur.api.repair import repaired  # only who asks for it pays for loading it

    done = repaired(native, settings.format)
    return done.native, tuple(f"{one.rule} at {one.where}: {one.what}" for one in done.mended)


def at_work(settings: Settings) -> Session:
    """A session's work, not begun."""
    policy = settings.policy
    return Session(policy.protect, (settings.counter, policy.counter), policy.stamp, policy.schedule.needs_usage)
