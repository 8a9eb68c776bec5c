"""The law "tree of requests": what one branch of a session does, no other branch feels."""

import pytest

from laws.natives import elements
from laws.shapes import SHAPES, Shape
from laws.trees import PRESETS, Outcome, Player, Sent, find_parent, tree, write_requests

TREES = 48  # the first of those of benchmarks/trees.py
FOUND = (285, 706, 1506)  # wrong once: a fork's newest message had grown; a medium went; equal lines written once


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)
def test_each_line_moves_only_where_its_own_receipt_says_so(shape: Shape) -> None:
    outcome = Outcome()
    for seed in range(TREES):
        policy, kept = PRESETS[seed % len(PRESETS)], bool(seed // len(PRESETS) % 2)
        Player(seed, shape, policy, kept).play(write_requests(seed, shape, tree(seed)), outcome)
    for seed in FOUND:
        for policy in PRESETS:
            for kept in (False, True):
                Player(seed, shape, policy, kept).play(write_requests(seed, shape, tree(seed)), outcome)
    assert outcome.findings == []
    assert {policy for what, policy in outcome.counts if what == "moves"} == set(PRESETS)


def test_a_request_goes_on_from_the_one_whose_last_message_had_grown_further() -> None:
    """A fork that speaks into the newest message has as many messages as the line that it leaves."""
    results = [{"type": "tool_result", "tool_use_id": "a", "content": "roses"}]
    said = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "a call"}]
    line = elements([*said, {"role": "user", "content": results}])
    fork = elements([*said, {"role": "user", "content": [*results, {"type": "text", "text": "another way"}]}])
    grown = [*fork, *elements([{"role": "assistant", "content": "done"}])]
    sent = [Sent(line, line, 0), Sent(fork, fork, 0), Sent(line, ["another view"], 0)]
    assert find_parent(sent, grown) is sent[1]
    assert find_parent(sent, line) is sent[2]  # of equal ones the last
    assert find_parent(sent, grown[:1]) is None
