"""JSON that is not yet parsed: spans of UTF-8 bytes, opened one level at a time, only where a value is needed.

Rule: a `Text` never changes a byte, and says where each value is. This module knows JSON, not conversations. Python's
recursion limit decides how deep a document can be nested, a few hundred levels; the reader of a document converts a
RecursionError. No provider was ever sent anything near that depth.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from secateur.decoding import prepare_type
from secateur.errors import FormatError
from secateur.jsontext.scan import Spans, find_value, loads, scan_around_array, scan_array, scan_members, scan_spans

__all__ = ["Lines", "Shape", "Spans", "Text", "dumps", "find_value", "is_blank", "loads", "scan_array", "scan_members"]

_AT_ONCE = 32  # elements parsed together: few calls, and few values that wait for their reader
_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_ENCODE = msgspec.json.Encoder().encode
_TIGHT = (",", ":")
_SPACE = b" \t\n\r"
_BLANK = b" \t\n\r\v\f\0"

TOO_DEEP = "the document is nested too deeply: a few hundred levels of arrays and objects can be read; flatten the rest"

DEEPEST = 500  # levels: no parser or walk here is sure to get through more
_LOOKED_AT = 4_000_000  # bytes
_SIGN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class Text:
    """A JSON value in a document: `data[start:end]`."""

    __slots__ = ("_children", "_spans", "data", "end", "start")

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self.data = data
        self.start = start
        self.end = end
        self._spans: Spans | None = None
        self._children: dict[int, Text] = {}

    @classmethod
    def of(cls, data: bytes) -> "Text":
        """The whole of `data`, white space around it aside. Raises FormatError if there is nothing."""
        start = len(data) - len(data.lstrip(_SPACE))
        end = len(data.rstrip(_SPACE))
        if start >= end:
            raise FormatError("the document is empty: give a JSON value")
        return cls(data, start, end)

    @property
    def raw(self) -> bytes:
        """The very bytes."""
        return self.data[self.start : self.end]

    @property
    def kind(self) -> str:
        """The first character: `{`, `[`, or that of a scalar."""
        return chr(self.data[self.start])

    def value(self) -> Any:
        """The value, parsed. Lone surrogates stay what they are. Raises FormatError where it is not JSON."""
        return _parse(memoryview(self.data)[self.start : self.end])

    def open(self) -> Spans:
        """Find the children. Raises FormatError for a scalar or for invalid JSON."""
        if self._spans is None:
            if self.kind not in "{[":
                raise FormatError(
                    f"nothing inside the JSON value at byte {self.start}: it is neither an object nor an array"
                )
            self._spans = scan_spans(self.data, self.start, self.end)
        return self._spans

    def open_around(self, *names: str) -> None:
        """Open an object and the array under the first of `names` that it has, in one pass."""
        if self._spans is None and self.kind == "{":
            found = scan_around_array(self.data, self.start, self.end, names)
            if found is not None:
                self._spans, at, inner = found
                child = self._children[at] = Text(self.data, self._spans.starts[at], self._spans.ends[at])
                child._spans = inner

    def adopt(self, spans: Spans) -> "Text":
        """Take spans that are known already."""
        self._spans = spans
        return self

    def values(self, first: int = 0, last: int | None = None, shape: "Shape | None" = None) -> Iterator[Any]:
        """The values of an array's elements [first:last], parsed; those that are of a `shape` as that."""
        spans, view = self.open(), memoryview(self.data)
        starts, ends, shape = spans.starts[first:last], spans.ends[first:last], shape or _ANY
        for at in range(0, len(starts), _AT_ONCE):
            end = min(at + _AT_ONCE, len(starts))
            try:
                values = shape.several.decode(b"".join((b"[", view[starts[at] : ends[end - 1]], b"]")))
            except _ERRORS:
                values = [_parse(view[i:j], shape) for i, j in zip(starts[at:end], ends[at:end], strict=True)]
            yield from values

    def __len__(self) -> int:
        return len(self.open().starts)

    def child(self, step: str | int) -> "Text | None":
        """The value at a name or an index; None where there is none."""
        spans = self.open()
        if spans.names is None:
            at = step if isinstance(step, int) and 0 <= step < len(spans.starts) else None
        else:
            at = spans.names.get(step) if isinstance(step, str) else None
        if at is None:
            return None
        if at not in self._children:
            self._children[at] = Text(self.data, spans.starts[at], spans.ends[at])
        return self._children[at]

    def at(self, path: tuple[str | int, ...]) -> "Text | None":
        """The value at a path; None where there is none."""
        node: Text | None = self
        for step in path:
            if node is None or node.kind not in "{[":
                return None
            node = node.child(step)
        return node


