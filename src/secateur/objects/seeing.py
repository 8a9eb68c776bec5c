"""The JSON shape of a value that holds objects, and what was seen before.

Rule: an object that was seen and has not changed since is not read again: its attributes are compared with a copy of
what they were. A value that has no JSON shape is refused with its class, its place and what to give instead.
"""

import base64
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from threading import Lock
from typing import Any
from uuid import UUID

from msgspec import Struct

from secateur.errors import FormatError
from secateur.objects.kinds import Kind, kind_of, package_of
from secateur.objects.plain import MOST_LEVELS, SCALARS

_LISTS = (list, tuple, deque)


class Seen(dict[str, Any]):
    """The JSON shape of a body. Nobody else holds it, so that what is the same object reads the same."""

    packages: frozenset[str] = frozenset()  # that objects among its messages are of


class SeenList(list[Any]):
    """The same of a list of messages."""

    packages: frozenset[str] = frozenset()


class Unread(Exception):
    """A value that has no JSON shape, and the steps to it, the last one first."""

    def __init__(self, value: Any, remedy: str = "") -> None:
        super().__init__()
        self.value, self.remedy = value, remedy
        self.steps: list[Any] = []

    def told(self) -> FormatError:
        """The error as a sentence."""
        made = type(self.value)
        where = ".".join(map(str, reversed(self.steps))) or "the request"
        remedy = self.remedy or "give its JSON shape, such as its `model_dump()` or a dict"
        return FormatError(f"{where} is a {made.__module__}.{made.__qualname__}, which cannot be read: {remedy}")


class _Known(Struct):
    """An object that was seen."""

    it: Any  # held, so that nothing else gets its identity
    state: tuple[Any, ...] | None
    inside: list[Any]  # objects in its attributes
    shape: dict[str, Any]
    packages: frozenset[str]


class Eyes:
    """Sees the requests of one session, one after the other."""

    def __init__(self) -> None:
        self._before: dict[int, _Known] = {}
        self._now: dict[int, _Known] = {}
        self._inside: list[Any] = []
        self.elements: list[Any] = []  # shapes of the last request's messages
        self.packages: set[str] = set()
        self.lock = Lock()

    def begin(self) -> None:
        """A new request is looked at."""
        self._before, self._now, self._inside, self.packages = self._now, {}, [], set()

    def same(self, elements: list[Any]) -> SeenList:
        """These shapes of messages, the very ones of the last request where they are equal to them."""
        old = self.elements
        kept = SeenList(
            old[at] if at < len(old) and (one is old[at] or one == old[at]) else one for at, one in enumerate(elements)
        )
        self.elements = kept
        return kept

    def shape(self, value: Any, depth: int = 0) -> Any:
        """The JSON shape of a value. Raises Unread."""
        made = type(value)
        if made in SCALARS:
            return value
        if depth > MOST_LEVELS:
            raise Unread(value, f"it is nested more than {MOST_LEVELS} levels deep, or holds itself")
        if made is dict or isinstance(value, Mapping):
            return self._named(value, depth)
        if isinstance(value, _LISTS):
            return self._listed(value, depth)
        kind = kind_of(made)
        return self._object(value, kind, depth) if kind else _leaf(value)

    def _named(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        name: Any = ""
        try:
            for name, inner in value.items():
                found[name if type(name) is str else _name(name)] = (
                    inner if type(inner) in SCALARS else self.shape(inner, depth + 1)
                )
        except Unread as unread:
            unread.steps.append(name)
            raise
        return found

    def _listed(self, value: Any, depth: int) -> list[Any]:
        found: list[Any] = []
        try:
            for inner in value:
                found.append(inner if type(inner) in SCALARS else self.shape(inner, depth + 1))
        except Unread as unread:
            unread.steps.append(len(found))
            raise
        return found

    def _object(self, value: Any, kind: Kind, depth: int) -> dict[str, Any]:
        self._inside.append(value)
        known = self._now.get(id(value))
        if known is None:
            known = self._before.get(id(value))
            if known is None or not self._stands(known, value, kind):
                known = self._learned(value, kind, depth)
            self._now[id(value)] = known
        self.packages |= known.packages
        return known.shape

    def _stands(self, known: _Known, value: Any, kind: Kind) -> bool:
        """Whether an object is as it was seen."""
        if known.it is not value or known.state is None or kind.state(value) != known.state:
            return False
        for inner in known.inside:
            inner_kind, inner_known = kind_of(type(inner)), self._before.get(id(inner))
            if inner_kind is None or inner_known is None or not self._stands(inner_known, inner, inner_kind):
                return False
            self._now[id(inner)] = inner_known
        return True

    def _learned(self, value: Any, kind: Kind, depth: int) -> _Known:
        outer, self._inside = self._inside, []
        around, self.packages = self.packages, {package_of(type(value))}
        try:
            shape = self._named(kind.members(value), depth)
            state = kind.state(value)
            copied = None if state is None else tuple(_copied(one) for one in state)
            return _Known(value, copied, self._inside, shape, frozenset(self.packages))
        finally:
            self._inside, self.packages = outer, around


def _copied(value: Any, depth: int = 0) -> Any:
    """Containers copied, so that a change inside them is seen; objects are those that stand there."""
    made = type(value)
    if made is dict:
        return {name: inner if type(inner) in SCALARS else _copied(inner, depth + 1) for name, inner in value.items()}
    if made is list:
        return [inner if type(inner) in SCALARS else _copied(inner, depth + 1) for inner in value]
    return set(value) if made is set else value


def _name(name: Any) -> str:
    """A name as JSON writes it."""
    if isinstance(name, Enum):
        name = name.value
    if isinstance(name, str):
        return str.__str__(name)
    if name is None or isinstance(name, bool):
        return {None: "null", True: "true", False: "false"}[name]
    if isinstance(name, int | float):
        return repr(name)
    raise Unread(name, "it stands as a name: names are texts")


def _leaf(value: Any) -> Any:
    """A value that has nothing inside, as it goes over the wire."""
    if isinstance(value, Enum):
        return value.value if type(value.value) in SCALARS else _leaf(value.value)
    for classes, written in _LEAVES:
        if isinstance(value, classes):
            return written(value)
    if isinstance(value, Iterator):
        raise Unread(value, "it can be read once only: make a list of it, `list(...)`")
    if hasattr(value, "read"):
        raise Unread(value, "it is an open file: give what it holds, as base64 or as the address of an upload")
    raise Unread(value)


_LEAVES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int),
    (float, float),
    ((bytes, bytearray, memoryview), lambda value: base64.urlsafe_b64encode(value).decode()),
    ((datetime, date, time), lambda value: value.isoformat()),
    ((PurePath, UUID, Decimal), str),
)
