"""Which windows bind, what gives way last, and that a receipt has one status and one reason."""

import json
from typing import Any

import pytest

from long_sessions import body, long, said
from secateur import Engine, StillTooLong
from secateur.policy import PRESETS

LONG = body(long())
STATED = [name for name in PRESETS if name != "observe"]


def unread(count: int, lines: int) -> bytes:
    """Calls in one round, whose results the model has not answered."""
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": f"{n}.py"}} for n in range(count)]
    texts = ["\n".join(f"value_{n}_{m} = compute({m * 7919 % 10_007})" for m in range(lines)) for n in range(count)]
    results: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": f"c{n}", "content": text} for n, text in enumerate(texts)
    ]
    messages = [
        {"role": "user", "content": "Read them."},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()


def shown(view: Any, count: int, lines: int) -> list[bool]:
    """Which results stand whole."""
    whole = ["\\n".join(f"value_{n}_{m} = compute({m * 7919 % 10_007})" for m in range(lines)) for n in range(count)]
    return [one in view.request.decode() for one in whole]


@pytest.mark.parametrize("policy", STATED)
def test_a_stated_window_binds(policy: str) -> None:
    giant = body([said("user", "look " * 30_000)])
    with pytest.raises(StillTooLong) as raised:
        Engine(policy, window=16_000).fit(giant, now_ms=0)
    assert raised.value.view.request is giant
    assert raised.value.view.receipt.window_source == "stated"


@pytest.mark.parametrize("policy", STATED)
def test_it_binds_where_nobody_may_compact_too(policy: str) -> None:
    with pytest.raises(StillTooLong) as raised:
        Engine(policy, window=3_000, compact=False).fit(LONG, now_ms=0)
    assert raised.value.view.receipt.tokens_view > 3_000


@pytest.mark.parametrize("policy", ["kilocode", "opencode", "hermes", "openclaw", "anthropic"])
@pytest.mark.parametrize("stated", [None, 0])
def test_one_that_was_looked_up_is_a_warning_for_presets(policy: str, stated: int | None) -> None:
    giant = body([said("user", "look " * 300_000)])
    view = Engine(policy, "claude-opus-4-5", window=stated).fit(giant, now_ms=0)
    told = [one for one in view.receipt.warnings if "the window is" in one or "usable" in one]
    assert len(told) == (stated is None)
    assert view.request is giant


def test_observe_is_bound_by_none() -> None:
    assert Engine("observe", window=100).fit(LONG, now_ms=0).request is LONG


def test_a_preset_does_what_it_does_and_not_one_edit_more() -> None:
    free = Engine("anthropic", "claude-sonnet-4-5").fit(LONG, now_ms=0)
    with pytest.raises(StillTooLong) as raised:
        Engine("anthropic", "claude-sonnet-4-5", window=1_000).fit(LONG, now_ms=0)
    assert raised.value.view.request == free.request


def test_the_oldest_unread_result_gives_way_last_and_only_as_far_as_it_must() -> None:
    request = unread(3, 400)
    whole = Engine("balance", window=200_000).fit(request, now_ms=0)
    assert shown(whole, 3, 400) == [True, True, True]
    tokens = whole.receipt.tokens_view
    view = Engine("balance", window=tokens - 2_000).fit(request, now_ms=0)
    assert shown(view, 3, 400) == [False, True, True]
    assert [(one.strategy, one.call_id) for one in view.receipt.edits] == [("excerpt", "c0")]
    assert "nothing else can be removed" in view.receipt.reason
    assert view.receipt.tokens_view <= tokens - 2_000
    assert any("cannot read it back" in one for one in view.receipt.warnings)
    assert view.receipt.unread == 0


def test_with_a_store_it_can_be_read_back() -> None:
    request = unread(3, 400)
    view = Engine("balance", window=14_000, store="memory://", recall_handles="on").fit(request, session="s", now_ms=0)
    assert view.receipt.edits[0].handle is not None
    assert f"recall {view.receipt.edits[0].handle}".encode() in view.request
    assert not any("cannot read it back" in one for one in view.receipt.warnings)


def test_many_unread_results_stay_whole_while_they_fit() -> None:
    view = Engine("balance", window=200_000).fit(unread(40, 60), now_ms=0)
    assert shown(view, 40, 60) == [True] * 40


def test_a_receipt_says_what_was_done_or_why_nothing_was() -> None:
    view = Engine("balance", window=16_000).fit(LONG, now_ms=0)
    assert view.receipt.opened
    assert (view.receipt.skipped_reason, bool(view.receipt.reason)) == ("", True)
    idle = Engine("balance", window=200_000).fit(body([said("user", "hello")]), now_ms=0)
    assert not idle.receipt.opened
    assert (bool(idle.receipt.skipped_reason), idle.receipt.reason) == (True, "")


def test_an_unread_result_is_shortened_once_however_often_the_request_is_sent() -> None:
    request = unread(3, 400)
    engine = Engine("balance", window=2_000, too_long="send")
    first = engine.fit(request, session="s", now_ms=0)
    assert ["nothing else can be removed" in epoch.reason for epoch in first.plan.epochs].count(True) == 1
    assert 2_000 < first.receipt.tokens_view < first.receipt.tokens_raw
    again = engine.fit(request, session="s", now_ms=1)
    assert (again.plan, again.request, again.receipt.opened) == (first.plan, first.request, False)


def test_a_smaller_window_shortens_an_excerpt_further_and_a_larger_one_leaves_it() -> None:
    request = unread(3, 400)
    first = Engine("balance", window=14_000).fit(request, now_ms=0)
    less = Engine("balance", window=12_000).fit(request, plan=first.plan, now_ms=1)
    assert less.receipt.tokens_view <= 12_000 < first.receipt.tokens_view <= 14_000
    more = Engine("balance", window=200_000).fit(request, plan=less.plan, now_ms=2)
    assert more.request == less.request


def test_what_system_prompt_and_tools_fill_shortens_no_result() -> None:
    with pytest.raises(StillTooLong) as raised:
        Engine("balance", window=14_000).fit(unread(3, 400), fixed_tokens=20_000, now_ms=0)
    assert shown(raised.value.view, 3, 400) == [True] * 3
