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
from secateur.objects.kinds import MOST_LEVELS, SCALARS, Kind, get_kind, get_package

_LISTS = (list, tuple, deque)


class Seen(dict[str, Any]):
    """The JSON shape of a body. Nothing else holds it, so identical objects always read the same."""

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

    def to_format_error(self) -> FormatError:
        """Convert to a FormatError with one sentence."""
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

    def read_elements(self, values: Iterable[Any]) -> list[Any]:
        """Read the JSON shapes of a request's messages. Raises Unread."""
        before, self._kept, self.packages = self._kept, {}, set()
        shapes: list[Any] = []
        for value in values:
            kept = before.get(id(value))
            if kept is None or not _is_unchanged(kept, value):
                kept = self._learn(value, len(shapes))
            if kept.packages:
                self.packages |= kept.packages
            self._kept[id(value)] = kept
            shapes.append(kept.shape)
        return shapes

    def reuse_equal(self, shapes: list[Any]) -> SeenList:
        """Replace shapes by the identical ones of the last request where they are equal."""
        old = self._seen
        most = len(old)
        kept = SeenList(
            old[at] if at < most and (one is old[at] or one == old[at]) else one for at, one in enumerate(shapes)
        )
        self._seen = kept
        return kept

    def read_shape(self, value: Any, depth: int = 0) -> Any:
        """Read the JSON shape of a value. Raises Unread."""
        made = type(value)
        if made in SCALARS:
            return value
        if depth > MOST_LEVELS:
            raise Unread(value, f"it is nested more than {MOST_LEVELS} levels deep, or contains itself")
        if made is dict or isinstance(value, Mapping):
            return self._read_mapping(value, depth)
        if isinstance(value, _LISTS):
            return self._read_list(value, depth)
        kind = get_kind(made)
        return self._read_object(value, kind, depth) if kind else _read_leaf(value)

    def _learn(self, value: Any, number: int) -> _Kept:
        self._live, self._copies, around, self.packages = [], [], self.packages, set()
        try:
            shape = self.read_shape(value)
            self._watch(value)
            return _Kept(value, self._live, self._copies, shape, frozenset(self.packages))
        except Unread as unread:
            unread.steps.append(number)
            raise
        finally:
            self.packages = around

    def _watch(self, value: Any) -> None:
        """Notice from now on if a container changes, or what is in the containers in it."""
        self._live.append(value)
        self._copies.append(_copy_containers(value))

    def _read_mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        name: Any = ""
        try:
            for name, inner in value.items():
                found[name if type(name) is str else _name(name)] = (
                    inner if type(inner) in SCALARS else self.read_shape(inner, depth + 1)
                )
        except Unread as unread:
            unread.steps.append(name)
            raise
        return found

    def _read_list(self, value: Any, depth: int) -> list[Any]:
        found: list[Any] = []
        try:
            for inner in value:
                found.append(inner if type(inner) in SCALARS else self.read_shape(inner, depth + 1))
        except Unread as unread:
            unread.steps.append(len(found))
            raise
        return found

    def _read_object(self, value: Any, kind: Kind, depth: int) -> dict[str, Any]:
        self.packages.add(get_package(type(value)))
        for container in kind.state(value) or (_UNTOLD,):
            if container is not None:
                self._watch(container)
        return self._read_mapping(kind.members(value), depth)


_NEVER = object()  # the copy of a container that may change unnoticed: equal to nothing
_UNTOLD = deque[Any]()  # stands for the content of an object that cannot be read
_FIXED = (str, bytes, int, float, Enum, PurePath, UUID, Decimal, datetime, date, time)


def _is_unchanged(kept: _Kept, value: Any) -> bool:
    """Whether a message is unchanged since it was read."""
    try:
        return kept.it is value and kept.live == kept.copies
    except Exception:  # values of someone else's may compare as they like
        return False


def _copy_containers(value: Any) -> Any:
    """Copy containers so that changes inside are detected; objects stay the same."""
    made = type(value)
    if made is dict:
        return {name: inner if type(inner) in SCALARS else _copy_containers(inner) for name, inner in value.items()}
    if made is list:
        return [inner if type(inner) in SCALARS else _copy_containers(inner) for inner in value]
    if made is tuple:
        return tuple([_copy_containers(inner) for inner in value])
    if made is set:
        return set(value)
    return value if made in SCALARS or isinstance(value, _FIXED) or get_kind(made) else _NEVER


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
    raise Unread(name, "it is used as a member's name: names must be strings")


def _read_leaf(value: Any) -> Any:
    """The wire form of a value without anything inside."""
    if isinstance(value, Enum):
        return value.value if type(value.value) in SCALARS else _read_leaf(value.value)
    for classes, written in _LEAVES:
        if isinstance(value, classes):
            return written(value)
    if isinstance(value, Iterator):
        raise Unread(value, "it can be read only once: convert it with `list(...)`")
    if hasattr(value, "read"):
        raise Unread(value, "it is an open file: pass its content as base64, or the address of an upload")
    raise Unread(value)


_LEAVES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int),
    (float, float),
    ((bytes, bytearray, memoryview), lambda value: base64.urlsafe_b64encode(value).decode()),
    ((datetime, date, time), lambda value: value.isoformat()),
    ((PurePath, UUID, Decimal), str),
)
