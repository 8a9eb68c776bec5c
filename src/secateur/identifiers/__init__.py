"""The identifiers of a text: the paths, symbols, numbers and lines by which later work can refer to it.

Rule: typed, normalized and deterministic, so that two texts that name one thing share an identifier, whatever quotes,
escapes, line numbers or prefixes surround it. A pass is linear in the text, hostile text too: each pattern is bounded
or unambiguous, and a word is typed once however often it occurs. Meaning is out of reach: a renamed variable, a sum or
a paraphrase shares nothing with its source. Strings inside JSON are unescaped: a whole document, or a line that is one,
is parsed; elsewhere both readings count, since a backslash in source code or in a Windows path may be literal.
"""

import json
import re
from collections.abc import Iterable, Iterator
from posixpath import join, normpath
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from secateur.identifiers.words import Identifier, Kind, find_words

__all__ = ["ANCHORS", "Identifier", "Kind", "find_anchors", "find_identifiers"]

ANCHORS: frozenset[Kind] = frozenset({"path", "id", "number", "error", "url", "hash"})  # what a summary may not invent

MIN_LINE, MAX_LINE = 20, 200  # characters of a line that identify it; what is shorter is in many files
MIN_QUOTED, MAX_QUOTED = 8, 120
_MAX_BEFORE = 300  # what a tool puts before a line is not longer

_ESCAPE = re.compile(r"\\(u[\da-fA-F]{4}|[\"\\/bfnrt])")
_DRIVE = re.compile(r"\b[A-Za-z]:\\\w")
_MEANT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MAX_INT = 10**30  # longer numbers are data; and Python refuses to write out very long ones


def find_identifiers(text: str, cwd: str = "", names: bool = True) -> frozenset[Identifier]:
    """Return all identifiers of a text. JSON is parsed first, so its escapes and structure are not in lines.

    `cwd` makes relative paths absolute, and `~` too where it lies in a home. `names=False` leaves out the names of
    JSON members: in a call's arguments they are the tool's words, not the model's.
    """
    said = extract_leaves(text, names)
    found = set(find_words(said.text))
    found.update(_find_quoted(said.strings, said.text))
    found.update(_find_lines(said.text))
    return frozenset(_resolve_paths(found, cwd))


def find_anchors(text: str, cwd: str = "", names: bool = True) -> frozenset[Identifier]:
    """Return the identifiers that state a fact: `ANCHORS`. Words joined by one slash ("read/write") are no path."""
    found = find_words(extract_leaves(text, names).text)
    return frozenset(_resolve_paths((one for one in found if one.kind in ANCHORS and not _is_loose(one)), cwd))


def _is_loose(one: Identifier) -> bool:
    """Return whether these are two bare words around a slash: a path in a listing, an alternative in prose."""
    return one.kind == "path" and bool(re.fullmatch(r"/?[^\W\d_]+(?:/[^\W\d_]+)?", one.value))


def _resolve_paths(found: Iterable[Identifier], cwd: str) -> Iterator[Identifier]:
    home = re.match(r"/(?:home|Users)/[^/]+|/root", cwd)
    for one in found:
        if one.kind != "path":
            yield one
            continue
        value = one.value.rstrip("/")
        if value.startswith("~/") and home:
            value = home[0] + value[1:]
        elif cwd and value[0] not in "/~" and value[1:2] != ":":
            value = normpath(join(cwd, value))
        yield Identifier("path", value)


_QUOTES = re.compile(
    rf"\"([^\"\n]{{0,{MAX_QUOTED}}})\"|(?<!\w)'([^'\n]{{0,{MAX_QUOTED}}})'(?!\w)|`([^`\n]{{0,{MAX_QUOTED}}})`"
)


def _find_quoted(strings: Iterable[str], text: str) -> Iterator[Identifier]:
    """Yield strings of several words; one of a single word is a word."""
    inside = (a or b or c for a, b, c in _QUOTES.findall(text))
    for string in {*strings, *inside}:
        said = " ".join(string.split())
        if MIN_QUOTED <= len(said) <= MAX_QUOTED and " " in said and "\n" not in string:
            yield Identifier("quoted", said)


# What tools put before a line: `12→`, `file.py:12:5:`, `+` of a diff. It goes on both sides, so lists lose bullets too.
_BEFORE = re.compile(r"\s*(?:(?:[\w./\\\-]{1,200}[:\-])?\d{1,6}[:|→\t\-](?:\d{1,6}:)?)?[\s+>*|\-]*")
_WORDY = re.compile(r"\w{3}")


def _find_lines(text: str) -> Iterator[Identifier]:
    for line in set(text.split("\n")):
        if len(line) < MIN_LINE:
            continue
        head = line[: _MAX_BEFORE + MAX_LINE]
        said = " ".join(head[_measure_prefix(head) :].split())[:MAX_LINE]
        if len(said) >= MIN_LINE and _WORDY.search(said):
            yield Identifier("line", said)


def _measure_prefix(line: str) -> int:
    found = _BEFORE.match(line)
    return found.end() if found else 0


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
    """Return the value, or None if this is not JSON (or null)."""
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
    """A member's name: part of the text, but not a quotation."""

    text: str


def _is_windows_path(line: str) -> bool:
    """Return whether backslashes separate folders here."""
    return '\\"' not in line and bool(_DRIVE.search(line))


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    return _MEANT[code] if len(code) == 1 else chr(int(code[1:], 16))
