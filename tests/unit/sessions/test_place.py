"""What a session that parts from another takes along of its plan."""

from secateur.model import Edit, Epoch, Rewrite
from secateur.plan import Plan, branch_for

EDIT: tuple[Edit, ...] = (Rewrite("k", "x", "by"),)


def plan(*epochs: tuple[str, int | None]) -> Plan:
    """Epochs by their tips, and what each undoes."""
    return Plan(
        tuple(Epoch(n, tip, "", () if undoes is not None else EDIT, undoes) for n, (tip, undoes) in enumerate(epochs))
    )


def taken(whole: Plan, *keys: str) -> list[tuple[int, int | None]]:
    """The times of the epochs that are inherited, which are their numbers in the whole plan, and what each undoes."""
    return [(epoch.at_ms, epoch.reverts) for epoch in branch_for(whole, frozenset(keys)).epochs]


def test_only_epochs_whose_tips_are_in_the_history_come_along() -> None:
    whole = plan(("a", None), ("b", None), ("c", None))
    assert taken(whole, "a", "b", "c") == [(0, None), (1, None), (2, None)]
    assert taken(whole, "a", "b") == [(0, None), (1, None)]
    assert taken(whole, "a", "c") == [(0, None), (2, None)]
    assert taken(whole) == []
    assert taken(whole, "elsewhere") == []


def test_an_undo_comes_along_with_what_it_undoes_and_names_it_where_it_stands_now() -> None:
    whole = plan(("a", None), ("b", None), ("c", 1), ("d", 2))
    assert taken(whole, "a", "b", "c", "d") == [(0, None), (1, None), (2, 1), (3, 2)]
    assert taken(whole, "b", "c", "d") == [(1, None), (2, 0), (3, 1)]
    assert taken(whole, "b", "c") == [(1, None), (2, 0)]


def test_an_undo_of_what_did_not_come_along_stays_behind() -> None:
    whole = plan(("a", None), ("b", None), ("c", 1), ("d", 2))
    assert taken(whole, "a", "c", "d") == [(0, None)]
    assert taken(whole, "a", "b", "d") == [(0, None), (1, None)]
