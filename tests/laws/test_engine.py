"""Laws of the whole: views of generated histories that grow, fork, rewind, lose reasoning and come back edited."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

import carried
import secateur
from laws.histories import HISTORY, anthropic
from laws.natives import body, by_user, calls_answered, elements, ends
from secateur import Engine, fit
from secateur.plan import Plan, decode, encode, list_active_epochs, undo

MODEL = "claude-opus-4-5"  # its signed reasoning is not bound to its prefix
EAGER: dict[str, Any] = {
    "name": "eager",
    "protect": {"last_messages": 2, "tools": ["skill"]},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
BATCHED: dict[str, Any] = {
    "name": "batched",
    "protect": {"last_turns": 1, "last_tokens": 50, "tools": ["skill"]},
    "prune": [{"type": "soft_trim", "max_chars": 120, "head_chars": 40, "tail_chars": 40}, {"type": "hard_clear"}],
    "schedule": {"type": "threshold", "over_prunable_tokens": 75},
}
BORN: dict[str, Any] = {**EAGER, "name": "born", "on_arrival": {"type": "excerpt", "max_chars": 150}}
POLICY = st.sampled_from([EAGER, BATCHED, BORN])


def cut(data: st.DataObject, messages: list[Any]) -> int:
    """A place where a client could have sent the history so far: behind a message that is not the assistant's."""
    return data.draw(st.sampled_from(ends(messages)), label="sent so far")


@given(HISTORY, POLICY)
def test_bytes_and_objects_agree(messages: list[Any], policy: dict[str, Any]) -> None:
    one = fit(messages, policy=policy, model=MODEL, now_ms=7)
    other = fit(body(messages), policy=policy, model=MODEL, now_ms=7)
    assert elements(one.request) == elements(other.request)
    assert one.plan == other.plan


@given(HISTORY)
def test_identity(messages: list[Any]) -> None:
    data = body(messages)
    assert fit(messages, policy="observe").request is messages
    assert fit(data, policy="observe").request is data


@given(HISTORY, POLICY, st.data())
def test_sticky(messages: list[Any], policy: dict[str, Any], data: st.DataObject) -> None:
    """Under one plan, what was shown stays as it was shown while the history grows."""
    first = fit(body(messages[: cut(data, messages)]), policy=policy, now_ms=1)
    later = fit(body(messages), policy="observe", plan=first.plan, now_ms=2)
    shown = elements(first.request)
    assert elements(later.request)[: len(shown)] == shown


@given(HISTORY, POLICY, st.data())
def test_the_prefix_moves_only_with_an_epoch(messages: list[Any], policy: dict[str, Any], data: st.DataObject) -> None:
    plan, shown = Plan(), []
    for end in sorted({cut(data, messages) for _ in range(3)} | {len(messages)}):
        view = fit(body(messages[:end]), policy=policy, plan=plan, now_ms=end)
        now = elements(view.request)
        assert view.receipt.opened == (view.plan != plan)
        if not view.receipt.opened:
            assert now[: len(shown)] == shown
        plan, shown = view.plan, now


@given(HISTORY, POLICY, st.booleans(), st.data())
def test_warm_is_cold(messages: list[Any], policy: dict[str, Any], spaced: bool, data: st.DataObject) -> None:
    """What a session keeps in memory saves work and changes no byte: rewinds and forks included.

    What else continued from the same request, what the next one is recognized by, and the session's clock are what a
    caller without a session has to know instead.
    """
    engine = Engine(policy, max_cached_sessions=1)
    plan: Plan | None = None  # the first request continues from nothing
    sent: list[list[Any]] = []
    for step in range(4):
        end = cut(data, messages)
        some = messages[:end]
        if data.draw(st.booleans(), label="fork"):
            some = [*some, by_user(messages, f"another way {step}")]
        request = body(some, spaced)
        warm = engine.fit(request, session="s", now_ms=step)
        if all(one == some[: len(one)] for one in sent):
            cold = fit(request, policy=policy, plan=plan, now_ms=step, idle_s=warm.receipt.idle_s)
            place = {
                name: getattr(warm.receipt, name)
                for name in ("parent", "view", "lines", "tools_hashes", "system_hashes", "content_ends")
            }
            receipt = structs.replace(cold.receipt, **place)
            assert warm == structs.replace(
                cold, raw_transcript=warm.raw_transcript, transcript=warm.transcript, session="s", receipt=receipt
            )
            assert [one.key for one in warm.transcript.messages] == [one.key for one in cold.transcript.messages]
        sent.append(some)
        assert fit(request, policy="observe", plan=warm.plan).request == warm.request
        plan = warm.plan


