"""Which windows bind which policy, and what is said of a view that does not fit."""

import json
from typing import Any

import pytest

from secateur import Engine
from secateur.compaction.outcome import CompactionSkipped
from secateur.errors import StillTooLong
from secateur.model import Message, Part, Transcript
from secateur.stages.record import find_largest, report_compaction

SAID = "; compaction is off; system prompt and tools take 0, the largest that remain are "


def body(sizes: list[int], model: str) -> bytes:
    """One call after the other, with results of so many lines."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, lines in enumerate(sizes):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
        result = {"role": "tool", "tool_call_id": f"c{number}", "content": f"line of {number}\n" * lines}
        found += [{"role": "assistant", "content": None, "tool_calls": [call]}, result]
    return json.dumps({"model": model, "messages": found}).encode()


SIZES = [90, 30, 70, 10, 50, 20, 80] * 30


@pytest.mark.parametrize("policy", ["balance", "kilocode"])
def test_a_window_that_was_looked_up_is_a_warning_while_compaction_is_off(policy: str) -> None:
    view = Engine(policy, "gpt-4", compact=False).fit(body(SIZES, "gpt-4"), session="s", now_ms=5)
    warning = next(one for one in view.receipt.warnings if "tokens remain" in one)
    assert " tokens remain and the window is 8,192" in warning
    assert SAID in warning
    assert view.receipt.compaction is not None
    assert (view.receipt.compaction.done, view.receipt.compaction.reason) == (False, "off")


@pytest.mark.parametrize("policy", ["balance", "kilocode"])
def test_a_window_that_was_stated_binds(policy: str) -> None:
    with pytest.raises(StillTooLong) as raised:
        Engine(policy, "gpt-4", window=3_000, compact=False).fit(body(SIZES, "gpt-4"), session="s", now_ms=5)
    assert " tokens remain and the window is 3,000" + SAID in str(raised.value)
    tokens = [part.tokens for part in raised.value.largest]
    assert len(tokens) == 5
    assert tokens == sorted(tokens, reverse=True)


def test_the_largest_parts_are_named_by_their_size() -> None:
    parts = [Part(kind="tool_result", path=(), text="", tokens=tokens) for tokens in (3, 9, 1, 7, 5, 8)]
    view = Transcript(messages=tuple(Message("tool", (), (part,)) for part in parts), messages_path=())
    assert [part.tokens for part in find_largest(view)] == [9, 8, 7, 5, 3]


def test_a_decision_against_a_compaction_is_reported_in_its_own_words() -> None:
    result = report_compaction(CompactionSkipped("no_progress", "nothing would be freed"), None, "too long")
    assert result.report is not None
    assert (result.report.done, result.report.reason) == (False, "no_progress")
    assert (result.report.text, result.report.asked_tokens) == ("nothing would be freed", (0, 0))
    assert (result.blobs, result.too_long) == ((), "too long")


@pytest.mark.parametrize(("policy", "unit"), [("pi-auto-compressor", "tokens"), ("openclaw", "characters")])
def test_a_preset_says_what_comes_free_in_the_unit_that_it_counts_in(policy: str, unit: str) -> None:
    engine = Engine(policy, "claude-opus-4-5", window=60_000)
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {}}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(30):
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"line of {number}\n" * 700}
        messages += [{"role": "assistant", "content": [call | {"id": f"c{number}"}]}]
        messages += [{"role": "user", "content": [result]}]
    request = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}
    view = engine.fit(json.dumps(request).encode(), session="s", now_ms=10**9, idle_s=4_000)
    assert view.receipt.status == "opened", view.receipt.skipped_reason
    assert f" {unit} freed, by its own count" in view.receipt.reason
