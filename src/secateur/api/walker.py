"""What every walk over a history has: what was asked, and the size and soundness of its JSON.

Rule: a family's history adds what its rules need to know, noticed once; a rule never walks a history again.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from secateur.api.accessors import fields, items, word
from secateur.model import Path

Look = Callable[..., None]  # (type, block, path), or (type, block, path around it, step in): paths are made late

_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = msgspec.json.Encoder().encode


class Asked(Struct, frozen=True):
    """What `check` was called with."""

    messages: Sequence[Any]
    request: Mapping[str, Any] | None
    profile: str | None
    whole: bool
    headers: Mapping[str, str]
    ends: bool  # the last message is the history's last


class History:
    """What is noticed of one history."""

    array = "messages"  # the body's name for it

    def __init__(self, asked: Asked) -> None:
        self.messages = items(asked.messages)
        self.request = fields(asked.request)
        self.given = asked.request is not None  # the request's fields are known, and so is what is missing
        self.whole = asked.whole
        self.ends = asked.ends
        self.profile = asked.profile
        self.headers = {str(name).lower(): str(value) for name, value in asked.headers.items()}
        self.model = word(self.request.get("model"))

    def walk(self, look: Look) -> None:
        """Notice what rules need to know, and let block rules look at each block."""
        raise NotImplementedError

    def where(self, path: Path) -> str:
        """A path for people."""
        return ".".join(map(str, path))

    @property
    def size(self) -> int:
        """Bytes of the body as JSON without white space; 0 where it has no such form."""
        return sum(size or 0 for size in self._sizes)

    def surrogates(self) -> Iterator[Path]:
        """Where lone surrogates stand: halves of a character that no UTF-8 can hold."""
        for at, value, size in zip(((self.array,), ()), self._values(), self._sizes, strict=True):
            if size is None:
                yield from ((*at, *path) for path in _lone(value))

    def _values(self) -> tuple[Any, Any]:
        return self.messages, {name: value for name, value in self.request.items() if name != self.array}

    @cached_property
    def _sizes(self) -> tuple[int | None, ...]:
        return tuple(map(_size, self._values()))


def _size(value: Any) -> int | None:
    """Bytes of JSON; None where a string cannot be written, 0 for a caller's own objects."""
    try:
        return len(_encode(value))
    except UnicodeEncodeError:
        return None
    except (TypeError, ValueError, RecursionError):
        return 0


def _lone(value: Any) -> Iterator[Path]:
    """Paths of the strings that hold one, names of members as the object they stand in."""
    todo: list[tuple[Path, Any]] = [((), value)]
    while todo:
        path, one = todo.pop()
        if isinstance(one, str) and not one.isascii() and _SURROGATE.search(one):
            yield path
        elif isinstance(one, dict):
            todo += [((*path, name), inner) for name, inner in one.items()]
            todo += [(path, name) for name in one]
        elif isinstance(one, list | tuple):
            todo += [((*path, at), inner) for at, inner in enumerate(one)]
