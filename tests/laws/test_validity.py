"""Never break a session: whatever the provider took, it takes as we send it. `validity` has the recipe.

The whole run is `benchmarks/validity.py`; these are its first cases, the same each time.
"""

import pytest

from laws.shapes import SHAPES
from laws.trials import TRIALS
from laws.validity import Outcome, case, play

CASES = 400
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_no_view_is_refused_that_was_taken(part: int) -> None:
    outcome = Outcome()
    for seed in range(part, CASES, PARTS):
        play(case(seed), outcome)
    print(
        f"{outcome.total('cases'):,} cases, {outcome.total('requests'):,} requests, {outcome.total('edited'):,} edited"
    )
    assert outcome.findings == []
    assert outcome.taken_back == []
    assert outcome.total("cases") == CASES // PARTS
    assert outcome.total("edited") > outcome.total("requests") // 4
    assert outcome.total("sound") > outcome.total("requests") // 2
    assert outcome.total("aside") > outcome.total("requests") // 5
    assert outcome.total("compacted") > outcome.total("requests") // 40  # what is summarized once stays so


def test_the_recipe_reaches_every_format_under_every_policy() -> None:
    cases = [case(seed) for seed in range(CASES)]
    reached = {(one.shape.format, one.trial.name) for one in cases}
    assert {format for format, _ in reached} == {shape.format for shape in SHAPES}
    assert {name for _, name in reached} >= {trial.name for trial in TRIALS if trial}
    assert {aside.what for one in cases for aside in one.asides} == {"again", "fork", "side", "compact"}


def test_a_seed_makes_the_same_case() -> None:
    one, again = case(7), case(7)
    assert one == again
    assert one.shape.body(one.story, 3, one.style) == again.shape.body(again.story, 3, again.style)
