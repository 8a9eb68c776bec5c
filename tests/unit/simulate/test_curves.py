"""Recall against cost: the frontier, the area under it, and how sure a mean over sessions is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.simulate.recall.score import UNPRUNED, Point, compute_area, compute_interval, find_frontier

POINTS = st.lists(st.builds(Point, st.floats(0, 1.5), st.floats(0, 1)), max_size=6)


def test_what_another_beats_on_both_counts_is_left_out() -> None:
    some = [Point(0.5, 0.9), Point(0.6, 0.8), Point(0.7, 0.95), Point(0.5, 0.7), Point(1.2, 1.0)]
    assert find_frontier(some) == [Point(0.5, 0.9), Point(0.7, 0.95), UNPRUNED]


@pytest.mark.parametrize(
    ("points", "under"),
    [
        ([], 0.0),
        ([Point(0.5, 1.0)], 0.5),
        ([Point(0.0, 0.5)], 0.5),
        ([Point(0.4, 0.9), Point(0.5, 1.0)], 0.1 * 0.9 + 0.5),
        ([Point(1.1, 0.9)], 0.0),
    ],
)
def test_the_area_is_what_can_be_kept_at_each_cost(points: list[Point], under: float) -> None:
    assert compute_area(points) == pytest.approx(under)


@given(POINTS, st.builds(Point, st.floats(0, 1.5), st.floats(0, 1)))
def test_one_more_choice_never_makes_it_less(points: list[Point], more: Point) -> None:
    assert 0 <= compute_area(points) <= compute_area([*points, more]) + 1e-12 <= 1 + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_mean_lies_within_its_interval(values: list[float]) -> None:
    found = compute_interval(values, draws=200)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == compute_interval(values, draws=200)


def test_every_session_counts_alike_and_more_of_them_make_surer() -> None:
    few, many = compute_interval([1.0, 0.0]), compute_interval([1.0, 0.0] * 50)
    assert few.mean == many.mean == 0.5
    assert (few.low, few.high) == (0.0, 1.0)
    assert 0.39 < many.low < many.high < 0.61
    with pytest.raises(ValueError, match="no session"):
        compute_interval([])
