"""Where the money of a session went: shares that add up to the bill, and what of it bought nothing."""

import pytest

from native import calls, tool, user
from secateur.pricing import get_rules, make_unit_price
from secateur.simulate.attribution import ANSWERS, FIXED, Spending, analyze_spending
from secateur.simulate.cache import Caching
from secateur.simulate.recall import recall_of
from secateur.simulate.requests import read_recording
from secateur.simulate.run import simulate

SAID = "the lock lies in build/locks/agent.lock and nobody holds it\n" * 200


def spent(*outputs: str, fixed_tokens: int = 5_000) -> tuple[Spending, float]:
    messages = [user("go")]
    for number, output in enumerate(outputs):
        messages += [calls((f"c{number}", "read")), tool(output, f"c{number}")]
    body = {"model": "claude-sonnet-4-5", "messages": messages}
    recording = read_recording(body, format="openai_chat", fixed_tokens=fixed_tokens)
    rules = get_rules("claude-sonnet-4-5")
    assert rules is not None
    run = simulate(recording, None, make_unit_price(1.25, 0.1), caching=Caching(rules=rules))
    return analyze_spending(recording, run, recall_of(recording)), run.bill.dollars


def test_shares_add_up_to_the_bill() -> None:
    found, dollars = spent(SAID, "short", SAID + "other", "end")
    assert sum(one.dollars for one in found.spent) == pytest.approx(dollars)
    assert {(one.kind, one.tool) for one in found.spent} >= {(FIXED, ""), (ANSWERS, ""), ("tool result", "read")}
    fixed = next(one for one in found.spent if one.kind == FIXED)
    assert (fixed.tokens, fixed.tokens_sent) == (5_000, 5 * 5_000)


def test_a_copy_and_a_result_that_nobody_came_back_to_are_leaks() -> None:
    found, _ = spent(SAID, SAID, "end", "end of it", "really")
    by_kind = {one.what: one for one in found.leaks}
    assert by_kind["again"].times == 1
    assert by_kind["dead"].times >= 2
    assert min(by_kind["dead"].dollars, by_kind["again"].dollars) > 0


def test_a_short_session_with_one_of_each_leaks_nothing_again() -> None:
    found, _ = spent("one", "two")
    assert "again" not in {one.what for one in found.leaks}
