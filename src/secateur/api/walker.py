"""What every walk over a history shares: its input, the size of the JSON, lone surrogates, and typed access to values.

Rule: the walker of an API notes, once, what its rules need to know; a rule never walks the history again. A value of
another type counts as missing, and whether it may be missing is checked by a rule.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from secateur.model import Path

_NONE: dict[str, Any] = {}

CheckBlock = Callable[..., None]  # (type, block, path), or (type, block, path around it, step in): paths are made late

_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = msgspec.json.Encoder().encode


def get_fields(value: Any) -> dict[str, Any]:
    """The members of an object; none of any other value."""
    return value if isinstance(value, dict) else _NONE


def get_items(value: Any) -> Sequence[Any]:
    """The elements of a list; none of any other value."""
    return value if isinstance(value, list | tuple) else ()


def get_text(value: Any) -> str:
    """A string; "" for any other value."""
    return value if isinstance(value, str) else ""


def is_blank_text(text: str) -> bool:
    """Whether a text is empty or only white space."""
    return not text or text.isspace()


class CheckInput(Struct, frozen=True):
    """The arguments of `check`."""

    messages: Sequence[Any]
    request: Mapping[str, Any] | None
    profile: str | None
    whole: bool
    headers: Mapping[str, str]
    ends: bool  # the last message is the history's last


class Walker:
    """Notes on one history."""

    array = "messages"  # the body's name for it

    def __init__(self, given: CheckInput) -> None:
        self.messages = get_items(given.messages)
        self.request = get_fields(given.request)
        self.given = given.request is not None  # the request's fields are known, and so is what is missing
        self.whole = given.whole
        self.ends = given.ends
        self.profile = given.profile
        self.headers = {str(name).lower(): str(value) for name, value in given.headers.items()}
        self.model = get_text(self.request.get("model"))

    def walk(self, check_block: CheckBlock) -> None:
        """Note what rules need to know, and let rules on blocks check each block."""
        raise NotImplementedError

    def describe(self, path: Path) -> str:
        """A path for people."""
        return ".".join(map(str, path))

    @property
    def size(self) -> int:
        """Bytes of the body as JSON without white space; 0 if it has no such form."""
        return sum(size or 0 for size in self._sizes)

    def find_surrogates(self) -> Iterator[Path]:
        """Yield the paths of lone surrogates: halves of a character, which UTF-8 cannot encode."""
        for at, value, size in zip(((self.array,), ()), self._get_values(), self._sizes, strict=True):
            if size is None:
                yield from ((*at, *path) for path in _find_lone_surrogates(value))

    def _get_values(self) -> tuple[Any, Any]:
        return self.messages, {name: value for name, value in self.request.items() if name != self.array}

    @cached_property
    def _sizes(self) -> tuple[int | None, ...]:
        return tuple(map(_size, self._get_values()))


def _size(value: Any) -> int | None:
    """Bytes of the JSON; None if a string cannot be encoded, 0 for a caller's own objects."""
    try:
        return len(_encode(value))
    except UnicodeEncodeError:
        return None
    except (TypeError, ValueError, RecursionError):
        return 0


def _find_lone_surrogates(value: Any) -> Iterator[Path]:
    """Yield the paths of strings with a lone surrogate; for a member name, the path of its object."""
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
