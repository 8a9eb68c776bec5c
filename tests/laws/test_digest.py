"""Laws of digests: valid on every API, whatever they are made of; `validity` has the recipe."""

import pytest

from laws.trials import BIRTH, INPUTS, Trial, own
from laws.validity import Case, Outcome, case, play

EAGER = {
    "break_even_share": 0.001,
    "last_results": 2,
    "keep_tokens": 0,
    "min_tokens_freed": 1,
    "min_savings_ratio": 0,
    "max_overspend": None,
}
TRIALS = (
    own("digests", compaction={"digest": EAGER}),
    own("digests of what was pruned", INPUTS, on_arrival=BIRTH, compaction={"digest": EAGER | {"last_results": 4}}),
)
CASES = 40


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