@given(HISTORY, HISTORY, POLICY)
def test_other_past(messages: list[Any], others: list[Any], policy: dict[str, Any]) -> None:
    """A plan applies nothing beyond the prefix that two histories share."""
    first = fit(messages, policy=policy, now_ms=1)
    shared = {part.key for one in first.raw_transcript.messages for part in one.parts}
    view = fit(others, policy="observe", plan=first.plan)
    for raw, seen in zip(view.raw_transcript.messages, view.transcript.messages, strict=True):
        if not any(part.key in shared for part in raw.parts):
            assert seen == raw
            assert view.request[raw.path[0]] is others[raw.path[0]]


@given(HISTORY, POLICY)
def test_pairing_and_roles(messages: list[Any], policy: dict[str, Any]) -> None:
    got = fit(messages, policy=policy).request
    assert calls_answered(got) == calls_answered(messages)
    assert [one.get("role") for one in got] == [one.get("role") for one in messages]


@given(HISTORY, POLICY)
def test_protection(messages: list[Any], policy: dict[str, Any]) -> None:
    """Pinned parts, protected tools and protected messages read as received; nothing but results changes."""
    view = fit(messages, policy=policy, model=MODEL)
    for number, (raw, seen) in enumerate(zip(view.raw_transcript.messages, view.transcript.messages, strict=True)):
        kept = {part.key: part for part in seen.parts}
        unchanged = {part.key for part in raw.parts if kept.get(part.key) == part}
        for part in raw.parts:
            late = number >= len(view.raw_transcript.messages) - 2 and policy is EAGER
            if part.container_key and part.container_key not in unchanged:
                continue  # a medium goes with its result
            if part.pinned or part.tool == "skill" or late or part.kind not in ("tool_result", "media"):
                assert kept[part.key] == part


@given(HISTORY, POLICY)
def test_shrink(messages: list[Any], policy: dict[str, Any]) -> None:
    receipt = fit(messages, policy=policy).receipt
    assert receipt.tokens_view <= receipt.tokens_raw
    assert all(entry.tokens_after <= entry.tokens_before for entry in receipt.edits)


@given(HISTORY, POLICY)
def test_idempotent(messages: list[Any], policy: dict[str, Any]) -> None:
    """A view that satisfies the policy gets no further edit, whether the plan comes with it or not."""
    first = fit(messages, policy=policy, now_ms=1)
    again = fit(messages, policy=policy, plan=first.plan, now_ms=2)
    assert again.plan == first.plan
    assert json.dumps(again.request) == json.dumps(first.request)
    if policy is EAGER:
        fed_back = fit(first.request, policy=policy, now_ms=3)
        assert json.dumps(fed_back.request) == json.dumps(first.request)


@given(HISTORY, POLICY, st.data())
def test_undo(messages: list[Any], policy: dict[str, Any], data: st.DataObject) -> None:
    """Undoing the newest epoch gives the bytes from before it, and undoing that brings it back."""
    before = fit(body(messages[: cut(data, messages)]), policy=policy, now_ms=1).plan
    after = fit(body(messages), policy=policy, plan=before, now_ms=2)
    if after.plan == before:
        return
    number = len(after.plan.epochs) - 1
    undone = undo(after.plan, number, 3, after.raw_transcript.messages[-1].key)
    shown = fit(body(messages), policy="observe", plan=undone).request
    assert shown == fit(body(messages), policy="observe", plan=before).request
    redone = undo(undone, number + 1, 4, after.raw_transcript.messages[-1].key)
    assert fit(body(messages), policy="observe", plan=redone).request == after.request
    assert len(list_active_epochs(redone)) == len(list_active_epochs(after.plan)) + 1


