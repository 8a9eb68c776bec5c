"""A change inside a JSON value: the few strings that differ, spliced in place.

Rule: everything else keeps its characters, or stays the same object: order of names, numbers, escapes, white space. It
makes no difference whether the value is an object or a text in a string, or how that string is escaped. If the place
holds something other than what the change was made for, nothing is spliced: the caller rewrites the whole value.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from secateur.errors import FormatError
from secateur.jsontext import Text, dumps, loads

Path = tuple[str | int, ...]
Cut = tuple[int, int, str]  # characters [i, j) of a text, and their replacement
Span = tuple[int, int, bytes]  # the same for bytes

_BOM = "\ufeff"
_SPACE = b" \t\n\r"
# One character of a string that is escaped: a surrogate pair, a code unit, or one of the short escapes.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Leaf(NamedTuple):
    """A string inside a value, and what it is to read instead."""

    path: Path
    before: str
    after: str


class Inside(Struct, frozen=True):
    """A value of which only these strings change; `whole` is the complete new value."""

    leaves: tuple[Leaf, ...]
    whole: Any


def compare_texts(before: str, after: str, whole: Any) -> Any:
    """Return the change between two texts, both JSON or neither; `whole` if more than strings differ."""
    old, new = _read(before), _read(after)
    leaves = _find_differing(old, new)
    if old is _NOT_JSON:
        leaves = (Leaf((), before, after),) if isinstance(whole, str) else None
    elif not leaves and before != after:
        return whole  # white space, and no more
    return whole if leaves is None else Inside(leaves, whole)


def has_leaves(value: Any, leaves: Sequence[Leaf]) -> bool:
    """Return whether a Python value holds these strings as the change assumes."""
    try:
        return all([_get_at_path(value, leaf.path) == leaf.before for leaf in leaves])
    except (LookupError, TypeError):
        return False


def apply_to_text(text: str, leaves: Sequence[Leaf]) -> str | None:
    """Apply the changes to JSON text, or to the one changed string; None if it is neither."""
    cuts = _find_cuts(text, leaves)
    if cuts is None:
        return None
    pieces: list[str] = []
    here = 0
    for start, end, new in cuts:
        pieces += (text[here:start], new)
        here = end
    return "".join((*pieces, text[here:]))


def find_changed_spans(place: Text, leaves: Sequence[Leaf]) -> list[Span] | None:
    """Return the changes as replacement byte spans of the document; None if the place has no such strings."""
    if place.kind != '"':
        return _find_value_spans(place, leaves)
    text = _get_string(place)
    cuts = None if text is None else _find_cuts(text, leaves)
    return None if cuts is None or text is None else _find_literal_spans(place, cuts, len(text))


# --- what differs ----------------------------------------------------------------------------------------------------


class _Word(str):
    """A number or a constant as it is spelled."""

    __slots__ = ()


_NOT_JSON = object()
_spelled = json.JSONDecoder(parse_float=_Word, parse_int=_Word, parse_constant=_Word).decode


def _read(text: str) -> Any:
    try:
        return _spelled(text)
    except (ValueError, RecursionError):
        return _NOT_JSON


def _find_differing(old: Any, new: Any) -> tuple[Leaf, ...] | None:
    """Return the strings that differ; None if anything else does. Not recursive: values may nest deeply."""
    leaves: list[Leaf] = []
    left: list[tuple[Path, Any, Any]] = [((), old, new)]
    while left:
        path, one, other = left.pop()
        if type(one) is not type(other):
            return None
        if isinstance(one, dict | list):
            inner = _pair_members(one, other)
            if inner is None:
                return None
            left += [((*path, step), was, now) for step, was, now in inner]
        elif one != other:
            if type(one) is not str:
                return None
            leaves.append(Leaf(path, one, other))
    return tuple(leaves)


def _pair_members(one: Any, other: Any) -> Iterable[tuple[str | int, Any, Any]] | None:
    """Return the members of two objects or arrays side by side, or None if they do not match."""
    if isinstance(one, dict):
        return [(name, one[name], other[name]) for name in one] if one.keys() == other.keys() else None
    return zip(range(len(one)), one, other, strict=True) if len(one) == len(other) else None


def _find_shortest_cut(before: str, after: str) -> Cut:
    """Return what differs between two strings: all between a common beginning and a common end."""
    most = min(len(before), len(after))
    first = _measure_common(lambda size: before[:size] == after[:size], most)
    last = _measure_common(lambda size: before[len(before) - size :] == after[len(after) - size :], most - first)
    return first, len(before) - last, after[first : len(after) - last]


def _measure_common(same: Callable[[int], bool], most: int) -> int:
    """Return the largest size up to `most` for which two ends are the same."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(middle) else (low, middle - 1)
    return low


