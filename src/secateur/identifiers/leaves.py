"""The text that a text holds as JSON: its strings un-escaped, its structure gone.

Rule: a whole JSON document, or a line that is one, is read by a parser; elsewhere an escape is taken for one only in
addition, since a backslash in source code or a Windows path may mean itself. What is no JSON stays as it is.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

_ESCAPE = re.compile(r"\\(u[\da-fA-F]{4}|[\"\\/bfnrt])")
_DRIVE = re.compile(r"\b[A-Za-z]:\\\w")
_MEANT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MAX_INT = 10**30  # longer numbers are data; and Python refuses to write out very long ones


class Leaves(NamedTuple):
    """`text` with JSON read and, on lines of their own, lines whose escapes are taken for such; JSON's `strings`."""

    text: str
    strings: tuple[str, ...]


def extract_leaves(text: str, names: bool = True) -> Leaves:
    """Return the text to search for identifiers. `names` says whether names of JSON members belong to it."""
    strings: list[str] = []
    start = text.lstrip()[:1]
    if start and start in '{["' and (value := _parse_json(text)) is not None:
        text = _walk_value(value, names, strings)
    elif '{"' in text or '["' in text:
        text = "\n".join(_expand_line(line, names, strings) for line in text.split("\n"))
    if "\\" in text:
        escaped = [line for line in text.split("\n") if "\\" in line and not _is_windows_path(line)]
        text = "\n".join((text, *(_ESCAPE.sub(_unescape, line) for line in escaped)))
    return Leaves(text, tuple(strings))


def _expand_line(line: str, names: bool, strings: list[str]) -> str:
    if line.lstrip()[:2] not in ('{"', '["', "[{"):
        return line
    value = _parse_json(line)
    return line if value is None else _walk_value(value, names, strings)


def _parse_json(text: str) -> Any:
    """Return the value, or None if this is no JSON (or null)."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError, ValueError):
        pass
    if "\\ud" not in text and "\\uD" not in text and "NaN" not in text and "Infinity" not in text:
        return None
    try:
        return json.loads(text)  # lone surrogates, NaN
    except (ValueError, RecursionError):
        return None


def _walk_value(value: Any, names: bool, strings: list[str]) -> str:
    """Return the leaves of a JSON value, one per line, in document order."""
    found: list[str] = []
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            found.append(one)
            strings.append(one)
        elif isinstance(one, _Name):
            found.append(one.text)
        elif isinstance(one, dict | list):
            todo.extend(_iterate_inner(one, names))
        elif isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < _MAX_INT:
            found.append(str(one))
    return "\n".join(found)


def _iterate_inner(value: dict[str, Any] | list[Any], names: bool) -> Iterator[Any]:
    """Yield the content of an object or an array, last first."""
    if isinstance(value, list):
        yield from reversed(value)
        return
    for name, inner in reversed(value.items()):
        yield inner
        if names:
            yield _Name(name)


class _Name(Struct, frozen=True):
    """A member's name: part of the text, but nobody's quotation."""

    text: str


def _is_windows_path(line: str) -> bool:
    """Return whether backslashes separate folders here."""
    return '\\"' not in line and bool(_DRIVE.search(line))


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    return _MEANT[code] if len(code) == 1 else chr(int(code[1:], 16))
