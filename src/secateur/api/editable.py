"""A conversation taken apart for repair: its messages and blocks as nodes to be changed, moved, removed and added.

Rule: a node knows its place in the document. Whatever is not changed is referred to by that place alone, so that it
comes out with the very bytes that it had. Which nodes to change is not decided here.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from secateur.jsontext import Text, dumps
from secateur.model import Path
from secateur.patch import Op, apply

Piece = Any  # a `Text` where the document is text, else an object


class Node(Struct, eq=False):
    """A message, an item or a block. `value` is its current value, `ops` are the changes in it (paths from here)."""

    value: Any
    path: Path | None = None  # its place in the document; None: it is new
    inner: list["Node"] | None = None  # its blocks, if they are an array under `name`
    name: str = "content"
    size: int = 0  # how many blocks it had; -1: it had a string instead
    ops: list[Op] = []
    gone: list[str] = []  # members that were removed

    def get(self, name: str) -> Any:
        """A member of an object; None if there is none."""
        return self.value.get(name) if isinstance(self.value, dict) else None

    @property
    def role(self) -> str:
        """The role of a message or the type of a block; "" if it has none."""
        found = self.get("role") or self.get("type")
        return found if isinstance(found, str) else ""

    def put(self, path: Path, value: Any) -> None:
        """Set the value at a path inside this node."""
        self.value = _with(self.value, path, value)
        self.gone = [name for name in self.gone if path and name != path[0]]  # it is there again
        for number, op in enumerate(self.ops):
            if path[: len(op.path)] == op.path:  # an earlier change includes this place
                self.ops[number] = Op(op.path, _get_at_path(self.value, op.path))
                return
        self.ops = [op for op in self.ops if op.path[: len(path)] != path] + [Op(path, value)]

    def drop(self, name: str) -> None:
        """Remove a member."""
        self.value = {key: one for key, one in self.value.items() if key != name}
        self.ops = [op for op in self.ops if op.path[:1] != (name,)]
        self.gone.append(name)

    def open_blocks(self) -> list["Node"]:
        """The blocks of a message, to be changed; a string becomes one block of text."""
        if self.inner is None:
            said = self.get(self.name)
            self.inner = [Node({"type": "text", "text": said})] if isinstance(said, str) and said.strip() else []
            self.size = -1
            self.ops = [op for op in self.ops if op.path[:1] != (self.name,)]
        return self.inner


def make_nodes(values: Sequence[Any], at: Path, name: str = "") -> list[Node]:
    """Nodes for the elements of an array. `name` is the member with their blocks."""
    return [_make_node(value, (*at, number), name) for number, value in enumerate(values)]


def _make_node(value: Any, path: Path, name: str) -> Node:
    blocks = value.get(name) if name and isinstance(value, dict) else None
    if not isinstance(blocks, list):
        return Node(value, path, name=name)
    return Node(value, path, make_nodes(blocks, (*path, name)), name, len(blocks))


def make_ops(native: Any, at: Path, size: int, nodes: Sequence[Node]) -> Iterator[Op]:
    """The operations that turn the array at `at`, which has `size` elements, into what the nodes say."""
    for (i, j), (low, high) in _find_gaps(size, [_place(node, at) for node in nodes]):
        yield Op(at, [_render_node(native, node) for node in nodes[low:high]], (i, j))
    for number in _find_fixed_nodes([_place(node, at) for node in nodes]):
        yield from _make_node_ops(native, nodes[number])


def _make_node_ops(native: Any, node: Node) -> Iterator[Op]:
    """Yield the changes in a node that stays in place."""
    if node.gone:
        yield Op(node.path or (), _render_node(native, node))
    else:
        yield from _list_changes(native, node)


def _list_changes(native: Any, node: Node) -> Iterator[Op]:
    path = node.path or ()
    yield from (Op((*path, *op.path), op.value) for op in node.ops)
    if node.inner is not None and node.size < 0:
        yield Op((*path, node.name), _build_array(native, [_render_node(native, one) for one in node.inner]))
    elif node.inner is not None and not any(not op.path for op in node.ops):
        yield from make_ops(native, (*path, node.name), node.size, node.inner)


def _render_node(native: Any, node: Node) -> Piece:
    """Render a whole node for a place where it was not before."""
    if node.path is None:
        inner = None if node.inner is None else [_render_node(native, one) for one in node.inner]
        return node.value if inner is None else _build_object(native, node, inner)
    changes = [Op(op.path[len(node.path) :], op.value, op.slice) for op in _list_changes(native, node)]
    found = native.at(node.path) if isinstance(native, Text) else _get_at_path(native, node.path)
    return _without(apply(Text.of(found.raw) if isinstance(found, Text) else found, changes), node.gone)


def _without(piece: Piece, gone: list[str]) -> Piece:
    """An object without these members; the others keep their characters."""
    if not gone:
        return piece
    if not isinstance(piece, Text):
        return {name: one for name, one in piece.items() if name not in gone}
    members = ((name, piece.child(name)) for name in piece.open().names or () if name not in gone)
    return Text.of(b"{%b}" % b",".join(dumps(name) + b":" + dumps(child) for name, child in members))


def _build_array(native: Any, pieces: list[Piece]) -> Piece:
    return Text.of(b"[%b]" % b",".join(map(dumps, pieces))) if isinstance(native, Text) else pieces


def _build_object(native: Any, node: Node, inner: list[Piece]) -> Piece:
    members = {**node.value, node.name: _build_array(native, inner)}
    if not isinstance(native, Text):
        return members
    return Text.of(b"{%b}" % b",".join(dumps(name) + b":" + dumps(one) for name, one in members.items()))


def _place(node: Node, at: Path) -> int | None:
    """The number of a node in the array at `at`; None if it was not there."""
    if node.path is None or node.path[:-1] != at:
        return None
    return int(node.path[-1])


def _find_fixed_nodes(places: Sequence[int | None]) -> list[int]:
    """Return the nodes that do not move: the longest run in the original order."""
    # Nodes may move, and each that moves is written anew. The longest increasing run of old places (patience sorting:
    # for each length, the run that ends at the smallest place) leaves as many nodes as possible where they are.
    tails: list[int] = []  # the smallest place that ends a run of each length
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number, place in enumerate(places):
        if place is not None:
            length = bisect_left(tails, place)
            before[number] = ends[length - 1] if length else None
            tails[length : length + 1] = [place]
            ends[length : length + 1] = [number]
    run: list[int] = []
    here = ends[-1] if ends else None
    while here is not None:
        run.append(here)
        here = before[here]
    return run[::-1]


def _find_gaps(size: int, places: Sequence[int | None]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield, between fixed nodes, the old elements to remove and the nodes to insert."""
    old = new = 0
    for number in [*_find_fixed_nodes(places), len(places)]:
        place = places[number] if number < len(places) else size
        assert place is not None  # an anchor is in the array
        if old < place or new < number:
            yield (old, place), (new, number)
        old, new = place + 1, number + 1


def _get_at_path(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _with(value: Any, path: Path, new: Any) -> Any:
    """The value with `new` at a path; everything off the path stays the same object."""
    if not path:
        return new
    step, *rest = path
    if isinstance(value, dict):
        return {**value, step: _with(value.get(step), tuple(rest), new)}
    if isinstance(value, list) and isinstance(step, int):
        return [*value[:step], _with(value[step], tuple(rest), new), *value[step + 1 :]]
    return {step: _with(None, tuple(rest), new)}
