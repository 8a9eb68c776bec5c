"""Operations on objects and on text: each on literals, and each error with its words."""

import json
from typing import Any

import pytest

from secateur.errors import EditError
from secateur.jsontext import Lines, Text
from secateur.patch import Op, Splice, apply, apply_splices

DOCUMENT = {"a": {"b": [10, 11, 12, 13]}, "c": "text", "d": None}


def both(*ops: Op) -> Any:
    """The document with these operations, which objects and text agree on."""
    changed = apply(DOCUMENT, ops)
    assert json.loads(apply(Text.of(json.dumps(DOCUMENT).encode()), ops).data) == changed
    return changed


@pytest.mark.parametrize(
    ("ops", "items"),
    [
        ((Op(("a", "b", 0), 1),), [1, 11, 12, 13]),
        ((Op(("a", "b", 3), 1), Op(("a", "b", 0), 2)), [2, 11, 12, 1]),
        ((Op(("a", "b"), [1, 2], (0, 0)),), [1, 2, 10, 11, 12, 13]),
        ((Op(("a", "b"), [1, 2], (4, 4)),), [10, 11, 12, 13, 1, 2]),
        ((Op(("a", "b"), [1], (1, 3)),), [10, 1, 13]),
        ((Op(("a", "b"), [], (0, 4)),), []),
        ((Op(("a", "b"), [], (2, 4)),), [10, 11]),
        ((Op(("a", "b"), [], (0, 1)), Op(("a", "b"), [9], (1, 1)), Op(("a", "b", 1), 8)), [9, 8, 12, 13]),
        ((Op(("a", "b"), [7], (3, 3)), Op(("a", "b"), [], (1, 2)), Op(("a", "b", 2), 8)), [10, 8, 7, 13]),
        ((Op(("a", "b"), [], (2, 3)), Op(("a", "b", 3), 8), Op(("a", "b", 1), 9)), [10, 9, 8]),
    ],
)
def test_elements_change_come_and_go(ops: tuple[Op, ...], items: list[int]) -> None:
    assert both(*ops) == {"a": {"b": items}, "c": "text", "d": None}


def test_members_change_and_come() -> None:
    assert both(Op(("c",), "other"), Op(("d",), 1)) == {"a": DOCUMENT["a"], "c": "other", "d": 1}
    assert both(Op((), 5)) == 5


@pytest.mark.parametrize(
    ("ops", "said"),
    [
        (
            (Op(("a",), 1), Op(("a", "b", 0), 2)),
            "an edit replaces a value inside which another edit makes changes: address each place once",
        ),
        ((Op(("a", "b", 4), 1),), r"no element 4 in "),
        ((Op(("a", "b", -1), 1),), r"no element -1 in "),
        ((Op(("a", "b", "x"), 1),), r"no element 'x' in "),
        ((Op(("a", "b", 0), 1), Op(("a", "b", 4), 1)), r"no element 4 in "),
        ((Op(("a", "b"), [], (3, 5)),), r"no elements \[3:5\] in an array of 4"),
        ((Op(("a", "b"), [], (3, 2)),), r"no elements \[3:2\] in an array of 4"),
        (
            (Op(("a", "b"), [], (1, 3)), Op(("a", "b", 1), 1)),
            r"an edit changes an element that another edit removes from \[1:3\]",
        ),
        (
            (Op(("a", "b"), [], (1, 3)), Op(("a", "b", 2), 1)),
            r"an edit changes an element that another edit removes from \[1:3\]",
        ),
        ((Op(("a", "b"), [], (0, 2)), Op(("a", "b"), [], (1, 3))), "two edits remove the same element 1"),
        ((Op(("a",), [], (0, 0)),), "messages can only be inserted into an array, and "),
        ((Op(("c", "x"), 1),), "a path leads into .* which has no members"),
        ((Op(("c", "x"), 1), Op(("c", "y"), 1)), "a path leads into .* which has no members"),
    ],
)
def test_what_cannot_be_carried_out_is_said(ops: tuple[Op, ...], said: str) -> None:
    with pytest.raises(EditError, match=f"^{said}"):
        apply(DOCUMENT, ops)
    with pytest.raises(EditError, match=f"^{said}"):
        apply(Text.of(json.dumps(DOCUMENT).encode()), ops)


def test_splices_may_touch_and_may_not_overlap() -> None:
    assert apply_splices(b"0123456789", [Splice(1, 3, b"ab"), Splice(3, 3, b"-"), Splice(8, 10, b"")]) == b"0ab-34567"
    with pytest.raises(EditError, match="^two edits overlap at byte 2: address each place once$"):
        apply_splices(b"0123456789", [Splice(1, 3, b"ab"), Splice(2, 4, b"")])


def test_lines_stay_lines_and_text_stays_text() -> None:
    lines = apply(Lines.of(b'{"a": 1}\n{"a":  2}\n'), (Op((1, "a"), 3),))
    assert type(lines) is Lines
    assert lines.data == b'{"a": 1}\n{"a":  3}\n'
    text = apply(Text.of(b'{"a":  [1,  2]}'), (Op(("a", 1), 3),))
    assert type(text) is Text
    assert text.data == b'{"a":  [1,  3]}'


def test_a_tuple_stays_a_tuple() -> None:
    assert apply({"a": (1, 2)}, (Op(("a", 0), 5), Op(("a", 1), 6))) == {"a": (5, 6)}
