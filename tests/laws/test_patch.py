"""Laws of `apply`: identity, square and frame, on objects and on JSON text alike."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import EditError
from secateur.jsontext import Lines, Text, find_value
from secateur.patch import Op, apply

LONE = st.sampled_from(["\ud83d", "a\udc00b", "\ud83d\ud83d\ude00"])
TEXT = st.text(max_size=12) | LONE
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=25,
)


@st.composite
def patched(draw: st.DrawFn) -> tuple[Any, list[Op], str]:
    """A value, operations on it that do not overlap, and the value's text in some white space and escaping."""
    value = json.loads(json.dumps(draw(VALUE)))  # halves that stand side by side are joined by any parser
    ops = list(_visited(draw, value, ()))
    text = json.dumps(
        value,
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")])),
        indent=draw(st.sampled_from([None, 1])),
    )
    plain = json.dumps(value, ensure_ascii=False)
    return value, ops, plain if _encodable(plain) and draw(st.booleans()) else text


def _visited(draw: st.DrawFn, node: Any, path: tuple[str | int, ...]) -> Iterator[Op]:
    choice = draw(st.integers(0, 9))
    if choice == 0 and path:
        yield Op(path, draw(VALUE))
    elif isinstance(node, dict):
        for name, child in node.items():
            yield from _visited(draw, child, (*path, name))
        if choice == 1:
            yield Op((*path, draw(st.text(min_size=13, max_size=15)), "deep"), draw(VALUE))
    elif isinstance(node, list):
        cuts = list(_cuts(draw, len(node))) if choice in (2, 3, 4) else []
        yield from (Op(path, draw(st.lists(VALUE, max_size=2)), cut) for cut in cuts)
        gone = {at for i, j in cuts for at in range(i, j)}
        for at, child in enumerate(node):
            if at not in gone:
                yield from _visited(draw, child, (*path, at))


def _cuts(draw: st.DrawFn, size: int) -> Iterator[tuple[int, int]]:
    here = 0
    while here <= size:
        i = draw(st.integers(here, size))
        j = draw(st.integers(i, size))
        yield i, j
        here = j + draw(st.integers(1, 2))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1 from 1.0 and NaN from NaN's absence, and knows the order of names."""
    return json.dumps(one) == json.dumps(other)


@given(patched())
def test_square(case: tuple[Any, list[Op], str]) -> None:
    value, ops, text = case
    got = apply(Text.of(text.encode()), ops)
    assert same(json.loads(got.raw), apply(value, ops))


@given(patched())
def test_identity(case: tuple[Any, list[Op], str]) -> None:
    value, _, text = case
    shut = Text.of(text.encode())
    assert apply(shut, ()) is shut
    assert apply(value, ()) is value


@given(patched())
def test_frame_on_objects(case: tuple[Any, list[Op], str]) -> None:
    """A list or dict element that no operation leads to is the very same object."""
    value, ops, _ = case
    if not isinstance(value, dict) or not ops:
        return
    reached = {op.path[0] for op in ops if op.path}
    got = apply(value, ops)
    assert all(got[name] is value[name] for name in value if name not in reached)


@given(patched())
def test_frame_on_text(case: tuple[Any, list[Op], str]) -> None:
    """A member that no operation leads to keeps its very characters."""
    value, ops, text = case
    if not isinstance(value, dict) or not ops:
        return
    reached = {op.path[0] for op in ops if op.path}
    before, after = Text.of(text.encode()), apply(Text.of(text.encode()), ops)
    for name in value:
        if name not in reached:
            was, now = before.child(name), after.child(name)
            assert was is not None
            assert now is not None
            assert was.raw == now.raw


@given(st.lists(VALUE, max_size=6), st.data())
def test_lines_keep_the_others(values: list[Any], data: st.DataObject) -> None:
    """In a log, a changed line changes no other, torn and blank lines included."""
    values = json.loads(json.dumps(values))
    lines = [json.dumps(value) for value in values] + ["", '{"torn": [1, 2']
    at = data.draw(st.integers(0, max(0, len(values) - 1)))
    if not values or not isinstance(values[at], dict):
        return
    log = Lines.of("\n".join(lines).encode())
    got = apply(log, [Op((at, "new-name-here"), 1)]).data.decode().split("\n")
    assert got[:at] + got[at + 1 :] == lines[:at] + lines[at + 1 :]
    assert same(json.loads(got[at]), {**values[at], "new-name-here": 1})


@pytest.mark.parametrize(
    "ops",
    [
        [Op(("a",), 1), Op(("a",), 2)],
        [Op(("a",), 1), Op(("a", 0), 2)],
        [Op(("a",), [], (0, 2)), Op(("a", 1), 2)],
        [Op(("a",), [], (0, 2)), Op(("a",), [], (1, 2))],
        [Op(("a",), [], (0, 9))],
        [Op(("a", 9), 1)],
        [Op(("b", "c"), 1)],
    ],
)
def test_what_cannot_be_is_refused(ops: list[Op]) -> None:
    value = {"a": [1, 2, 3], "b": 4}
    with pytest.raises(EditError):
        apply(Text.of(json.dumps(value).encode()), ops)
    with pytest.raises(EditError):
        apply(value, ops)


def test_duplicate_names_the_last_one_holds() -> None:
    got = apply(Text.of(b'{"a":1,"b":[1],"a":2}'), [Op(("a",), 3), Op(("b", 0), 5)])
    assert got.raw == b'{"a":1,"b":[5],"a":3}'


def test_not_a_number_passes() -> None:
    assert apply(Text.of(b'{"a":NaN,"b":[-Infinity, 1]}'), [Op(("b", 1), 2)]).raw == b'{"a":NaN,"b":[-Infinity, 2]}'


FEW = st.sampled_from(["", "a", '"', '"a', "\\", '\\"', "]}", "content"])  # texts that occur in one another
LIKE = st.recursive(
    FEW | st.sampled_from([1, 11, -1, 0.1, None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FEW, inner, max_size=3),
    max_leaves=8,
)


@given(LIKE, st.sampled_from([None, 1]), st.sampled_from([b"", b"]}", b', "a"]']))
def test_what_is_looked_for_is_found_where_it_stands(value: Any, indent: int | None, behind: bytes) -> None:
    text = json.dumps(value, indent=indent).encode()
    whole = Text(text + behind, 0, len(text))
    for path in _paths(value):
        there = whole.at(path)
        assert there is not None
        assert find_value(whole.data, (0, len(text)), path) in (None, (there.start, there.end))


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    for step, inner in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from _paths(inner, (*path, step))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b'{"type":"x","content":"ok"}', (22, 26)),
        (b'{"content":"ok","type":"x"}', (11, 15)),
        (b'{"content":"ok","type":"ok"}', None),
        (b'{"content":"a\\"ok","type":"ok"}', (11, 18)),
        (b'{"content":[],"type":[]}', None),
    ],
)
def test_what_stands_there_twice_is_not_looked_for(text: bytes, found: tuple[int, int] | None) -> None:
    assert find_value(text, (0, len(text)), ("content",)) == found
