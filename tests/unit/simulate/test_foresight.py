"""The best schedule of a recording: priced by a cache that finds every prefix, it costs what the oracle says."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from secateur.pricing import get_rules, make_unit_price
from secateur.simulate.cache import Caching
from secateur.simulate.foresight import Terms, find_best_schedule, list_aged, list_unreferenced
from secateur.simulate.recall import compare_views, recall_of
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import simulate

WORDS = "the client waits until somebody answers and then it goes on "


def session(rounds: int) -> Recording:
    """An agent that reads a file in each round; every fifth time it comes back to one that it read 3 rounds before."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "read them all"}]
    for number in range(rounds):
        use = f"grep mark_{number - 3}_here" if number % 5 == 4 else "go on"
        given = {"name": "bash", "arguments": json.dumps({"command": use})}
        call = {"id": f"c{number}", "type": "function", "function": given}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = f"mark_{number}_here\n" + WORDS * (5 + 40 * (number % 3))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    messages.append({"role": "assistant", "content": "done"})
    return read_recording(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}).encode())


RECORDING = session(60)
RULES = get_rules("claude-sonnet-4-5")
assert RULES
EVERY_PREFIX = Caching(rules=replace(RULES, positions="steps", step_tokens=1, minimum_tokens=0))
TERMS = Terms(make_unit_price(1.25, 0.1), EVERY_PREFIX)


def test_the_cache_model_agrees_with_the_numbers() -> None:
    found = find_best_schedule(RECORDING, list_aged(RECORDING, 5), TERMS)
    plain = simulate(RECORDING, None, TERMS.price, caching=EVERY_PREFIX)
    assert found.run.bill.units == pytest.approx(found.units)
    assert found.least < found.units < plain.bill.units
    assert found.run.bill.epochs == len({row.number for row in found.run.rows if row.opened}) > 1


def test_who_may_prune_nothing_pays_for_everything() -> None:
    plain = simulate(RECORDING, None, TERMS.price, caching=EVERY_PREFIX)
    found = find_best_schedule(RECORDING, [{}], TERMS)
    assert (found.units, found.least) == pytest.approx((plain.bill.units, plain.bill.units))
    assert found.run.bill.epochs == 0


def test_the_lossless_optimum_loses_no_hard_reference() -> None:
    recall = recall_of(RECORDING)
    found = find_best_schedule(RECORDING, list_unreferenced(RECORDING, recall), TERMS)
    score = recall.score(compare_views((RECORDING.get_context(one.request), one.seen) for one in found.run.turns))
    assert score.references == 12
    assert (score.hard, score.complete_requests) == (1, 1)
    early = find_best_schedule(RECORDING, list_aged(RECORDING, 1), TERMS)
    lossy = recall.score(compare_views((RECORDING.get_context(one.request), one.seen) for one in early.run.turns))
    assert lossy.hard < 1


def test_a_result_is_not_pruned_before_it_was_sent_once() -> None:
    assert list(list_aged(session(4), 0)[0].values()) == [2, 3, 4, 5]
    assert list(list_aged(session(4), 2)[0].values()) == [3, 4]
