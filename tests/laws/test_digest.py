"""Laws of digests: valid on every API, whatever they are made of; `validity` has the recipe."""

import pytest

from laws.trials import BIRTH, INPUTS, Trial, own
from laws.validity import Case, Outcome, case, play

EAGER = {"beta": 0.001, "results": 2, "keep_tokens": 0, "least_tokens": 1, "times": 0, "max_regret": None}
TRIALS = (
    own("digests", compaction={"digest": EAGER}),
    own("digests of what was pruned", INPUTS, birth=BIRTH, compaction={"digest": EAGER | {"results": 4}}),
)
CASES = 150


def drawn(seed: int, trial: Trial) -> Case:
    return case(seed)._replace(trial=trial, then=trial, compact=True, window=1_000_000)


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_digests_are_valid_on_every_api(trial: Trial) -> None:
    outcome = Outcome()
    for seed in range(CASES):
        play(drawn(seed, trial), outcome)
    assert outcome.findings == []
    assert outcome.taken_back == []
    assert outcome.total("compacted") > outcome.total("requests") // 20