class Lines(Text):
    """A session log: one JSON value per line. Children are lines; a blank or broken line is never opened."""

    __slots__ = ()

    @classmethod
    def of(cls, data: bytes) -> "Lines":
        """All lines of `data`, empty ones included; the last may lack its line feed."""
        starts, ends, here = [], [], 0
        while here < len(data):
            feed = data.find(b"\n", here)
            stop = len(data) if feed < 0 else feed
            starts.append(here)
            ends.append(stop - 1 if data[stop - 1 : stop] == b"\r" and stop > here else stop)
            here = stop + 1
        lines = cls(data, 0, len(data))
        lines.adopt(Spans(starts, ends))
        return lines

    @property
    def kind(self) -> str:
        return "["

    def iterate(self) -> Iterator[tuple[int, Any]]:
        """Yield each line that is not blank, by its number, with its value; None where it is torn or not JSON."""
        spans, view = self.open(), memoryview(self.data)
        for at, (start, end) in enumerate(zip(spans.starts, spans.ends, strict=True)):
            if start == end:
                continue
            try:
                yield at, _ANY.one.decode(view[start:end])
            except _ERRORS:
                if not is_blank(self.data[start:end]):
                    yield at, self.line(at)

    def line(self, at: int) -> Any:
        """The value on line `at` (0-based); None where the line is blank, torn or not JSON."""
        text = self.child(at)
        if text is None or text.start >= text.end:
            return None
        try:
            return text.value()
        except FormatError:
            return None

    def is_miscoded(self, at: int) -> bool:
        """Whether line `at` (0-based) has bytes that are not UTF-8."""
        spans = self.open()
        try:
            self.data[spans.starts[at] : spans.ends[at]].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return True
        return False


def is_blank(line: bytes) -> bool:
    """Whether a line holds nothing: white space, or the zeros that a machine without power leaves behind."""
    return not line.strip(_BLANK)


def dumps(value: Any) -> bytes:
    """Compact UTF-8. A `Text` is copied unchanged; a string with a lone surrogate is written in ASCII escapes."""
    if isinstance(value, Text):
        return value.raw
    try:
        return (
            _ENCODE(value) if type(value) is str else json.dumps(value, ensure_ascii=False, separators=_TIGHT).encode()
        )
    except UnicodeEncodeError:
        return json.dumps(value, separators=_TIGHT).encode()


class Shape:
    """A type of msgspec that values may be of, for one value and for several."""

    def __init__(self, of: Any) -> None:
        self.one = msgspec.json.Decoder(prepare_type(of))
        self.several = msgspec.json.Decoder(list[of])


_ANY = Shape(Any)


def _parse(data: memoryview, shape: Shape = _ANY) -> Any:
    try:
        return shape.one.decode(data)
    except _ERRORS:
        return loads(bytes(data)) if shape is _ANY else _parse(data)


def is_too_deep(data: bytes) -> bool:
    """Whether every parser rejects it because of its depth. This is slow: call it only where reading failed."""
    depth = 0
    for found in _SIGN.finditer(data, 0, _LOOKED_AT):
        sign = found[0]
        depth += 1 if sign in (b"{", b"[") else -1 if sign in (b"}", b"]") else 0
        if depth > DEEPEST:
            return True
    return False


@contextmanager
def convert_recursion_error() -> Iterator[None]:
    """Raise FormatError in place of a RecursionError."""
    try:
        yield
    except RecursionError:
        raise FormatError(TOO_DEEP) from None
