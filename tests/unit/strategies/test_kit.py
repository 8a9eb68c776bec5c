"""Our own strategies and schedules pass what others' are asked to pass."""

import pytest

from secateur.schedule import SCHEDULES, BreakEven, ColdCache, EveryRequest, Never, Schedule, Threshold
from secateur.strategies import (
    STRATEGIES,
    ClearInputs,
    ClearMedia,
    Condense,
    Deduplicate,
    DropReasoning,
    Excerpt,
    HardClear,
    ReduceOutput,
    SoftTrim,
    Strategy,
    Supersede,
)
from secateur.testing import ScheduleKit, StrategyKit

EACH: list[Strategy] = [
    ClearInputs(),
    ClearMedia(keep=0),
    Condense(),
    Deduplicate(),
    DropReasoning(),
    Excerpt(max_chars=4_000),
    HardClear(),
    HardClear(placeholder="[cleared]", never_longer=False),
    ReduceOutput(min_tokens_saved=100),
    SoftTrim(),
    SoftTrim(form="ends"),
    Supersede(recent_files=0),
]
SCHEDULED: list[Schedule] = [
    Never(),
    EveryRequest(),
    Threshold(over_prunable_tokens=1_000),
    Threshold(over_window_share=0.05),
    Threshold(min_idle_s=60),
    ColdCache(),
    BreakEven(),
    BreakEven(break_even_share=0.1, max_overspend=5.0),
]


def laws(kit: type) -> list[str]:
    return [name for name in vars(kit) if name.startswith("test_")]


@pytest.mark.parametrize("tested", EACH, ids=repr)
@pytest.mark.parametrize("law", laws(StrategyKit))
def test_a_strategy_keeps_the_law(tested: Strategy, law: str) -> None:
    class Kit(StrategyKit):
        may_lengthen = isinstance(tested, HardClear | SoftTrim)

        def strategy(self) -> Strategy:
            return tested

    getattr(Kit(), law)()


@pytest.mark.parametrize("tested", SCHEDULED, ids=repr)
@pytest.mark.parametrize("law", laws(ScheduleKit))
def test_a_schedule_keeps_the_law(tested: Schedule, law: str) -> None:
    class Kit(ScheduleKit):
        def schedule(self) -> Schedule:
            return tested

    getattr(Kit(), law)()


def test_none_is_left_out() -> None:
    assert {type(one).__struct_config__.tag for one in EACH} == set(STRATEGIES.built_in)
    assert {type(one).__struct_config__.tag for one in SCHEDULED} == set(SCHEDULES.built_in)
