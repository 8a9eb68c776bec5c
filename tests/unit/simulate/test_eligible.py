"""A policy's own oracle: what it would let go, from when on, and what would be left of it."""

import json
from typing import Any

import pytest

from secateur.policy import load
from secateur.pricing import make_unit_price
from secateur.pricing.rules import CacheRules
from secateur.simulate.cache import Caching
from secateur.simulate.compare import compare_policies
from secateur.simulate.eligible import build_session_arrays
from secateur.simulate.foresight import Terms
from secateur.simulate.requests import Recording, read_recording

RULES = CacheRules(
    name="any", models=(), positions="marks", writes_cost=True, minimum_tokens=0, look_back=10_000, source="", date=""
)
TERMS = Terms(make_unit_price(1.25, 0.1), Caching(rules=RULES))


def session(rounds: int, lines: int = 60, words: int = 0) -> Recording:
    """Files that are read, one after the other; the user speaks after every sixth."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(rounds):
        given = json.dumps({"file_path": f"/src/m{number}.py", "content": "word " * words})
        call = {"id": f"c{number}", "type": "function", "function": {"name": "Read", "arguments": given}}
        told = "\n".join(f"def step_{number}_{line}(value): return {line}" for line in range(lines))
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": told},
        ]
        if number % 6 == 5:
            messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"Next, {number}."}]
    return read_recording({"model": "gpt-4o", "messages": messages})


def test_results_may_go_once_so_many_newer_ones_are_there() -> None:
    policy = load({"name": "window", "protect": {"last_results": 3}, "prune": [{"type": "hard_clear"}]})
    recording = session(10)
    (found,) = build_session_arrays(recording, policy, TERMS)
    assert found.requests == len(recording.requests) == 12  # ten calls, one answer, and the request that is yet to come
    assert found.first.tolist() == [1, 2, 3, 4, 5, 6, 8]
    assert found.eligible.tolist() == [4, 5, 6, 8, 9, 10, 11]
    assert found.prompts.tolist() == list(recording.prompt_tokens)
    assert (found.gains > 300).all()


def test_what_is_shortened_when_it_is_new_is_so_for_every_schedule() -> None:
    prune = {"name": "p", "protect": {"last_results": 3}, "prune": [{"type": "hard_clear"}]}
    born = prune | {"on_arrival": {"type": "excerpt", "max_chars": 1_000}}
    (whole,), (excerpts,) = (build_session_arrays(session(10), load(one), TERMS) for one in (prune, born))
    assert excerpts.prompts[-1] < 0.7 * whole.prompts[-1]
    assert excerpts.gains.sum() < whole.gains.sum()


def test_arguments_count_as_well_as_results() -> None:
    (found,) = build_session_arrays(
        session(14, words=400), load({"name": "p", "prune": [{"type": "clear_inputs"}]}), TERMS
    )
    assert len(found.gains) > 5


def test_who_prunes_nothing_has_nothing_to_gain() -> None:
    (found,) = build_session_arrays(session(6), load("observe"), TERMS)
    assert len(found.gains) == 0


@pytest.mark.parametrize("name", ["balance", "kilocode", "opencode", "anthropic", "pi-auto-compressor"])
def test_no_policy_is_cheaper_than_its_oracle(name: str) -> None:
    """Where the cache finds every prefix; by more than a few hundredths, which another first edit may save."""
    (one,) = compare_policies(session(60), [name], TERMS).standings
    assert one.vs_optimal is not None
    assert one.vs_optimal >= 0.98
    assert one.best is not None
    assert one.least is not None
    assert one.least <= one.best + 1e-6
