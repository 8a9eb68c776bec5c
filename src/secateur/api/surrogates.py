"""Lone surrogates: halves of a character that no provider takes as JSON (wire rule A71).

Rule: each becomes U+FFFD, the replacement character, in the string it stands in; every other string stays. Where a
lone half stands in the name of a member, the object that has it is written anew.
"""

import re
from collections.abc import Iterator
from typing import Any

from secateur.model import Path
from secateur.patch import Op

_LONE = re.compile("[\ud800-\udfff]")


def halves(value: Any, path: Path = ()) -> Iterator[Op]:
    """The operations that take lone surrogates out of a parsed value."""
    todo: list[tuple[Any, Path]] = [(value, path)]
    while todo:
        here, at = todo.pop()
        if isinstance(here, str):
            if _LONE.search(here):
                yield Op(at, mended(here))
        elif isinstance(here, dict):
            if any(_LONE.search(name) for name in here if isinstance(name, str)):
                yield Op(at, _cleansed(here))
            else:
                todo += [(one, (*at, name)) for name, one in here.items()]
        elif isinstance(here, list | tuple):
            todo += [(one, (*at, number)) for number, one in enumerate(here)]


def mended(text: str) -> str:
    """The text with U+FFFD in place of each lone surrogate."""
    return _LONE.sub("\ufffd", text)


def _cleansed(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {mended(name) if isinstance(name, str) else name: _cleansed(one) for name, one in value.items()}
    return [_cleansed(one) for one in value] if isinstance(value, list | tuple) else value
