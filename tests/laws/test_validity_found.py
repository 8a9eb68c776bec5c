"""Cases that the recipe found once: they stay sound."""

import pytest

from laws.validity import Outcome, case, play


@pytest.mark.parametrize("seed", [59330, 74190])  # a rewind into a turn that must begin with reasoning taken out before
def test_what_was_found_once_is_sound(seed: int) -> None:
    outcome = Outcome()
    play(case(seed), outcome)
    assert outcome.findings == []
    assert outcome.taken_back == []
