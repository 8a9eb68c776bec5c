"""FM-26: a prune falls due while a long prefix is cached and the next call comes at once.

A pruner without an eye on the cache has all of it written again. Here it waits while that is dearer than to continue
reading; where it pays, everything goes at once, and what went stays as it went, byte for byte.
"""

import json
from itertools import pairwise
from typing import Any

import pytest

from secateur import Engine, View

MODEL = "claude-opus-4-5"
GAP_S = 20


def rounds(first: int, count: int, words: int) -> list[dict[str, Any]]:
    """Calls and their results; a word is about two tokens."""
    found: list[dict[str, Any]] = []
    for number in range(first, first + count):
        use = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"file_path": f"/src/m{number}.py"}}
        out = "\n".join(f"def step_{number}_{line}(value): return value + {line}" for line in range(words // 10))
        told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": out}
        found += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    return found


def said(words: int) -> list[dict[str, Any]]:
    answer = {"role": "assistant", "content": "Understood."}
    return [answer, {"role": "user", "content": "Here is the specification. " + "clause " * words}]


def session(behind: int, words: int = 700) -> list[dict[str, Any]]:
    """Twenty files that were read, so much of the user's behind them, and many small rounds of work."""
    return [{"role": "user", "content": "go"}, *rounds(0, 20, words), *said(behind), *rounds(100, 60, 20)]


def views(messages: list[dict[str, Any]], first: int, policy: Any = "balance") -> tuple[list[bytes], list[View]]:
    """The requests from message `first` on, each 20 s after the one before, and their views."""
    engine, sent, found = Engine(policy, window=1_000_000), list[bytes](), list[View]()
    for place, end in enumerate(range(first, len(messages) + 1, 2)):
        sent.append(json.dumps({"model": MODEL, "max_tokens": 9, "messages": messages[:end]}).encode())
        found.append(engine.fit(sent[-1], session="s", now_ms=1_000 + place * GAP_S * 1_000, idle_s=GAP_S))
    return sent, found


@pytest.mark.parametrize("first", [1, 63])
def test_a_warm_cache_is_left_alone_while_to_break_it_is_dearer(first: int) -> None:
    """From the first request on, and from one at which 219,000 tokens were cached already."""
    sent, found = views(session(behind=170_000)[:83], first)
    due = [one for one in found if one.receipt.tokens_raw > 200_000]
    assert len(due) > 10
    assert [one.request for one in found] == sent
    assert all("editing now would cost" in one.receipt.skipped_reason for one in due[-5:])


def test_where_it_pays_all_goes_at_once_and_stays_as_it_went() -> None:
    eager = {"extends": "balance", "schedule": {"type": "break_even"}}  # no bound on what a moment may cost
    sent, found = views(session(behind=4_000, words=4_000), 1, eager)
    opened = [place for place, one in enumerate(found) if one.receipt.opened]
    batches = [found[at - 1].receipt.tokens_view - found[at].receipt.tokens_view for at in opened]
    assert len(batches) <= 3, "twenty files fell due one after the other"
    assert batches[0] > 40_000
    assert sum(batches) > 80_000
    for number, (one, other) in enumerate(pairwise(found), 1):
        if number not in opened:
            assert other.request.startswith(one.request[: one.request.rindex(b"]")])  # nothing before its end moves
    assert all(one.request == request for one, request in zip(found[: opened[0]], sent, strict=False))
