"""A view of a session file with a compaction in it: the file, and the host's own compaction entry at its end.

Rule: no line is removed and none is inserted between others; edits of parts are in their usual places. The form of an
entry is defined by each format (`Format.host_entry`); formats without one hold no compaction.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from secateur.documents import Document
from secateur.formats.format import Appending, Item
from secateur.jsontext import Lines, Text, dumps
from secateur.model import NewMessage, Replace
from secateur.patch import Op, apply, apply_splices, compile_splices
from secateur.plan import FoldedPlan

Located = tuple[int, int, Replace]


def has_host_entry(document: Document) -> bool:
    """Whether the document is a host's session, which gets its own compaction entry appended."""
    return document.format.has_host_entry


def append_entry(document: Document, ops: dict[int, list[Op]], fold: FoldedPlan, ranges: Sequence[Located]) -> Any:
    """The document with the view's compaction appended, in the encoding it arrived in."""
    native, read = document.native, document.transcript
    every = [op for some in ops.values() for op in some]
    made = Appending(
        items=tuple(_list_items(document, ranges)),
        tail=len(read.messages) - max((j for i, j, _ in ranges if i < j), default=0),
        element=_Elements(document, every),
        at=max(_find_newest_time(fold, ranges), read.last_timestamp_ms + 1),
        tokens=sum(part.tokens for message in read.messages for part in message.parts) + read.fixed_tokens,
    )
    is_said = any(isinstance(item, NewMessage) for item in made.items)
    entries: list[Any] = document.format.host_entry(native, made) if is_said else []  # nothing goes without a summary
    if isinstance(native, Lines):
        data = apply_splices(native.data, compile_splices(native, every))
        end = b"" if data.endswith(b"\n") or not data else b"\n"
        return document.encode_output(data + end + b"".join(dumps(entry) + b"\n" for entry in entries))
    size = _size(document)
    all_ops = [*every, Op(read.messages_path, entries, (size, size))]
    if isinstance(native, Text):
        return document.encode_output(apply_splices(native.data, compile_splices(native, all_ops)))
    return apply(native, all_ops)


def _list_items(document: Document, ranges: Sequence[Located]) -> Iterator[Item]:
    """The items of the view: kept messages and the replacements of others."""
    messages = document.transcript.messages
    here = 0
    for i, j, edit in ranges:
        yield from messages[here:i]
        yield from edit.messages
        here = max(here, j)
    yield from messages[here:]


class _Elements:
    """Lines of a log, or elements of an array, with the plan's edits."""

    def __init__(self, document: Document, ops: list[Op]) -> None:
        self._document = document
        self._depth = len(document.transcript.messages_path)
        self._ops: dict[Any, list[Op]] = {}
        for op in ops:
            step, inside = op.path[self._depth], op.path[self._depth + 1 :]
            self._ops.setdefault(step, []).append(Op(inside, op.value, op.slice))

    def __call__(self, number: int) -> Any:
        native = self._document.native
        if isinstance(native, Lines):
            value = native.line(number)
        elif isinstance(native, Text):
            child = native.at((*self._document.transcript.messages_path, number))
            value = child.value() if child is not None else None
        else:
            for step in self._document.transcript.messages_path:
                native = native[step]
            value = native[number]
        return apply(value, self._ops.get(number, ()))


def _find_newest_time(fold: FoldedPlan, ranges: Sequence[Located]) -> int:
    """The time of the newest of these ranges (ms)."""
    mine = {id(edit) for _, _, edit in ranges}
    return max((at for edit, at in fold.ranges if id(edit) in mine), default=0)


def _size(document: Document) -> int:
    native: Any = document.native
    if isinstance(native, Text):
        items = native.at(document.transcript.messages_path)
        return len(items) if items is not None else 0
    for step in document.transcript.messages_path:
        native = native[step]
    return len(native)
