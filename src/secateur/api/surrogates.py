"""Replaces lone surrogates, halves of a character that no provider accepts in JSON (rule A71).

Rule: each becomes U+FFFD, the replacement character, in its string; all other strings stay as they are. If the name of
a member contains one, the whole object is written anew.
"""

import re
from collections.abc import Iterator
from typing import Any

from secateur.model import Path
from secateur.patch import Op

_LONE = re.compile("[\ud800-\udfff]")


def replace_surrogates(value: Any, path: Path = ()) -> Iterator[Op]:
    """The operations that remove lone surrogates from a parsed value."""
    todo: list[tuple[Any, Path]] = [(value, path)]
    while todo:
        here, at = todo.pop()
        if isinstance(here, str):
            if _LONE.search(here):
                yield Op(at, replace_in_text(here))
        elif isinstance(here, dict):
            if any(_LONE.search(name) for name in here if isinstance(name, str)):
                yield Op(at, _clean_value(here))
            else:
                todo += [(one, (*at, name)) for name, one in here.items()]
        elif isinstance(here, list | tuple):
            todo += [(one, (*at, number)) for number, one in enumerate(here)]


def replace_in_text(text: str) -> str:
    """The text with U+FFFD in the place of each lone surrogate."""
    return _LONE.sub("\ufffd", text)


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return replace_in_text(value)
    if isinstance(value, dict):
        return {
            replace_in_text(name) if isinstance(name, str) else name: _clean_value(one) for name, one in value.items()
        }
    return [_clean_value(one) for one in value] if isinstance(value, list | tuple) else value
