"""The JSON shape of a value that holds objects, and what was seen before.

Rule: an object that was seen and has not changed since is not read again: its attributes are compared with a copy of
what they were. A value that has no JSON shape is refused with its class, its place and what to give instead.
"""

import base64
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
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


class _Kept(Struct):
    """A message that was seen, with all that could change in it and copies of what that was."""

    it: Any  # held, so that nothing else gets its identity
    live: list[Any]
    copies: list[Any]
    shape: Any
    packages: frozenset[str]


class Eyes:
    """Sees the requests of one session, one after the other."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.packages: set[str] = set()  # that objects among the messages are of
        self._kept: dict[int, _Kept] = {}
        self._seen: list[Any] = []  # shapes of the last request's messages
        self._live: list[Any] = []
        self._copies: list[Any] = []

    def elements(self, values: Iterable[Any]) -> list[Any]:
        """The JSON shapes of a request's messages. Raises Unread."""
        before, self._kept, self.packages = self._kept, {}, set()
        shapes: list[Any] = []
        for value in values:
            kept = before.get(id(value))
            if kept is None or not _stands(kept, value):
                kept = self._learned(value, len(shapes))
            if kept.packages:
                self.packages |= kept.packages
            self._kept[id(value)] = kept
            shapes.append(kept.shape)
        return shapes

    def same(self, shapes: list[Any]) -> SeenList:
        """These shapes of messages, the very ones of the last request where they are equal to them."""
        old = self._seen
        most = len(old)
        kept = SeenList(
            old[at] if at < most and (one is old[at] or one == old[at]) else one for at, one in enumerate(shapes)
        )
        self._seen = kept
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

    def _learned(self, value: Any, number: int) -> _Kept:
        self._live, self._copies, around, self.packages = [], [], self.packages, set()
        try:
            shape = self.shape(value)
            self._watch(value)
            return _Kept(value, self._live, self._copies, shape, frozenset(self.packages))
        except Unread as unread:
            unread.steps.append(number)
            raise
        finally:
            self.packages = around

    def _watch(self, value: Any) -> None:
        """Notice from now on if a container changes, or what stands in the containers in it."""
        self._live.append(value)
        self._copies.append(_copied(value))

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
        self.packages.add(package_of(type(value)))
        for container in kind.state(value) or (_UNTOLD,):
            if container is not None:
                self._watch(container)
        return self._named(kind.members(value), depth)


_NEVER = object()  # the copy of a container that may change without telling: equal to nothing that stands there
_UNTOLD = deque[Any]()  # stands for what an object holds that does not tell it
_FIXED = (str, bytes, int, float, Enum, PurePath, UUID, Decimal, datetime, date, time)


def _stands(kept: _Kept, value: Any) -> bool:
    """Whether a message is as it was seen."""
    try:
        return kept.it is value and kept.live == kept.copies
    except Exception:  # values of somebody else's may compare as they like
        return False


def _copied(value: Any) -> Any:
    """Containers copied, so that a change inside them is seen; objects are those that stand there."""
    made = type(value)
    if made is dict:
        return {name: inner if type(inner) in SCALARS else _copied(inner) for name, inner in value.items()}
    if made is list:
        return [inner if type(inner) in SCALARS else _copied(inner) for inner in value]
    if made is tuple:
        return tuple([_copied(inner) for inner in value])
    if made is set:
        return set(value)
    return value if made in SCALARS or isinstance(value, _FIXED) or kind_of(made) else _NEVER


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
