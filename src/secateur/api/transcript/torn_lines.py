"""Splits a session file into lines of one entry each: torn lines, several entries on a line, bytes that are not UTF-8.

Rule: no byte is lost. An entry stays in the file with its bytes. What cannot be read is returned, to be kept elsewhere,
because a host that appends to a torn line would spoil the next entry, too.
"""

import re
from collections.abc import Iterator
from json.decoder import JSONDecoder
from typing import Any

from msgspec import Struct

from secateur.errors import FormatError
from secateur.jsontext import Lines, loads

_scan = JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\r\0]*")
_OPENS = re.compile(r'\{"')
_TRIED = 64  # openings in a broken line that are tried as the start of an entry: each try may read to its end


class SplitLines(Struct, frozen=True):
    """The lines that stay, each with the number (from 0) of its original line; what was cut off; and what was done."""

    data: bytes
    numbers: tuple[int, ...]
    torn: bytes
    done: tuple[tuple[int, str, str], ...]  # line, rule, what


def split_lines(lines: Lines) -> SplitLines:
    """Put each entry on a line of its own. The same data comes out if every line is valid."""
    spans = lines.open()
    kept: list[bytes] = []
    numbers: list[int] = []
    torn: list[bytes] = []
    done: list[tuple[int, str, str]] = []
    for number, (start, end) in enumerate(zip(spans.starts, spans.ends, strict=True)):
        after = spans.starts[number + 1] if number + 1 < len(spans.starts) else len(lines.data)
        raw, feed = lines.data[start:end], lines.data[end:after]
        if not raw.strip(b" \t\0") or _is_valid_json(raw):
            kept.append(raw + feed)
            numbers.append(number)
            continue
        whole, rest = _split_entries(raw)
        done += [(number, *what) for what in _describe(raw, whole, rest)]
        kept += [piece + (feed or b"\n") for piece in whole]
        numbers += [number] * len(whole)
        torn += [piece + b"\n" for piece in rest]
    data = b"".join(kept) if done else lines.data
    return SplitLines(data, tuple(numbers), b"".join(torn), tuple(done))


def _describe(raw: bytes, whole: list[bytes], rest: list[bytes]) -> Iterator[tuple[str, str]]:
    if len(whole) > 1:
        yield "F1", f"{len(whole)} entries on one line were put on lines of their own"
    elif whole and not rest:
        yield "F1", "bytes that are not UTF-8 became U+FFFD"
    elif whole:
        yield "F1", "an entry behind a torn one was put on a line of its own"
    if rest:
        yield "F1", f"{sum(map(len, rest)):,} bytes that are not a complete entry were cut off"


def _is_valid_json(raw: bytes) -> bool:
    try:
        loads(raw)
    except FormatError:
        return False
    return True


def _split_entries(raw: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the entries in a line that is not an entry, and the rest of the line."""
    # A broken line is usually one of three: an entry with bytes that are not UTF-8, several entries without a line
    # feed between them, or a torn entry with the next one appended. So it is read as UTF-8 with replacements first;
    # then entry after entry from the start, for as long as they are complete; then each later opening brace is tried
    # as the start of an entry that reaches to the end of the line. What is between is torn.
    mended = raw.decode("utf-8", "replace").encode()
    if mended != raw and _is_valid_json(mended):
        return [mended], []
    text = raw.decode("latin-1")  # one character a byte
    whole: list[bytes] = []
    here = 0
    while here < len(text):
        end = _find_entry_end(text, here, False)
        if end is None:
            break
        whole.append(_repair_encoding(raw[here:end]))
        here = _SPACE.match(text, end).end()  # type: ignore[union-attr]  # matches the empty string
    if here == len(text):
        return [piece for piece in whole if _is_valid_json(piece)], [
            piece for piece in whole if not _is_valid_json(piece)
        ]
    for found, _ in zip(_OPENS.finditer(text, here + 1), range(_TRIED), strict=False):
        end = _find_entry_end(text, found.start(), True)
        if end is not None and not text[end:].strip() and _is_valid_json(_repair_encoding(raw[found.start() : end])):
            return [*whole, _repair_encoding(raw[found.start() : end])], [raw[here : found.start()]]
    return whole, [raw[here:]]


def _repair_encoding(piece: bytes) -> bytes:
    """Return an entry with U+FFFD for bytes that are not UTF-8."""
    return piece if _is_valid_json(piece) else piece.decode("utf-8", "replace").encode()


def _find_entry_end(text: str, start: int, sure: bool) -> int | None:
    """Return the end of the object at `start`, or None; with `sure`, it must be an entry, not part of one."""
    try:
        value, end = _scan(text, start)
    except (ValueError, RecursionError):
        return None
    return int(end) if isinstance(value, dict) and (not sure or _is_entry(value)) else None


def _is_entry(value: dict[str, Any]) -> bool:
    """Whether an object is an entry: every host dates its entries, and parts of entries have no such date."""
    return isinstance(value.get("timestamp"), str) and isinstance(value.get("type"), str)
