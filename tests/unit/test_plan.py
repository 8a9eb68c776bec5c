"""What a plan comes to: which edit is in force, which epochs hold, which ranges stand replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversation import talk, user
from secateur.errors import EditError
from secateur.model import Edit, Epoch, NewMessage, Remove, Replace, Restore, Rewrite
from secateur.plan import (
    REFUSED,
    UNDONE,
    Plan,
    collect_blocked_keys,
    decode,
    encode,
    fold,
    list_active_epochs,
    resolve_ranges,
)

KEYS = st.sampled_from(["a", "b", "c"])
EDITS = st.one_of(
    st.builds(Rewrite, KEYS, st.sampled_from(["1", "2"]), st.just("x")),
    st.builds(Remove, KEYS, st.just("x")),
    st.builds(Restore, KEYS, st.just("x")),
)


def planned(*epochs: tuple[Edit, ...], undoes: dict[int, int] | None = None) -> Plan:
    """A plan with these epochs, at their numbers as times; some undo others."""
    return Plan(tuple(Epoch(n, f"tip{n}", "", edits, (undoes or {}).get(n)) for n, edits in enumerate(epochs)))


def in_force(*epochs: tuple[Edit, ...], undoes: dict[int, int] | None = None) -> dict[str, tuple[str, int]]:
    """By key: the text that is there ("gone": it was removed), and the epoch it is of."""
    found = fold(planned(*epochs, undoes=undoes)).parts
    return {key: (edit.text if isinstance(edit, Rewrite) else "gone", at) for key, (edit, at) in found.items()}


@given(st.permutations([Rewrite("a", "1", "x"), Remove("a", "y"), Rewrite("a", "2", "z")]))
def test_in_one_epoch_a_removal_wins_in_any_order(edits: list[Edit]) -> None:
    assert in_force(tuple(edits)) == {"a": ("gone", 0)}


def test_the_later_epoch_wins() -> None:
    write, remove, back = Rewrite("a", "1", "x"), Remove("a", "x"), Restore("a", "x")
    assert in_force((write,), (remove,)) == {"a": ("gone", 1)}
    assert in_force((remove,), (write,)) == {"a": ("1", 1)}
    assert in_force((write,), (back,)) == {}
    assert in_force((write,), (back,), (write,)) == {"a": ("1", 2)}
    assert in_force((write, Rewrite("b", "2", "x")), (back,)) == {"b": ("2", 0)}


@given(st.lists(st.lists(EDITS, max_size=4).map(tuple), max_size=5))
def test_what_is_in_force_is_what_the_last_epoch_that_names_it_says(epochs: list[tuple[Edit, ...]]) -> None:
    expected: dict[str, tuple[str, int]] = {}
    for at, edits in enumerate(epochs):
        for key in "abc":
            mine = [edit for edit in edits if not isinstance(edit, Replace) and edit.key == key]
            gone = any(isinstance(edit, Remove) for edit in mine)
            for edit in mine:
                if isinstance(edit, Restore):
                    expected.pop(key, None)
                elif isinstance(edit, Remove):
                    expected[key] = ("gone", at)
                elif not gone:
                    expected[key] = (edit.text, at)
    assert in_force(*epochs) == expected


def test_an_undone_epoch_does_not_count_and_undoing_the_undo_brings_it_back() -> None:
    one, two = (Rewrite("a", "1", "x"),), (Rewrite("a", "2", "x"),)
    assert in_force(one, two, (), undoes={2: 1}) == {"a": ("1", 0)}
    assert in_force(one, two, (), (), undoes={2: 1, 3: 2}) == {"a": ("2", 1)}
    assert in_force(one, two, (), (), (), undoes={2: 1, 3: 2, 4: 3}) == {"a": ("1", 0)}
    assert [epoch.at_ms for epoch in list_active_epochs(planned(one, two, (), undoes={2: 1}))] == [0, 2]


def test_nobody_proposes_again_what_was_undone_or_refused() -> None:
    one, two = (Rewrite("a", "1", "x"),), (Rewrite("b", "2", "x"),)
    assert collect_blocked_keys(planned(one, two)) == {}
    assert collect_blocked_keys(planned(one, two, (), undoes={2: 0})) == {"a": UNDONE}
    assert collect_blocked_keys(planned(one, two, (), (), undoes={2: 0, 3: 2})) == {}
    plan = Plan((*planned(one, two).epochs, Epoch(9, "tip", f"{REFUSED}: rule", two, reverts=0)))
    assert collect_blocked_keys(plan) == {"a": REFUSED, "b": REFUSED}


def test_ranges_stand_where_both_ends_are_in_the_history() -> None:
    read = talk(*(user(str(n)) for n in range(6))).messages

    def standing(*ends: tuple[int, int]) -> list[tuple[int, int]]:
        keys = ["", *(message.key for message in read), "elsewhere"]
        made = tuple(
            (Replace(keys[i], keys[j], (NewMessage("user", "-"),), "compact"), n) for n, (i, j) in enumerate(ends)
        )
        return [(i, j) for i, j, _ in resolve_ranges(made, read)]

    assert standing() == []
    assert standing((0, 2)) == [(0, 2)]
    assert standing((3, 5), (0, 2)) == [(0, 2), (3, 5)]
    assert standing((0, 2), (0, 4)) == [(0, 4)]
    assert standing((1, 3), (2, 5)) == [(2, 5)]
    assert standing((2, 4), (0, 2)) == [(0, 2), (2, 4)]
    assert standing((0, 7)) == []
    assert standing((7, 2)) == []
    assert standing((3, 1)) == []
    assert standing((2, 2)) == [(2, 2)]
    assert standing((2, 2), (2, 4)) == [(2, 4)]
    assert standing((2, 2), (1, 4)) == [(1, 4)]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"{}", b'{"messages": []}', b'{"epochs": 5}', b"\xff"])
def test_nothing_but_a_plan_passes_for_one(data: bytes) -> None:
    with pytest.raises(EditError, match="this is not a plan: .*; give a file written by --plan-out"):
        decode(data)
    assert decode(encode(Plan())) == Plan()
