"""Cases that the recipe found once: they stay sound."""

import pytest

from laws.validity import Outcome, case, play

REWOUND = (59330, 74190)  # into a turn that must begin with reasoning taken out before
EMPTIED = (78204, 80619, 93529)  # a message held nothing but plain reasoning: what stands for it now is new to the rest
OVER = (77200, 85930, 98125)  # a turn that ends in an answer is over, though its reasoning came first


@pytest.mark.parametrize("seed", [*REWOUND, *EMPTIED, *OVER])
def test_what_was_found_once_is_sound(seed: int) -> None:
    outcome = Outcome()
    play(case(seed), outcome)
    assert outcome.findings == []
    assert outcome.taken_back == []
