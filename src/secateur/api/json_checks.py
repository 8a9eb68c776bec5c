"""The rule of every API, that the body is JSON which UTF-8 can encode (A71), and the repair of lone surrogates.

Rule: each lone surrogate becomes U+FFFD, the replacement character, in its string; all other strings stay unchanged.
If the name of a member contains one, the whole object is written anew.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from secateur.api.rule import Found, rule
from secateur.api.walker import Walker
from secateur.model import Path
from secateur.patch import Op

_raw = msgspec.json.Decoder(msgspec.Raw)

_LONE = re.compile("[\ud800-\udfff]")


@rule("A71", "no string contains half a surrogate pair", "docs; reported by users of every API")
def surrogates(history: Walker) -> Found:
    for path in history.find_surrogates():
        yield path, "a string contains half a surrogate pair, which UTF-8 cannot encode: replace it with U+FFFD"


def is_json(text: str) -> bool:
    """Whether a text is one JSON value for the stricter parser or that of the standard library."""
    try:
        _raw.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return False
    return True


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
