"""A bound of the user's own: the view is kept under it where that can be, and no one is refused for it."""

import json
from typing import Any

import pytest

from long_sessions import body, called, long, said
from secateur import Engine, fit
from secateur.errors import ConfigError, StillTooLong
from secateur.policy import load, with_target_tokens
from secateur.policy.windows import find_target
from secateur.simulate.requests import read_recording
from secateur.simulate.run import simulate

TARGET = 12_000
LONG = body(long())


def test_the_view_is_kept_under_the_target_and_the_window_has_room() -> None:
    whole = fit(LONG, window=200_000, now_ms=0)
    view = fit(LONG, window=200_000, target_tokens=TARGET, now_ms=0)
    assert view.receipt.tokens_view <= TARGET < whole.receipt.tokens_view


def test_it_is_the_same_in_a_policy_of_ones_own() -> None:
    stated = {"extends": "balance", "name": "balance", "target_tokens": TARGET}
    one = Engine("balance", window=200_000, target_tokens=TARGET).fit(LONG, now_ms=0)
    assert Engine(stated, window=200_000).fit(LONG, now_ms=0).request == one.request


def test_a_target_above_the_window_changes_nothing() -> None:
    plain = fit(LONG, window=16_000, now_ms=0)
    assert fit(LONG, window=16_000, target_tokens=16_000, now_ms=0).request == plain.request
    assert find_target(with_target_tokens(load("balance"), 16_000), 16_000, "stated") is None


def test_it_leaves_no_room_for_an_answer_and_says_where_it_comes_from() -> None:
    target = find_target(with_target_tokens(load("balance"), 9_000), 10_000, "stated")
    assert target is not None
    assert target.policy.compaction is not None
    assert (target.tokens, target.policy.compaction.reserve_tokens) == (9_000, 0)
    assert target.source == "target_tokens of policy balance, below 10,000 (stated)"
    assert find_target(with_target_tokens(load("balance"), None), 10_000, "stated") is None


def test_what_is_over_the_target_alone_is_a_warning_and_stays_as_it_came() -> None:
    text = "".join(f"def name_{n}(): return {n * n}\n" for n in range(1_500))
    unread = [said("user", "Go."), *called(0, "cat names.py", text)]
    view = Engine("balance", window=200_000, target_tokens=2_000).fit(body(unread), now_ms=0)
    assert json.loads(view.request)["messages"] == json.loads(body(unread))["messages"]
    assert any("2,000" in warning for warning in view.receipt.warnings)
    with pytest.raises(StillTooLong):
        Engine("kilocode", window=2_000, target_tokens=1_000).fit(body(unread), now_ms=0)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "many", True])
def test_a_target_is_a_number_of_tokens(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="target_tokens=.*: give a whole number from 1 up, in tokens"):
        Engine("balance", target_tokens=wrong)


def test_a_replay_is_kept_under_it_as_well() -> None:
    recording = read_recording(json.loads(LONG))
    run = simulate(recording, with_target_tokens(load("balance"), TARGET), window=200_000)
    assert max(row.prompt for row in run.rows) <= TARGET < max(recording.prompt_tokens)
