"""Answers that read nothing where a cache should have held their prompt: after three in a row there is none to lose."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur import Engine
from secateur.cachecost.misses import COLD_MISSES, Misses, add_answer
from secateur.sessions.calibration import describe_switch
from secateur.stores.protocol import Clock
from secateur.usage import Usage
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

    def send(self, share: float | None, step_ms: int = 5_000) -> View[bytes]:
        """One more request; of its prompt so much was read, as the provider says. None: it says nothing of a cache."""
        self.count += 1
        at = START + step_ms * self.count
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


def test_a_miss_after_a_pause_tells_nothing() -> None:
    session = Session()
    assert not any(session.send(share, step_ms=90_000).receipt.opened for share in (0.9, 0.0, 0.0, 0.0, 0.0))


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


BEFORE = Misses(taken=49_000)


@pytest.mark.parametrize(
    ("before", "usage", "missed"),
    [
        (BEFORE, told(0), True),
        (BEFORE, told(24_000), True),
        (BEFORE, told(25_000), False),
        (BEFORE, told(0, taken=40_000), False),  # another conversation's prompt, or a shorter one
        (Misses(taken=8_000), told(0), False),  # too short to be cached everywhere
        (Misses(), told(0), False),
    ],
)
def test_a_miss_is_a_prompt_that_grew_and_was_not_read(before: Misses, usage: Usage, missed: bool) -> None:
    after = add_answer(before, usage, "k", is_expected=False, is_reported=True)
    assert after == Misses(usage.taken, int(missed), ("k",) if missed else ())
    assert add_answer(before, usage, "k", is_expected=True, is_reported=True) == Misses(usage.taken, 0, ())
    silent = add_answer(before, usage, "k", is_expected=False, is_reported=False)
    assert silent.in_row == int(missed and bool(usage.read))


def test_a_read_ends_a_row_and_another_model_begins_anew() -> None:
    row = Misses(49_000, COLD_MISSES, ("k",))
    assert row.describe()
    assert not Misses(49_000, COLD_MISSES - 1).describe()
    assert add_answer(row, told(48_000), "l", is_expected=False, is_reported=True) == Misses(50_000, 0, ("k",))
    assert add_answer(row, told(0), "l", is_expected=True, is_reported=True).in_row == COLD_MISSES - 1
    assert add_answer(row, Usage(), "l", is_expected=False, is_reported=True) == row


def test_other_models_answers_are_no_misses_of_this_one() -> None:
    session = Session()
    for share in (0.9, 0.0, 0.0, 0.0):
        session.send(share)
    view = session.engine.fit(body(45).replace(b"gpt-5", b"gpt-4.1"), session="s", now_ms=START, idle_s=4.0)
    assert view.receipt.reason.startswith("the model was switched")


@pytest.mark.parametrize(
    ("model", "now", "is_told"),
    [
        ("claude-haiku-4-5", 400_000, True),  # has not answered in this session
        ("claude-sonnet-4-5", 400_000, True),  # its cache of five minutes is gone
        ("claude-sonnet-4-5", 200_000, False),  # its cache still lives
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", 900_000, False),  # another name of the last one
        ("", 400_000, False),
    ],
)
def test_only_a_model_without_a_cache_of_this_session_is_a_switch(model: str, now: int, is_told: bool) -> None:
    clock = Clock(model="claude-opus-4-5", sent={"claude-sonnet-4-5": 10_000, "claude-opus-4-5": 90_000})
    assert bool(describe_switch(clock, model, now, 300.0)) == is_told


def test_a_side_call_to_another_model_makes_no_free_moment_of_the_next_request() -> None:
    session = Session()
    session.send(0.9)
    aside = session.engine.fit(body(8).replace(b"gpt-5", b"gpt-4.1"), session="s", now_ms=START + 206_000, idle_s=1.0)
    usage = {"prompt_tokens": aside.receipt.tokens_view, "completion_tokens": 9}
    session.engine.record_usage(aside, {"usage": usage}, now_ms=START + 207_000)
    assert not session.send(0.9).receipt.opened


@given(st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 60_000), st.booleans(), st.booleans()), max_size=12))
def test_the_count_is_bounded_and_follows_from_the_answers(answers: list[tuple[int, int, bool, bool]]) -> None:
    def count() -> Misses:
        misses = Misses()
        for number, (read, other, is_expected, is_reported) in enumerate(answers * 8):
            usage = Usage(input=other, read=read)
            misses = add_answer(misses, usage, str(number), is_expected=is_expected, is_reported=is_reported)
        return misses

    assert count() == count()
    assert len(count().keys) <= 32
