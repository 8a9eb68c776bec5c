"""Arguments of the library, checked before anything is done with them.

Rule: an invalid argument is a ConfigError that names it, shows its value and says what to pass instead. A valid one has
the type that the rest of the program expects. Nothing here reads a request.
"""

import time
from collections.abc import Iterable
from math import isfinite
from numbers import Real
from operator import index
from typing import Any, NamedTuple, TypeVar

from secateur.errors import ConfigError, StillTooLong
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.stages import FitRequest
from secateur.stages.setup import NO_OPTIONS, CompactOptions
from secateur.stores.protocol import SessionId
from secateur.tokens import get_counter
from secateur.view import View

T = TypeVar("T")


class Beside(NamedTuple):
    """What a caller can state about a plain list of messages: its format, and the system prompt and tools that belong
    to it.
    """

    format: str | None = None
    system: Any = None
    tools: Any = None


NOTHING_BESIDE = Beside()

END_OF_TIME = 253_402_300_799_999  # ms since 1970: the last of the year 9999, which every calendar can write
LONGEST_S = 3_155_760_000.0  # a hundred years
MOST = 2**53  # larger counts are invalid: JSON readers disagree about them
LONGEST_NAME = 1_000  # characters of a name or a glob
_STORES = (
    "load",
    "save",
    "find",
    "list_receipts",
    "get_blob",
    "close",
)  # what an object must have to be taken for a store
_SHOWN = 60  # characters of a value in an error


def make_fit_request(  # what `fit` takes, in its order
    request: Any,
    plan: Plan | None,
    now: int | None,
    idle_s: float | None,
    fixed_tokens: int,
    beside: Beside = NOTHING_BESIDE,
    options: CompactOptions = NO_OPTIONS,
) -> FitRequest:
    """Build a fit request from the caller's arguments."""
    return FitRequest(
        request,
        None if plan is None else plan_of(plan),
        resolve_now(now),
        None if idle_s is None else check_seconds("idle_s", idle_s),
        check_integer("fixed_tokens", fixed_tokens, unit="tokens"),
        options,
        None
        if beside.format is None
        else name("format", beside.format, "a format's name, or None to have it detected"),
        beside.system,
        beside.tools,
    )


def resolve_now(now: int | None) -> int:
    """Return the caller's time in ms since 1970, or else the clock's."""
    return int(time.time() * 1000) if now is None else check_timestamp("now_ms", now)


def make_session_id(session: str | None, tenant: str | None, default: str) -> SessionId:
    """Build the id of a session, named or not, of this tenant or the `default` one."""
    return SessionId(
        name("session", "" if session is None else session, "a session's name"),
        default if tenant is None else name("tenant", tenant, "the tenant's name"),
    )


def name(field: str, value: Any, what: str) -> str:
    """A text that names something: short enough to be kept with every receipt, and shown."""
    found = check_text(field, value, what)
    if len(found) > LONGEST_NAME:
        raise ConfigError(f"{field}={_format_value(value)}: give {what} of {LONGEST_NAME:,} characters at most")
    return found


def pin_named(kind: str, pattern: str) -> tuple[str, str]:
    """Check which part or session a pin names."""
    return name("kind", kind, "a kind of pin"), name("pattern", pattern, "what is pinned")


def get_session_and_receipt(view: "View[Any] | str") -> tuple[SessionId | None, Receipt | None]:
    """Return the session and receipt of a view; neither for a session name."""
    if isinstance(view, View):
        return SessionId(view.session, view.tenant), view.receipt
    name("view", view, "a view that `fit` returned, or a session's name")
    return None, None


def check_too_long(error: StillTooLong) -> StillTooLong:
    """Check that an error was raised by `fit`."""
    if not isinstance(error, StillTooLong):
        raise ConfigError(f"error={_format_value(error)}: pass the StillTooLong that fit raised")
    return error


def check_counter(name: str) -> str:
    """Check that a counter of this name exists."""
    get_counter(check_text("counter", name, "a counter's name"))
    return name


