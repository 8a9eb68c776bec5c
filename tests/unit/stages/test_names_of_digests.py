"""Digests of a full view tell names, unless these would leave it so long that a summary had to be made."""

import json
from typing import Any

import pytest

from secateur import Engine

WORDS = ("maple", "walnut", "cedar", "linden", "hazel", "rowan", "alder", "aspen")
PAIRS = [f"{one}_{other}" for one in WORDS for other in WORDS if one != other]
BALANCE: dict[str, Any] = {"extends": "balance", "name": "ours", "on_arrival": None, "prune": []}


def body(reads: int) -> bytes:
    found: list[dict[str, Any]] = [{"role": "user", "content": "Mend the garden."}]
    for number in range(reads):
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"path": f"src/tree_{number}.py"}}
        source = "\n".join(f"    {pair}_{number} = make({pair}_{number}, 1)" for pair in PAIRS)
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": source}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": found}).encode()


@pytest.mark.parametrize(("low_water_share", "told"), [(0.75, True), (0.396, False)])
def test_names_are_left_out_where_they_would_leave_the_view_too_long(low_water_share: float, told: bool) -> None:
    digest = {"when": "window", "names_share": 0.06, "last_results": 2, "low_water_share": low_water_share}
    policy = BALANCE | {"compaction": {"digest": digest}}
    view = Engine(policy, window=5_000).fit(body(7))
    assert "older work freed: the view is over its threshold" in view.receipt.reason
    assert ("names: " in view.request.decode()) == told
