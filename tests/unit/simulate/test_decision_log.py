"""The account of a run: what each epoch cost and saved adds up to the difference of the bills."""

from typing import Any

import pytest

from native import Native, calls, tool, user
from secateur.pricing import get_rules, make_unit_price
from secateur.simulate.cache import Caching
from secateur.simulate.decision_log import DecisionLog, build_decision_log
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import Run, simulate

LONG = "\n".join(f"line {number} of an output that nobody needs any more" for number in range(400))


def session(turns: int) -> Recording:
    """A conversation in which each turn reads one long file."""
    messages: list[Native] = []
    for number in range(turns):
        messages += [user(f"look at {number}"), calls((f"c{number}", "read")), tool(f"{number}\n{LONG}", f"c{number}")]
    return read_recording({"model": "claude-sonnet-4-5", "messages": [*messages, user("thanks")]}, format="openai_chat")


def runs(policy: Any) -> tuple[Run, Run]:
    found = get_rules("claude-sonnet-4-5")
    assert found is not None
    caching, price, recording = Caching(rules=found), make_unit_price(1.25, 0.1), session(12)
    return simulate(recording, policy, price, caching=caching), simulate(recording, None, price, caching=caching)


@pytest.mark.parametrize("policy", ["opencode", "pi-auto-compressor", "balance", "openclaw", "observe"])
def test_costs_and_savings_are_the_difference_of_the_bills(policy: str) -> None:
    run, base = runs(policy)
    told = build_decision_log(run, base)
    sums = sum(event.saved - event.cost for event in told.events) + told.other
    assert sums == pytest.approx(base.bill.units - run.bill.units)
    assert len(told.events) == run.bill.epochs
    assert sum(wait.requests for wait in told.waits) == len(run.rows) - run.bill.epochs


def test_an_epoch_of_opencode_says_what_it_broke_and_freed() -> None:
    run, base = runs("opencode")
    told: DecisionLog = build_decision_log(run, base)
    first = told.events[0]
    assert (first.on_arrival, first.cold) == (False, False)
    assert first.freed == base.rows[first.number].prompt - run.rows[first.number].prompt > 1_000
    assert first.cost == pytest.approx(1.15 * first.lost)
    assert first.requests == len(run.rows) - first.number


def test_who_does_nothing_costs_nothing_and_says_why() -> None:
    run, base = runs("observe")
    told = build_decision_log(run, base)
    assert told.events == ()
    assert [(wait.reason, wait.requests) for wait in told.waits] == [("the policy observes only", len(run.rows))]
