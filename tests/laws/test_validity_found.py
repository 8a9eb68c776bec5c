"""Cases that the recipe found once: they stay sound."""

import msgspec
import pytest

from laws.validity import Case, Outcome, case, play
from secateur.policy import load

REWOUND = (59330, 74190)  # into a turn that must begin with reasoning taken out before
EMPTIED = (78204, 80619, 93529)  # a message held nothing but plain reasoning: what stands for it now is new to the rest
OVER = (77200, 85930, 98125)  # a turn that ends in an answer is over, though its reasoning came first
SUMMED = (7, 245, 966)  # a view that a summary shortened was walked by the places of its history
IN_TURNS = (2296,)  # a summary stood beside another message of the user, before a server that wants turns
WORD = (1442,)  # what gave way was all that said json
OUTPUT = (28047,)  # an output said json too, which the API does not count
OVER_AGAIN = (23253,)  # all that the model had done since an old request was summed up, and the view ended there
MIDDLE = (2023, 4270, 41524)  # behind a summary the running turn begins earlier, with rounds as they were
UNTOLD = (20, 188, 228)  # a summary in the middle of a turn, and nothing that asks the agent to continue
SHORTER = (228,)  # of these, whose history is shorter than any summary of it
BESIDE = (3945, 4230, 5949)  # what came beside the main line made it forget what it had been sent
GAP = (4098, 5658)  # rounds of the running turn gave way between two that stay
IDLE = (7594, 8324)  # told to go on while it waited, the agent said nothing, and the user spoke next

INSIDE = (24510, 27300, 37940, 46480)  # several cache markers in one block: one was counted
LEADING = (44675,)  # a summary replaced the round with the reasoning that the running loop began with


@pytest.mark.parametrize("seed", [*SUMMED, *IN_TURNS, *WORD, *GAP, *IDLE])
def test_what_compaction_broke_once_is_sound(seed: int) -> None:
    plays(case(seed)._replace(compact=True))


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("seed", [*REWOUND, *EMPTIED, *OVER])
def test_what_was_found_once_is_sound(seed: int, compact: bool) -> None:
    plays(case(seed)._replace(compact=compact))


@pytest.mark.parametrize("seed", [*MIDDLE, *BESIDE, *OUTPUT, *OVER_AGAIN, *INSIDE, *LEADING])
def test_what_came_between_the_requests_broke_once_is_sound(seed: int) -> None:
    plays(case(seed))


@pytest.mark.parametrize("seed", UNTOLD)
def test_a_summary_in_the_middle_of_a_turn_is_sound_without_a_continuation(seed: int) -> None:
    one = case(seed)._replace(compact=True, asides=())
    plain = msgspec.to_builtins(one.trial.policy)
    plain["compaction"] = plain.get("compaction") or msgspec.to_builtins(load("balance").compaction)
    policy = load(plain | {"continuation": {"mode": "none"}})
    trial = one.trial._replace(policy=policy)
    outcome = plays(one._replace(trial=trial, then=trial))
    assert outcome.total("compacted") or seed in SHORTER


def plays(one: Case) -> Outcome:
    outcome = Outcome()
    play(one, outcome)
    assert outcome.findings == []
    assert outcome.taken_back == []
    return outcome
