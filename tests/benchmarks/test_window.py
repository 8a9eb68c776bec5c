"""How the benchmark near the window judges its arms."""

import sys
from argparse import Namespace
from pathlib import Path

import pytest
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from window import (
    PRICES,
    Row,
    Scene,
    count_least,
    describe,
    find_best,
    make_policy,
    play,
    print_promises,
)

from secateur.schedule import ColdCache, Never
from secateur.simulate.requests import read_recording

sys.path.remove(str(Path(__file__).parents[2] / "benchmarks"))  # its files have names that folders of tests have, too

ROW = Row(
    session="s",
    share=0.5,
    price="gpt-5",
    arm="balance",
    bill=0.8,
    adjusted=0.9,
    peak=1.0,
    is_over=False,
    hard=0.96,
    references=100,
    kept=96.0,
    asked=1.0,
    epochs=2,
    unpruned=1_000.0,
)


@pytest.mark.parametrize("unfair", [{"is_over": True}, {"hard": 0.94}, {"asked": 0.9}])
def test_an_arm_that_breaks_its_bound_or_forgets_is_not_compared(unfair: dict[str, float]) -> None:
    cheap = replace(ROW, arm="other", adjusted=0.5, **unfair)
    best = find_best([ROW, cheap])
    assert best == {"s": 0.9}
    assert " 100% +0.100     0" in describe("balance", [ROW], best, {"s": 0.8})
    assert "   0% -0.300     0" in describe("other", [cheap], best, {"s": 0.8})


def test_an_arm_wins_within_one_percent_of_the_lowest_bill() -> None:
    near, far = replace(ROW, arm="near", adjusted=0.9085), replace(ROW, arm="far", adjusted=0.92, epochs=0)
    best = find_best([ROW, near, far])
    assert " 100% +0.000     0" in describe("near", [near], best, {})
    assert "   0% +0.000     1" in describe("far", [far], best, {})


def test_a_promise_is_broken_by_one_session_and_judged_unbounded_alone(capsys: pytest.CaptureFixture[str]) -> None:
    kept = [replace(ROW, share=0.0, arm=arm, bill=most) for arm, most in (("balance", 1.01), ("careful", 1.0))]
    assert print_promises([*kept, replace(ROW, bill=1.5)], "tuning")
    assert not print_promises([*kept, replace(ROW, share=0.0, session="t", bill=1.011)], "tuning")
    assert "broken by 1 of 2 sessions; dearest 1.01100 (t)" in capsys.readouterr().out


def test_each_price_is_played_by_itself() -> None:
    """A price says how long its cache lives, so the views of one are not those of another."""
    recording = read_recording(Path("sessions/pi.jsonl").read_bytes())
    given = {"share": [0.5], "arm": ["compaction"]}
    together = list(play("pi", recording, Namespace(price=["anthropic", "anthropic-1h", "gpt-5"], **given)))
    alone = [
        row
        for name in ("anthropic", "anthropic-1h", "gpt-5")
        for row in play("pi", recording, Namespace(price=[name], **given))
    ]
    assert together == alone


def test_arms_are_made_of_the_default() -> None:
    assert isinstance(make_policy("compaction", 0).schedule, Never)
    assert not make_policy("compaction", 0).prune
    assert isinstance(make_policy("cold", 0).schedule, ColdCache)
    assert make_policy("kilocode", 0).name == "kilocode"


def test_a_session_is_priced_for_each_price_and_its_least_prompts_are_shorter() -> None:
    recording = read_recording(Path("sessions/pi.jsonl").read_bytes())
    plain = {name: Scene(recording, regime).unpruned for name, regime in PRICES.items()}
    assert plain["minimum-4096"] >= plain["anthropic"] > plain["gpt-5"] > plain["deepseek"] > 0
    assert plain["anthropic-1h"] != plain["anthropic"]
    least = list(count_least(recording))
    assert all(one <= whole for one, whole in zip(least, recording.prompt_tokens, strict=True))
    assert max(least) < max(recording.prompt_tokens)
