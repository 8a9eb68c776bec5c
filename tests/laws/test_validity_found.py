"""Cases that the recipe found once: they stay sound."""

import pytest

from laws.validity import Case, Outcome, case, play

REWOUND = (59330, 74190)  # into a turn that must begin with reasoning taken out before
EMPTIED = (78204, 80619, 93529)  # a message held nothing but plain reasoning: what stands for it now is new to the rest
OVER = (77200, 85930, 98125)  # a turn that ends in an answer is over, though its reasoning came first
SUMMED = (7, 245, 966)  # a view that a summary shortened was walked by the places of its history
IN_TURNS = (2296,)  # a summary stood beside another message of the user, before a server that wants turns
WORD = (1442,)  # what gave way was all that said json
GAP = (4098, 5658)  # rounds of the running turn gave way between two that stay


@pytest.mark.parametrize("seed", [*SUMMED, *IN_TURNS, *WORD, *GAP])
def test_what_compaction_broke_once_is_sound(seed: int) -> None:
    plays(case(seed)._replace(compact=True))


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("seed", [*REWOUND, *EMPTIED, *OVER])
def test_what_was_found_once_is_sound(seed: int, compact: bool) -> None:
    plays(case(seed)._replace(compact=compact))


def plays(one: Case) -> None:
    outcome = Outcome()
    play(one, outcome)
    assert outcome.findings == []
    assert outcome.taken_back == []