def check_integer(name: str, value: Any, least: int = 0, unit: str = "") -> int:
    """Check for an integer of at least `least`; `unit` is what it counts."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= MOST:
        raise ConfigError(
            f"{name}={_format_value(value)}: give a whole number from {least} up{unit and f', in {unit}'}"
        )
    return number


def check_seconds(name: str, value: Any, above_zero: bool = False) -> float:
    """Check for a non-negative time in seconds; with `above_zero`, a positive one."""
    number = _read_real(value)
    if number is None or not 0 <= number <= LONGEST_S or (above_zero and not number):
        least = "above 0" if above_zero else "from 0 up"
        raise ConfigError(f"{name}={_format_value(value)}: give a number of seconds {least}, a hundred years at most")
    return number


def check_timestamp(name: str, value: Any) -> int:
    """Check for a point in time in milliseconds since 1970."""
    try:
        number = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= END_OF_TIME:
        raise ConfigError(
            f"{name}={_format_value(value)}: give milliseconds since 1970 as a whole number, as"
            " int(time.time() * 1000) does"
        )
    return number


def check_text(name: str, value: Any, what: str = "a text") -> str:
    """Check for a text that can be encoded."""
    if isinstance(value, str) and "\0" not in value:
        try:
            value.encode()
        except UnicodeEncodeError:
            pass
        else:
            return value
    raise ConfigError(f"{name}={_format_value(value)}: give {what} of valid Unicode, without NUL characters")


def check_flags(**named: Any) -> None:
    """Check that each argument is True or False."""
    for name, value in named.items():
        if not isinstance(value, bool):
            raise ConfigError(f"{name}={_format_value(value)}: give True or False")


def check_globs(field: str, value: Any) -> tuple[str, ...]:
    """Check for globs: one as a text, or several."""
    if isinstance(value, str):
        value = (value,)
    if value is None or isinstance(value, bytes | bytearray | dict) or not isinstance(value, Iterable):
        raise ConfigError(f"{field}={_format_value(value)}: give a glob such as 'read_*', or a list of globs")
    return tuple(name(field, one, "a glob such as 'read_*', or a list of globs,") for one in value)


def plan_of(value: Any) -> Plan:
    """A plan as `View.plan` is one."""
    if not isinstance(value, Plan) or not isinstance(value.epochs, tuple):
        raise ConfigError(
            f"plan={_format_value(value)}: give the `plan` of an earlier view, or None to begin; "
            "secateur.plan.decode reads one that was written as JSON"
        )
    return value


def store(value: Any) -> Any:
    """A store, its address, or None."""
    if value is None or isinstance(value, type):
        works = value is None
    elif isinstance(value, str):
        check_text("store", value, "the store's address")
        works = True
    else:
        works = all(callable(getattr(value, name, None)) for name in _STORES)
    if not works:
        raise ConfigError(f"store={_format_value(value)}: give an address such as 'sqlite:///~/agents.db', or a Store")
    return value


def check_callable(name: str, value: Any) -> Any:
    """Check for a callable or None."""
    if value is not None and not callable(value):
        raise ConfigError(f"{name}={_format_value(value)}: give a function, or None")
    return value


def check_choice(name: str, value: T, choices: tuple[T, ...]) -> T:
    """Check for one of a few values."""
    if not any(type(value) is type(one) and value == one for one in choices):
        raise ConfigError(f"{name}={_format_value(value)}: give {' or '.join(map(repr, choices))}")
    return value


def _read_real(value: Any) -> float | None:
    """Return a finite number, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if isfinite(number) else None


def _format_value(value: Any) -> str:
    """Format a value for an error message: short and on one line, whatever it is."""
    try:
        said = repr(value)
    except Exception:  # a repr of someone else's may do anything
        said = f"<{type(value).__name__}>"
    said = "".join(one if one.isprintable() else "?" for one in said[: _SHOWN + 1])
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
