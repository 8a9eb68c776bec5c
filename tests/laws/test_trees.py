"""The law "tree of requests": what one branch of a session does, no other branch feels."""

import pytest

from laws.shapes import SHAPES, Shape
from laws.trees import PRESETS, Outcome, Player, tree, write_requests

TREES = 100


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)
def test_each_line_moves_only_where_its_own_receipt_says_so(shape: Shape) -> None:
    outcome = Outcome()
    for seed in range(TREES):
        policy, kept = PRESETS[seed % len(PRESETS)], bool(seed // len(PRESETS) % 2)
        Player(seed, shape, policy, kept).play(write_requests(seed, shape, tree(seed)), outcome)
    assert outcome.findings == []
    assert {policy for what, policy in outcome.counts if what == "moves"} == set(PRESETS)
