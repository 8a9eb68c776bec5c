"""Where JSON values are in bytes: spans of one opened level, by msgspec or by the standard library.

Rule: both give the same spans. What msgspec rejects (lone surrogate escapes) it reads in a shadow of equal length; what
it rejects there too (NaN, duplicate names) is read by the standard library, one character a byte.
"""

import json
import re
from functools import lru_cache
from json.decoder import JSONDecoder
from typing import Any

import msgspec

from secateur.decoding import prepare_type
from secateur.errors import FormatError

_SPACE = re.compile(rb"[ \t\n\r]*")
_COMMA = re.compile(rb"[ \t\n\r,]*")
_KEY = re.compile(rb'[ \t\n\r,]*"((?:[^"\\]|\\.)*)"[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_HALF = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_BACKSLASH = 0x5C
_LOW = re.compile(rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_RAWS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_scan = JSONDecoder().raw_decode
_HEAD = 1 << 16  # bytes of an object looked through for the array that is most of it


class Spans(msgspec.Struct, frozen=True, eq=False):
    """One opened level: where each child's value starts and ends. `names` is None for an array."""

    starts: list[int]
    ends: list[int]
    names: dict[str, int] | None = None


def scan_spans(data: bytes, start: int, end: int) -> Spans:
    """Return the spans inside the object or array `data[start:end]`. Raises FormatError if it is not JSON."""
    return _scan_fast(data, start, end) or _scan_slow(data, start, end)


def scan_around_array(data: bytes, start: int, end: int, wanted: tuple[str, ...]) -> tuple[Spans, int, Spans] | None:
    """Return an object's spans, which member is the first of these arrays, and its spans, in one pass.

    None where it has no such array near its head, or duplicate names: open one level after the other.
    """
    try:
        found = _make_holder(wanted).decode(memoryview(data)[start:end])
        name = next((name for name in wanted if isinstance(getattr(found, name), list)), "")
        if not name:
            return None
        sizes = [memoryview(raw).nbytes for raw in getattr(found, name)]
        names, starts, ends = _list_members_before(data, start + 1, name.encode())
        inner = _locate_elements(data, starts[-1] + 1, sizes)
        close = _get_end(_SPACE.match(data, inner.ends[-1] if sizes else starts[-1] + 1))
        more, more_starts, more_ends, stop = scan_members(data, close + 1)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, FormatError):
        return None
    known = {name_of(raw): at for at, raw in enumerate(names + more)}
    if stop != end - 1 or len(known) != len(names) + len(more) or data[close : close + 1] != b"]":
        return None
    return Spans(starts + more_starts, [*ends, close + 1, *more_ends], known), len(names) - 1, inner


def _list_members_before(data: bytes, first: int, last: bytes) -> tuple[list[bytes], list[int], list[int]]:
    """Return names and spans of the members up to the one named `last`, whose end is left open."""
    text = data[first : first + _HEAD].decode("latin-1")
    names: list[bytes] = []
    starts: list[int] = []
    ends: list[int] = []
    here = 0
    while True:
        key = _KEY.match(data, first + here)
        if key is None or key.end() >= first + _HEAD:
            raise FormatError("no such member near the beginning of the object")
        names.append(key[1])
        starts.append(key.end())
        if key[1] == last:
            return names, starts, ends
        here = _skip_value(text, key.end() - first, first)
        ends.append(first + here)


def find_value(data: bytes, inside: tuple[int, int], path: tuple[str | int, ...]) -> tuple[int, int] | None:
    """Return the span of the value at a path in `data[start:end]` by searching for its bytes.

    None if they occur twice, if the path leads nowhere, or if msgspec rejects it: then the value has to be opened.
    """
    start, end = inside
    try:
        node = _shut_at(path).decode(memoryview(data)[start:end])
        for step in path:
            node = node[step] if isinstance(step, int) else node.value
        value = bytes(node)
    except (
        msgspec.MsgspecError,
        UnicodeDecodeError,
        RecursionError,
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
    ):
        return None
    last = _find_last_scalar_end(data, start, end) - len(value)
    if value[-1] not in b"]}" and data.startswith(value, max(start, last)) and data.find(value, start, last) < 0:
        return last, last + len(value)  # if it were another scalar than the last, it would come before that one
    first = data.find(value, start, end)
    if data.find(value, first + 1, end) >= 0:
        return None
    return first, first + len(value)


def _find_last_scalar_end(data: bytes, start: int, end: int) -> int:
    """Return where the last scalar in `data[start:end]` ends, if under 64 brackets and blanks follow it."""
    first = max(start, end - 64)
    return first + len(data[first:end].rstrip(b"]} \t\n\r"))


@lru_cache(maxsize=1024)
def _shut_at(path: tuple[str | int, ...]) -> "msgspec.json.Decoder[Any]":
    """Return the decoder for the shape of this path: its indices are left open."""
    return _shut(tuple([step if isinstance(step, str) else None for step in path]))


@lru_cache(maxsize=64)
def _shut(shape: tuple[str | None, ...]) -> "msgspec.json.Decoder[Any]":
    """Reads no more than what leads to the values at paths of this shape (None: any index), which stay shut."""
    inner: Any = msgspec.Raw
    for step in reversed(shape):
        inner = (
            list[inner]
            if step is None
            else msgspec.defstruct("Member", [("value", inner, None)], rename={"value": step}, gc=False)
        )
    return msgspec.json.Decoder(prepare_type(inner))


def loads(data: bytes) -> Any:
    """Parse with the standard library (NaN, lone surrogates and BOMs pass). Raises FormatError, never ValueError."""
    try:
        return json.loads(data)
    except RecursionError as error:
        raise FormatError("the JSON is nested too deeply to be read") from error
    except ValueError as error:
        raise FormatError(f"not JSON: {error}") from error


def scan_array(data: bytes, start: int) -> tuple[list[int], list[int], int]:
    """Spans of the elements from `start` (inside an array) and the place of its closing bracket."""
    text = data[start:].decode("latin-1")  # one character a byte, so that positions are byte positions
    starts: list[int] = []
    ends: list[int] = []
    here = 0
    while True:
        here = _get_end(_COMMA.match(data, start + here)) - start
        if text[here : here + 1] == "]":
            return starts, ends, start + here
        starts.append(start + here)
        here = _skip_value(text, here, start)
        ends.append(start + here)


def scan_members(data: bytes, start: int) -> tuple[list[bytes], list[int], list[int], int]:
    """Names and value spans from `start` (inside an object) and the place of its closing brace."""
    text = data[start:].decode("latin-1")
    names: list[bytes] = []
    starts: list[int] = []
    ends: list[int] = []
    here = 0
    while True:
        key = _KEY.match(data, start + here)
        if key is None:
            close = _get_end(_COMMA.match(data, start + here))
            if data[close : close + 1] != b"}":
                raise FormatError(f"not JSON: no member and no closing brace at byte {close}")
            return names, starts, ends, close
        names.append(key[1])
        starts.append(key.end())
        here = _skip_value(text, key.end() - start, start)
        ends.append(start + here)


def name_of(raw: bytes) -> str:
    """The text of an object's key as it is between its quotes. Raises FormatError where it is none."""
    try:
        return str(json.loads(b'"%b"' % raw)) if b"\\" in raw else raw.decode("utf-8", "surrogatepass")
    except ValueError as error:
        raise FormatError(f"not JSON: the name of a member is not a string: {error}") from error


def make_shadow(data: bytes) -> bytes:
    r"""Return `data`, or an equally long copy in which each lone surrogate escape reads `\ufffd`."""
    lone, here = [], 0
    for half in _HALF.finditer(data):
        at = half.start()
        first = at
        while first and data[first - 1] == _BACKSLASH:
            first -= 1
        if at < here or (at - first) % 2:  # the second of a pair, or the backslash is itself escaped
            continue
        if data[at + 3] in b"89abAB" and _LOW.match(data, at + 6):
            here = at + 12
        else:
            lone.append(at)
    if not lone:
        return data
    shadow = bytearray(data)
    for at in lone:
        shadow[at : at + 6] = b"\\ufffd"
    return bytes(shadow)


def _scan_fast(data: bytes, start: int, end: int) -> Spans | None:
    """Scan spans by msgspec, via the shadow if needed; None if it refuses or duplicate names confuse it."""
    view, array = memoryview(data)[start:end], data[start : start + 1] == b"["
    sizes = _measure_sizes(array, view)
    if sizes is None:
        shut = bytes(view)
        shadow = make_shadow(shut)
        sizes = _measure_sizes(array, shadow) if shadow is not shut else None
    if sizes is None:
        return None
    if not array:
        return _walk_members(data, start, end, sizes)
    spans = _locate_elements(data, start + 1, sizes)
    here = spans.ends[-1] if sizes else start + 1
    return spans if _get_end(_SPACE.match(data, here)) == end - 1 else None


def _measure_sizes(array: bool, data: bytes | memoryview) -> list[int] | None:
    try:
        found = _RAWS.decode(data) if array else _MEMBERS.decode(data).values()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return [memoryview(raw).nbytes for raw in found]


def _locate_elements(data: bytes, here: int, sizes: list[int]) -> Spans:
    starts, ends, match = [], [], _COMMA.match
    for size in sizes:
        here = match(data, here).end()  # type: ignore[union-attr]  # matches the empty string
        starts.append(here)
        here += size
        ends.append(here)
    return Spans(starts, ends)


def _walk_members(data: bytes, start: int, end: int, sizes: list[int]) -> Spans | None:
    names: dict[str, int] = {}
    starts, ends, here = [], [], start + 1
    for at, size in enumerate(sizes):
        key = _KEY.match(data, here)
        if key is None:
            return None
        names[name_of(key[1])] = at
        starts.append(key.end())
        here = key.end() + size
        ends.append(here)
    closed = _get_end(_SPACE.match(data, here)) == end - 1
    return Spans(starts, ends, names) if closed and len(names) == len(sizes) else None


@lru_cache(maxsize=64)
def _make_holder(names: tuple[str, ...]) -> "msgspec.json.Decoder[Any]":
    shut = list[msgspec.Raw] | str | None  # a string: an input that is one text
    return msgspec.json.Decoder(msgspec.defstruct("Holder", [(name, shut, None) for name in names]))


def _scan_slow(data: bytes, start: int, end: int) -> Spans:
    """Scan spans by the standard library. Of duplicate names the last one wins, as in parsers."""
    if data[start : start + 1] == b"[":
        starts, ends, close = scan_array(data, start + 1)
        names = None
    else:
        raw_names, starts, ends, close = scan_members(data, start + 1)
        names = {name_of(raw): at for at, raw in enumerate(raw_names)}
    if close != end - 1:
        raise FormatError(f"not JSON: text after the value that ends at byte {close}")
    return Spans(starts, ends, names)


def _skip_value(text: str, here: int, start: int) -> int:
    try:
        return _scan(text, here)[1]
    except RecursionError as error:
        raise FormatError("the JSON is nested too deeply to be read") from error
    except ValueError as error:
        raise FormatError(f"not JSON at byte {start + here}: {error}") from error


def _get_end(match: "re.Match[bytes] | None") -> int:
    assert match is not None  # these patterns match the empty string
    return match.end()