@given(anthropic(), POLICY)
def test_a_client_that_strips_reasoning_moves_nothing(messages: list[Any], policy: dict[str, Any]) -> None:
    plan = fit(messages, policy=policy, model=MODEL).plan
    stripped = [_without_reasoning(one) for one in messages]
    if any(not one["content"] for one in stripped):
        return
    edited = {edit.key for epoch in plan.epochs for edit in epoch.edits}
    again = fit(stripped, policy="observe", plan=plan, model=MODEL)
    assert again.receipt.active_edits == len(edited)


def _without_reasoning(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    return {**message, "content": [block for block in content if block["type"] != "thinking"]}


@given(anthropic(), POLICY, st.data())
def test_moved_cache_markers_move_nothing(messages: list[Any], policy: dict[str, Any], data: st.DataObject) -> None:
    plan = fit(messages, policy=policy).plan
    marked = json.loads(json.dumps(messages))
    at = data.draw(st.integers(0, len(marked) - 1))
    if isinstance(marked[at]["content"], list) and marked[at]["content"]:
        marked[at]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    again = fit(marked, policy="observe", plan=plan)
    assert again.receipt.active_edits == fit(messages, policy="observe", plan=plan).receipt.active_edits


@given(anthropic(), POLICY)
def test_bound_reasoning_goes_with_its_prefix(messages: list[Any], policy: dict[str, Any]) -> None:
    """API rules A54-A56: behind the first edit no bound reasoning of that time is left; before it all of it is."""
    # A full window: no waiting for the turn's end.
    view = carried.fit(messages, policy=policy, model="claude-opus-5-5", window=1)
    changed = False
    for raw, seen in zip(view.raw_transcript.messages, view.transcript.messages, strict=True):
        left = {part.key for part in seen.parts}
        for part in raw.parts:
            if part.prefix_bound:
                assert (part.key not in left) == changed
            changed = changed or (part.kind == "tool_result" and part not in seen.parts)


@given(anthropic(), POLICY, st.data())
def test_reasoning_made_after_an_epoch_stays(messages: list[Any], policy: dict[str, Any], data: st.DataObject) -> None:
    end = cut(data, messages)
    first = carried.fit(messages[:end], policy=policy, model="claude-opus-5-5", window=1)
    later = fit(messages, policy="observe", plan=first.plan, model="claude-opus-5-5")
    fresh = {part.key for one in later.raw_transcript.messages[end:] for part in one.parts if part.prefix_bound}
    assert fresh <= {part.key for one in later.transcript.messages for part in one.parts}


@given(HISTORY, POLICY)
def test_plans_are_data(messages: list[Any], policy: dict[str, Any]) -> None:
    plan = fit(messages, policy=policy, now_ms=5).plan
    assert decode(encode(plan)) == plan
    with pytest.raises(secateur.EditError):
        decode(b'{"epochs": 3}')


@given(HISTORY, POLICY, st.data())
def test_a_rewind_leaves_the_protected_intact(messages: list[Any], policy: dict[str, Any], data: st.DataObject) -> None:
    """SEEDS 2.5: what was edited and is protected again after a rewind reads as received."""
    plan = fit(messages, policy=policy, model=MODEL, now_ms=1).plan
    short = messages[: cut(data, messages)]
    view = fit(short, policy=policy, plan=plan, model=MODEL, now_ms=2)
    alone = fit(short, policy=policy, model=MODEL, now_ms=2)
    if policy is EAGER:
        assert elements(view.request)[-2:] == elements(short)[-2:] == elements(alone.request)[-2:]
