"""What callers hand to the library, checked before anything is done with it.

Rule: an argument that cannot be is a ConfigError that names it, says what it is, and what to give instead. Whatever
passes is of the type that the rest of the program expects. Nothing here reads a request.
"""

import time
from collections.abc import Iterable
from math import isfinite
from numbers import Real
from operator import index
from typing import Any, TypeVar

from secateur.errors import ConfigError, StillTooLong
from secateur.fitting import NO_OPTIONS, CompactOptions
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.stages import FitRequest
from secateur.stores.protocol import SessionId
from secateur.tokens import counter
from secateur.view import View

T = TypeVar("T")

END_OF_TIME = 253_402_300_799_999  # ms since 1970: the last of the year 9999, which every calendar can write
LONGEST_S = 3_155_760_000.0  # a hundred years
MOST = 2**53  # a larger count is no count: JSON's readers disagree about it
LONGEST_NAME = 1_000  # characters of a name or a glob
_STORES = ("load", "save", "find", "receipts", "blob", "close")  # what an object must have to be taken for a store
_SHOWN = 60  # characters of a value in an error


def asked(  # what `fit` takes, in its order
    request: Any,
    plan: Plan | None,
    now: int | None,
    idle_s: float | None,
    fixed_tokens: int,
    options: CompactOptions = NO_OPTIONS,
) -> FitRequest:
    """A request as it was handed in."""
    return FitRequest(
        request,
        None if plan is None else plan_of(plan),
        present(now),
        None if idle_s is None else seconds("idle_s", idle_s),
        whole("fixed_tokens", fixed_tokens, unit="tokens"),
        options,
    )


def present(now: int | None) -> int:
    """The time in ms since 1970 that a caller states, else the clock's."""
    return int(time.time() * 1000) if now is None else moment("now_ms", now)


def named(session: str) -> str:
    """A session's name."""
    return name("session", session, "a session's name")


def name(field: str, value: Any, what: str) -> str:
    """A text that names something: short enough to be kept with every receipt, and shown."""
    found = text(field, value, what)
    if len(found) > LONGEST_NAME:
        raise ConfigError(f"{field}={_shown(value)}: give {what} of {LONGEST_NAME:,} characters at most")
    return found


def pin_named(kind: str, pattern: str) -> tuple[str, str]:
    """What is to be pinned."""
    return name("kind", kind, "a kind of pin"), name("pattern", pattern, "what is pinned")


def viewed(view: "View[Any] | str") -> tuple[SessionId | None, Receipt | None]:
    """The session that a view is of and its receipt; neither of a session's name."""
    if isinstance(view, View):
        return SessionId(view.session, view.tenant), view.receipt
    name("view", view, "what `fit` gave, or a session's name")
    return None, None


def too_long(error: StillTooLong) -> StillTooLong:
    """An error that `fit` raised."""
    if not isinstance(error, StillTooLong):
        raise ConfigError(f"error={_shown(error)}: give the StillTooLong that fit raised")
    return error


def counted_by(name: str) -> str:
    """The name of a counter there is."""
    counter(text("counter", name, "a counter's name"))
    return name


def whole(name: str, value: Any, least: int = 0, unit: str = "") -> int:
    """A whole number from `least` up; `unit` is what it counts."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= MOST:
        raise ConfigError(f"{name}={_shown(value)}: give a whole number from {least} up{unit and f', in {unit}'}")
    return number


def seconds(name: str, value: Any, above_zero: bool = False) -> float:
    """A time in seconds, not negative; with `above_zero` not zero either."""
    number = _real(value)
    if number is None or not 0 <= number <= LONGEST_S or (above_zero and not number):
        least = "above 0" if above_zero else "from 0 up"
        raise ConfigError(f"{name}={_shown(value)}: give a number of seconds {least}, a hundred years at most")
    return number


def moment(name: str, value: Any) -> int:
    """A point in time, in milliseconds since 1970."""
    try:
        number = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= END_OF_TIME:
        raise ConfigError(
            f"{name}={_shown(value)}: give milliseconds since 1970 as a whole number, as int(time.time() * 1000) does"
        )
    return number


def text(name: str, value: Any, what: str = "a text") -> str:
    """A text that can be written down."""
    if isinstance(value, str) and "\0" not in value:
        try:
            value.encode()
        except UnicodeEncodeError:
            pass
        else:
            return value
    raise ConfigError(f"{name}={_shown(value)}: give {what} of valid Unicode, without NUL characters")


def flags(**named: Any) -> None:
    """Yes or no, each of them."""
    for name, value in named.items():
        if not isinstance(value, bool):
            raise ConfigError(f"{name}={_shown(value)}: give True or False")


def globs(field: str, value: Any) -> tuple[str, ...]:
    """Globs: one as a text, or several."""
    if isinstance(value, str):
        value = (value,)
    if value is None or isinstance(value, bytes | bytearray | dict) or not isinstance(value, Iterable):
        raise ConfigError(f"{field}={_shown(value)}: give a glob such as 'read_*', or a list of globs")
    return tuple(name(field, one, "a glob such as 'read_*', or a list of globs,") for one in value)


def plan_of(value: Any) -> Plan:
    """A plan as `View.plan` is one."""
    if not isinstance(value, Plan) or not isinstance(value.epochs, tuple):
        raise ConfigError(
            f"plan={_shown(value)}: give the `plan` of an earlier view, or None to begin; "
            "secateur.plan.decode reads one that was written as JSON"
        )
    return value


def store(value: Any) -> Any:
    """A store, its address, or None."""
    if value is None or isinstance(value, type):
        works = value is None
    elif isinstance(value, str):
        text("store", value, "the store's address")
        works = True
    else:
        works = all(callable(getattr(value, name, None)) for name in _STORES)
    if not works:
        raise ConfigError(f"store={_shown(value)}: give an address such as 'sqlite:///~/agents.db', or a Store")
    return value


def function(name: str, value: Any) -> Any:
    """Something to call, or None."""
    if value is not None and not callable(value):
        raise ConfigError(f"{name}={_shown(value)}: give a function, or None")
    return value


def one_of(name: str, value: T, choices: tuple[T, ...]) -> T:
    """One of a few values."""
    if not any(type(value) is type(one) and value == one for one in choices):
        raise ConfigError(f"{name}={_shown(value)}: give {' or '.join(map(repr, choices))}")
    return value


def _real(value: Any) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if isfinite(number) else None


def _shown(value: Any) -> str:
    """A value as an error shows it: short, on one line, whatever it is."""
    try:
        said = repr(value)
    except Exception:  # a repr of somebody else's may do anything
        said = f"<{type(value).__name__}>"
    said = "".join(one if one.isprintable() else "?" for one in said[: _SHOWN + 1])
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
