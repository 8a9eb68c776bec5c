"""One `apply` for Python objects and for JSON text.

Rule: what no operation reaches is the same object, or the same characters. All positions are those of the document as
it was read, so operations of one patch never shift each other. This room knows paths and values, not conversations.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from secateur.errors import EditError
from secateur.jsontext import Lines, Text, dumps, loads
from secateur.jsontext.inside import Inside, apply_to_text, find_changed_spans, has_leaves
from secateur.model import Path


class Op(Struct, frozen=True, gc=False):
    """A value to put at `path`; with `slice` (i, j), values that replace the array's elements [i:j].

    A name that an object lacks is added at its end, with the objects that lead to it. An `Inside` changes as little as
    possible of the existing value.
    """

    path: Path
    value: Any
    slice: tuple[int, int] | None = None


class Splice(Struct, frozen=True, order=True, gc=False):
    """Bytes to replace `data[start:end]`."""

    start: int
    end: int
    text: bytes


def apply(node: Any, ops: Sequence[Op]) -> Any:
    """The node, patched; the very node if there is nothing to do. Raises EditError where operations overlap."""
    if not ops:
        return node
    if isinstance(node, Text):
        data = apply_splices(node.data, compile_splices(node, ops))
        return Lines.of(data) if isinstance(node, Lines) else Text.of(data)
    return _apply_ops(node, ops)


def compile_splices(text: Text, ops: Iterable[Op]) -> list[Splice]:
    """Compile operations into byte splices of a text, in order."""
    return sorted(_compile_node(text, list(ops)))


def replace_value(data: bytes, span: tuple[int, int], value: Any) -> list[Splice]:
    """Splices that write a value over the one that these bytes have at `span`."""
    if not isinstance(value, Inside):
        return [Splice(*span, dumps(value))]
    spans = find_changed_spans(Text(data, *span), value.leaves)
    return replace_value(data, span, value.whole) if spans is None else [Splice(*one) for one in spans]


def apply_splices(data: bytes | memoryview, changes: Sequence[Splice]) -> bytes:
    """Return the bytes with all splices applied. Raises EditError if two overlap."""
    pieces: list[bytes | memoryview] = []
    here = 0
    view = memoryview(data)
    for change in changes:
        if change.start < here:
            raise EditError(f"two edits overlap at byte {change.start}: address each place once")
        pieces += (view[here : change.start], change.text)
        here = change.end
    pieces.append(view[here:])
    return b"".join(pieces)


def _partition_ops(ops: Sequence[Op]) -> tuple[list[Op], dict[str | int, list[Op]]]:
    """Operations on this node itself, and those below it grouped by their first step."""
    here = [op for op in ops if not op.path]
    below: dict[str | int, list[Op]] = defaultdict(list)
    for op in ops:
        if op.path:
            below[op.path[0]].append(Op(op.path[1:], op.value, op.slice))
    if any(op.slice is None for op in here) and len(ops) > 1:
        raise EditError("an edit replaces a value inside which another edit makes changes: address each place once")
    return here, below


def _check_slices(here: list[Op], below: dict[str | int, list[Op]], size: int) -> list[tuple[int, int, list[Any]]]:
    """The slices of one array in order, checked against its size, each other and edits inside elements."""
    cuts = sorted(((*op.slice, list(op.value)) for op in here if op.slice), key=lambda cut: cut[:2])
    for i, j, _ in cuts:
        if not 0 <= i <= j <= size:
            raise EditError(f"no elements [{i}:{j}] in an array of {size}")
        if any(i <= step < j for step in below if isinstance(step, int)):
            raise EditError(f"an edit changes an element that another edit removes from [{i}:{j}]")
    for (_, j, _), (i, _, _) in pairwise(cuts):
        if i < j:
            raise EditError(f"two edits remove the same element {i}")
    return cuts


# --- objects ---------------------------------------------------------------------------------------------------------


def _apply_ops(node: Any, ops: Sequence[Op]) -> Any:
    if len(ops) == 1 and ops[0].slice is None:
        return _set_at_path(node, ops[0].path, ops[0].value)
    here, below = _partition_ops(ops)
    if here and here[0].slice is None:
        return _to_python(here[0].value, node)
    if isinstance(node, dict):
        if here:
            raise EditError("messages can only be inserted into an array, and this is an object")
        return node | {
            step: _apply_ops(node[step], ops) if step in node else _build_member(ops) for step, ops in below.items()
        }
    return _apply_to_array(node, here, below)


def _apply_to_array(node: Any, here: list[Op], below: dict[str | int, list[Op]]) -> Any:
    if not isinstance(node, list | tuple):
        raise EditError(f"a path leads into {type(node).__name__}, which has no members")
    new: list[Any] = list(node)
    for step, inner in below.items():
        if not (isinstance(step, int) and 0 <= step < len(node)):
            raise EditError(f"no element {step!r} in an array of {len(node)}")
        new[step] = _apply_ops(node[step], inner)
    for i, j, values in reversed(_check_slices(here, below, len(node))):
        new[i:j] = [_to_python(value) for value in values]
    return tuple(new) if isinstance(node, tuple) else new


def _set_at_path(node: Any, path: Path, value: Any) -> Any:
    """Set one value at the end of a path; only the containers on the way are copied."""
    if not path:
        return _to_python(value, node)
    step, rest = path[0], path[1:]
    if isinstance(node, dict):
        return {**node, step: _set_at_path(node.get(step, {}), rest, value)}
    if not isinstance(node, list | tuple):
        raise EditError(f"a path leads into {type(node).__name__}, which has no members")
    if not (isinstance(step, int) and 0 <= step < len(node)):
        raise EditError(f"no element {step!r} in an array of {len(node)}")
    new = [*node[:step], _set_at_path(node[step], rest, value), *node[step + 1 :]]
    return tuple(new) if isinstance(node, tuple) else new


def _to_python(value: Any, node: Any = None) -> Any:
    """Convert a value to Python objects, as a replacement for `node`."""
    if isinstance(value, Inside):
        return _apply_inside(node, value)
    return loads(value.raw) if isinstance(value, Text) else value


def _apply_inside(node: Any, change: Inside) -> Any:
    if isinstance(node, str):
        text = apply_to_text(node, change.leaves)
        return _to_python(change.whole) if text is None else text
    if not has_leaves(node, change.leaves):
        return _to_python(change.whole)
    return _apply_ops(node, [Op(leaf.path, leaf.after) for leaf in change.leaves]) if change.leaves else node


def _build_member(ops: list[Op]) -> Any:
    """Build a new member: the operations applied to an empty object."""
    here, _ = _partition_ops(ops)
    return _to_python(here[0].value) if here else _apply_ops({}, ops)


# --- text ------------------------------------------------------------------------------------------------------------


def _compile_node(text: Text, ops: list[Op]) -> list[Splice]:
    here, below = _partition_ops(ops)
    if here and here[0].slice is None:
        return replace_value(text.data, (text.start, text.end), here[0].value)
    if here and text.kind == "{":
        raise EditError(f"messages can only be inserted into an array, and at byte {text.start} there is none")
    if text.kind not in "{[":
        raise EditError(f"a path leads into the scalar at byte {text.start}, which has no members")
    found: list[Splice] = []
    missing: dict[str, Any] = {}
    for step, inner in below.items():
        child = text.child(step)
        if child is not None:
            found += _compile_node(child, inner)
        elif text.kind == "{" and isinstance(step, str):
            missing[step] = _build_member(inner)
        else:
            raise EditError(f"no element {step!r} in the array at byte {text.start}")
    if missing:
        found.append(_append_members(text, missing))
    return found + _splice_array(text, _check_slices(here, below, len(text))) if here else found


def _append_members(text: Text, members: dict[str, Any]) -> Splice:
    """Append new members at the end of an object."""
    new = b",".join(dumps(name) + b":" + dumps(value) for name, value in members.items())
    spans = text.open()
    if spans.ends:
        return Splice(spans.ends[-1], spans.ends[-1], b"," + new)
    return Splice(text.start + 1, text.start + 1, new)


def _splice_array(text: Text, cuts: list[tuple[int, int, list[Any]]]) -> list[Splice]:
    """Slices of an array, one splice per gap, with the array's own separator."""
    spans, gap = text.open(), b"\n" if isinstance(text, Lines) else b","
    if len(spans.starts) > 1:
        gap = text.data[spans.ends[0] : spans.starts[1]]
    found = []
    for i, j, values in _merge_cuts(cuts):
        new = [dumps(value) for value in values]
        if new or i < j:
            found.append(_splice_gap(text, i, j, new, gap))
    return found


def _merge_cuts(cuts: list[tuple[int, int, list[Any]]]) -> list[tuple[int, int, list[Any]]]:
    """Merge cuts that touch, so that each splice has survivors on both sides."""
    joined: list[tuple[int, int, list[Any]]] = []
    for i, j, values in cuts:
        if joined and joined[-1][1] == i:
            first, _, before = joined.pop()
            joined.append((first, j, before + values))
        else:
            joined.append((i, j, values))
    return joined


def _splice_gap(text: Text, i: int, j: int, new: list[bytes], gap: bytes) -> Splice:
    spans = text.open()
    size = len(spans.starts)
    first = 0 if isinstance(text, Lines) else text.start + 1
    if i and j < size:
        return Splice(spans.ends[i - 1], spans.starts[j], gap.join((b"", *new, b"")) if new else gap)
    if i:
        return Splice(spans.ends[i - 1], spans.ends[-1], b"".join(gap + one for one in new))
    start = spans.starts[0] if size else first
    if j < size:
        return Splice(start, spans.starts[j], b"".join(one + gap for one in new))
    return Splice(start, spans.ends[-1] if size else first, gap.join(new))