# --- where it stands -------------------------------------------------------------------------------------------------


def _get_at_path(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, str):
            raise LookupError(step)
        value = value[step]
    return value


def _find_cuts(text: str, leaves: Sequence[Leaf]) -> list[Cut] | None:
    """Return the changed characters of a text that is JSON, or that is itself the one changed string."""
    if len(leaves) == 1 and not leaves[0].path and leaves[0].before == text:
        return [_find_shortest_cut(text, leaves[0].after)]
    bom = len(_BOM) if text.startswith(_BOM) else 0
    data = text[bom:].encode("utf-8", "surrogatepass")
    start = len(data) - len(data.lstrip(_SPACE))
    spans = _find_value_spans(Text(data, start, len(data.rstrip(_SPACE))), leaves) if start < len(data) else None
    if spans is None:
        return None
    cuts, done, here = [], 0, bom
    for first, last, new in spans:
        here += _count_chars(data[done:first])
        cuts.append((here, here + _count_chars(data[first:last]), new.decode("utf-8", "surrogatepass")))
        here, done = cuts[-1][1], last
    return cuts


def _count_chars(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.decode("utf-8", "surrogatepass"))


def _find_value_spans(value: Text, leaves: Sequence[Leaf]) -> list[Span] | None:
    """Return the changed bytes of a value in order, or None if one of the strings is not what it was."""
    spans: list[Span] = []
    for leaf in leaves:
        try:
            place = value.at(leaf.path)
        except FormatError:
            return None
        if place is None or _get_string(place) != leaf.before:
            return None
        spans += _find_literal_spans(place, [_find_shortest_cut(leaf.before, leaf.after)], len(leaf.before))
    return sorted(spans, key=itemgetter(0))


_decode_string = msgspec.json.Decoder(str).decode


def _get_string(place: Text) -> str | None:
    """Return the string at this place, or None if it holds something else."""
    if place.kind != '"':
        return None
    try:
        return _decode_string(place.raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        try:
            value = loads(place.raw)  # lone surrogates
        except FormatError:
            return None
    return value if isinstance(value, str) else None


def _find_literal_spans(place: Text, cuts: Sequence[Cut], size: int) -> list[Span]:
    """Return the changed bytes of a string of `size` characters as spelled. `cuts` are in order, without overlap."""
    raw = place.raw[1:-1].decode("utf-8", "surrogatepass")
    at = _find_offsets(raw, [edge for start, end, _ in cuts for edge in (start, end)], size)
    found, done, byte = [], 0, place.start + 1
    for (_, _, new), start, end in zip(cuts, at[::2], at[1::2], strict=True):
        first = byte + _count_bytes(raw[done:start])
        byte, done = first + _count_bytes(raw[start:end]), end
        found.append((first, byte, dumps(new)[1:-1]))
    return found


def _count_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _find_offsets(raw: str, places: Sequence[int], size: int) -> list[int]:
    """Return where these characters of a string of `size` characters, in order, begin in its spelling."""
    found: list[int] = []
    if "\\" not in raw:
        return [*places]
    escapes = _find_escapes(raw)
    saved, escape = 0, next(escapes, None)  # characters that the escapes so far are longer than what they say
    for place in places:
        if place == size:  # most cuts reach the end: no escape needs to be looked at before it
            found.append(len(raw))
            continue
        while escape is not None and escape[0] - saved < place:
            saved += escape[1] - escape[0] - 1
            escape = next(escapes, None)
        found.append(place + saved)
    return found


def _find_escapes(raw: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _ESCAPE.finditer(raw))
