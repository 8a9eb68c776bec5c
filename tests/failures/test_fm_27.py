"""FM-27: after two hours and a restart the cache is gone, and no one remembers the last call.

A pruner that keeps its clock in memory takes that for "never called" and prunes nothing, into the overflow. Here the
clock is read from the store, an unknown one counts as cold, and everything that may be removed is gone before the first
send.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine
from secateur.stores import open_store

MODEL = "claude-opus-4-5"
HOUR_MS = 3_600_000
START = 1_800_000_000_000


def request(count: int) -> bytes:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"command": f"make step-{number}"}}
        told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"step {number} " * 800}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
        messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"And step {number + 1}."}]
    return json.dumps({"model": MODEL, "max_tokens": 9, "system": "help", "messages": messages}).encode()


def engine(url: str) -> Engine:
    """A process of its own, so far as the session can tell."""
    return Engine("balance", store=open_store(url), window=1_000_000)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The store of a session whose last call was answered at START, from a cache that is warm."""
    found = f"sqlite:///{tmp_path}/kept.db"
    first = engine(found)
    view = first.fit(request(39), session="s", now_ms=START - 5_000, idle_s=4.0)
    assert not view.receipt.opened
    first.record_usage(view, {"input_tokens": 200, "cache_read_input_tokens": 70_000}, now_ms=START)
    return found


def test_a_session_that_comes_back_is_pruned_before_its_first_call(url: str) -> None:
    view = engine(url).fit(request(40), session="s", now_ms=START + 2 * HOUR_MS)
    assert view.receipt.opened
    assert view.receipt.idle_s == 7_200
    assert view.receipt.cost is not None
    assert view.receipt.cost.cache_cold_reason
    assert view.receipt.tokens_view < view.receipt.tokens_raw * 0.8
    warm = engine(url).fit(request(41), session="s", now_ms=START + 2 * HOUR_MS + 60_000)
    assert not warm.receipt.opened  # the clock runs from the epoch on: what is cached now stays


def test_a_restart_alone_makes_nothing_cold(url: str) -> None:
    view = engine(url).fit(request(40), session="s", now_ms=START + 60_000)
    assert (view.receipt.opened, view.receipt.idle_s) == (False, 60.0)
    assert view.request == request(40)


def test_a_clock_that_nobody_knows_counts_as_cold(tmp_path: Path) -> None:
    view = engine(f"sqlite:///{tmp_path}/empty.db").fit(request(40), session="s", now_ms=START)
    assert view.receipt.idle_s is None
    assert view.receipt.opened
    assert "no earlier call is known" in view.receipt.reason
