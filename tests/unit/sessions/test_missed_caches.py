"""Answers that read nothing where a cache should have held their prompt: after three in a row there is none to lose."""

import json
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine
from secateur.receipt import Receipt
from secateur.sessions.calibration import COLD_MISSES, advance_clock, describe_misses, is_missed
from secateur.stores.protocol import Clock
from secateur.usage import Usage, UsageBill
from secateur.view import View

START = 1_800_000_000_000


def body(count: int) -> bytes:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(count):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": f"make step-{number}"})},
        }
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": f"c{number}", "content": f"step {number} " * 800}]
    return json.dumps({"model": "gpt-5", "messages": messages}).encode()


class Session:
    """Requests a few seconds apart, each with what its provider reports."""

    def __init__(self, store: str | None = None) -> None:
        self.store, self.count, self.engine = store, 40, Engine("balance", store=store, window=1_000_000)

    def send(self, share: float | None) -> View[bytes]:
        """One more request; of its prompt so much was read, as the provider says. None: it says nothing of a cache."""
        self.count += 1
        at = START + 5_000 * self.count
        view = self.engine.fit(body(self.count), session="s", now_ms=at, idle_s=4.0)
        tokens = view.receipt.tokens_view
        details = {} if share is None else {"prompt_tokens_details": {"cached_tokens": int(share * tokens)}}
        self.engine.record_usage(
            view, {"usage": {"prompt_tokens": tokens, "completion_tokens": 9, **details}}, now_ms=at + 1_000
        )
        return view

    def restart(self) -> None:
        self.engine = Engine("balance", store=self.store, window=1_000_000)


def test_a_single_miss_is_no_free_moment() -> None:
    session = Session()
    assert not any(session.send(share).receipt.opened for share in (0.9, 0.0, 0.9, 0.0, 0.1, 0.9))


@pytest.mark.parametrize("is_restarted", [False, True])
def test_after_three_in_a_row_what_may_go_goes(tmp_path: Path, is_restarted: bool) -> None:
    session = Session(f"sqlite:///{tmp_path}/kept.db")
    assert not any(session.send(share).receipt.opened for share in (0.9, 0.0, 0.0, 0.0))
    if is_restarted:
        session.restart()
    receipt = session.send(0.0).receipt
    assert receipt.opened
    assert receipt.reason.startswith("the last 3 answers read next to nothing from the prompt cache")
    assert receipt.cost is not None
    assert receipt.cost.cache_cold_reason
    assert not session.send(0.0).receipt.opened  # the answer to an epoch tells nothing: one more miss is asked for


def test_what_is_never_reported_is_no_evidence() -> None:
    for share in (None, 0.0):
        session = Session()
        assert not any(session.send(share).receipt.opened for _ in range(6))


def told(read: int, taken: int = 50_000) -> Usage:
    return Usage(input=taken - read, read=read)


LAST = Receipt(
    policy="p",
    model="m",
    window=0,
    window_source="",
    counter="",
    tokens_raw=0,
    tokens_view=0,
    messages=1,
    opened=False,
    edits=(),
    active_edits=0,
    skipped_reason="",
    head_key="k",
    billed=UsageBill(1, Usage(read=9)),
)
BEFORE = Clock(called=1, model="m", taken=49_000)


@pytest.mark.parametrize(
    ("before", "usage", "missed"),
    [
        (BEFORE, told(0), True),
        (BEFORE, told(24_000), True),
        (BEFORE, told(25_000), False),
        (BEFORE, told(0, taken=40_000), False),  # another conversation's prompt, or a shorter one
        (Clock(called=1, model="m", taken=8_000), told(0), False),  # too short to be cached everywhere
        (Clock(), told(0), False),
    ],
)
def test_a_miss_is_a_prompt_that_grew_and_was_not_read(before: Clock, usage: Usage, missed: bool) -> None:
    assert is_missed(before, usage, LAST) is missed
    after = advance_clock(before, usage, LAST, 60_001)
    assert after.missed == (("k",) if missed else ())
    assert after.misses_in_row == int(missed)


def test_a_read_ends_a_row_and_another_model_begins_anew() -> None:
    clock = Clock(called=1, model="m", taken=49_000, misses_in_row=COLD_MISSES)
    assert describe_misses(clock, "m")
    assert not describe_misses(clock, "other")
    assert advance_clock(clock, told(48_000), LAST, 2_000).misses_in_row == 0
    assert advance_clock(Clock(called=1, model="n", misses_in_row=5), told(0), LAST, 2_000).misses_in_row == 0
