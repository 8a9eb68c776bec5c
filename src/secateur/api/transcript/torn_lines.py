"""Splits a session file into lines of one entry each, and repairs the tree that their ids form.

Rule: no byte is lost. Torn lines, several entries on a line and invalid UTF-8 are separated; an entry stays with its
bytes, and what cannot be read is returned, to be kept elsewhere, because a host that appends to a torn line would spoil
the next entry, too. If two different lines have one id, the later gets a new one, and its children point there;
identical copies stay. A line whose parent is lost gets the line before it as its parent, where readers continue.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from json.decoder import JSONDecoder
from typing import Any

from msgspec import Struct

from secateur.errors import FormatError
from secateur.jsontext import Lines, is_blank, loads
from secateur.patch import Op

_scan = JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\r\0]*")
_OPENS = re.compile(r'\{"')
_TRIED = 64  # openings in a broken line that are tried as the start of an entry: each try may read to its end


def make_id(*of: str, like: str) -> str:
    """An id derived from names, in the form of another id: hexadecimal, with hyphens if that one has them."""
    name = blake2b("\0".join(of).encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
    if len(like) == 36 and like.count("-") == 4:
        return "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:32]))
    return name[:8]


def find_tree_edits(entries: dict[int, dict[str, Any]], id_: str, parent: str) -> Iterator[tuple[Op, str]]:
    """The operations that repair the tree, each with what it does. `id_` and `parent` are the names of the fields."""
    first: dict[str, dict[str, Any]] = {}
    renamed: dict[str, str] = {}
    known = {entry[id_] for entry in entries.values() if isinstance(entry.get(id_), str)}
    before: str | None = None
    for line, entry in entries.items():
        name = entry.get(id_)
        if not isinstance(name, str):
            continue
        above = entry.get(parent)
        if isinstance(above, str) and above not in known:
            yield Op((line, parent), before), "its parent is not in the file: its parent is now the line before it"
        elif isinstance(above, str) and above in renamed and entry != first.get(name):
            yield Op((line, parent), renamed[above]), "its parent was renamed"
        if name in first and entry != first[name]:
            renamed[name] = make_id(name, str(line), like=name)
            yield Op((line, id_), renamed[name]), "another line had its id: it has a new one"
        first.setdefault(name, entry)
        before = renamed.get(name, name)


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
        if is_blank(raw) or _is_valid_json(raw):
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
