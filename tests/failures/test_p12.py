"""P12: pruning destroys the prompt cache that it was to spare.

Two hundred requests: between two epochs each request continues from the bytes of the one before; there are no more
epochs than there are batches in what went; every process makes the same bytes of the same history; and the bill by the
cache model is not above that of passing everything through.
"""

import hashlib
import json
import os
import subprocess
import sys
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from secateur import Engine, View
from secateur.simulate.requests import read_recording
from secateur.simulate.run import simulate
from secateur.stores.memory import MemoryStore

MODELS = ("claude-opus-4-5", "claude-fable-5-2")
LEAST = 500  # tokens: what an epoch of `balance` frees at least, a moment that must be met aside


def session(rounds: int, seed: int = 7) -> list[dict[str, Any]]:
    """Work of many rounds: reads of files, runs of tests, a word of the user's after every seventh."""
    chance, messages = Random(seed), list[dict[str, Any]]([{"role": "user", "content": "build the parser"}])
    for number in range(rounds):
        read, size = chance.random() < 0.6, chance.choice((20, 60, 150, 400))
        given = (
            {"file_path": f"/src/m{chance.randrange(12)}.py"} if read else {"command": f"pytest -k case{number % 9}"}
        )
        use = {"type": "tool_use", "id": f"c{number}", "name": "Read" if read else "Bash", "input": given}
        told = "\n".join(f"{number}.{line}: value_{chance.randrange(10**6)}" for line in range(size))
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": told}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        if number % 7 == 6:
            messages += [{"role": "assistant", "content": "Next?"}, {"role": "user", "content": f"Go on, {number}."}]
    return messages


def bodies(rounds: int, model: str = MODELS[0]) -> list[bytes]:
    """The requests that such a session makes."""
    whole = session(rounds)
    ends = [number for number, message in enumerate(whole) if message["role"] == "assistant"]
    head = {"model": model, "max_tokens": 9, "system": "You write code."}
    return [json.dumps(head | {"messages": whole[:end]}).encode() for end in [*ends[1:], len(whole)]]


def views(requests: list[bytes], restarts: int = 0) -> list[View]:
    """Their views, twenty seconds apart; so many times another process continues from the store."""
    store, engine, found = MemoryStore(), Engine("balance"), list[View]()
    for number, request in enumerate(requests):
        if restarts and number % (len(requests) // restarts) == 0:
            engine = Engine("balance", store=store)
        found.append(engine.fit(request, session="s", now_ms=20_000 * number, idle_s=20.0))
    return found


def test_two_hundred_requests_move_their_prefix_at_epochs_alone() -> None:
    found = views(bodies(172))
    assert len(found) > 190
    opened = [number for number, view in enumerate(found) if view.receipt.opened]
    for number, (one, other) in enumerate(pairwise(found), 1):
        if number not in opened:
            assert other.request.startswith(one.request[: one.request.rindex(b"]")])
    freed = sum(entry.tokens_before - entry.tokens_after for view in found for entry in view.receipt.edits)
    assert freed > 20_000
    assert 0 < len(opened) <= ceil(freed / LEAST)


@pytest.mark.parametrize("model", MODELS)
def test_restarts_change_no_byte(model: str) -> None:
    requests = bodies(60, model)
    kept, restarted = views(requests, restarts=1), views(requests, restarts=8)
    assert [view.request for view in kept] == [view.request for view in restarted]
    assert any(view.receipt.opened for view in kept)


def test_every_process_makes_the_same_bytes() -> None:
    ours = digest(40)
    for seed in ("1", "2"):
        source = "import sys; sys.path.insert(0, sys.argv[1]); from test_p12 import digest; print(digest(40))"
        done = subprocess.run(
            [sys.executable, "-c", source, str(Path(__file__).parent)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == ours


def digest(rounds: int) -> str:
    """A hash of all views of a session."""
    return hashlib.sha256(b"\n".join(view.request for view in views(bodies(rounds)))).hexdigest()


@pytest.mark.parametrize(
    "model", [*MODELS, "claude-sonnet-5-5", "gpt-4o", "gpt-5.6-sol", "gemini-2.5-pro", "deepseek-v4-pro"]
)
def test_the_bill_is_not_above_that_of_passing_everything_through(model: str) -> None:
    recording = read_recording(bodies(172, model)[-1])
    plain, pruned = simulate(recording), simulate(recording, "balance")
    assert pruned.bill.units <= 1.01 * plain.bill.units
    assert pruned.bill.cache_breaks <= pruned.bill.epochs
    paid = unpruned = 0.0
    for ours, theirs in zip(pruned.rows, plain.rows, strict=True):
        paid, unpruned = paid + ours.units, unpruned + theirs.units
        assert paid <= 1.01 * unpruned, "at no moment"
