"""Branches of one session: what one of them opens, takes back or restores, no other one feels."""

import json
from typing import Any

import pytest

from secateur import Engine, View
from secateur.sessions.request_tree import MOVED
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId, SessionUpdate

EAGER: dict[str, Any] = {
    "name": "eager",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear", "placeholder": "[gone]"}],
    "schedule": {"type": "every_request"},
}
IDLE: dict[str, Any] = {**EAGER, "schedule": {"type": "threshold", "min_idle_s": 60}}
STORES = pytest.mark.parametrize("kept", [True, False], ids=["store", "memory"])


def rounds(count: int, tag: str = "m") -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(count):
        call = {"type": "tool_use", "id": f"{tag}{number}", "name": "bash", "input": {"n": number}}
        result = {"type": "tool_result", "tool_use_id": f"{tag}{number}", "content": f"{tag}{number} said " * 40}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()


def engine(policy: Any, kept: bool) -> Engine:
    return Engine(policy, "claude-opus-4-5", store=MemoryStore() if kept else None)


def shown(view: View[bytes]) -> list[str]:
    """The tags of the results that the view has as received."""
    said = view.request.decode()
    return [f"m{number}" for number in range(9) if f"m{number} said m{number}" in said]


def ask(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": "so far"}, {"role": "user", "content": text}]


@STORES
def test_edits_of_a_fork_act_on_that_branch_alone(kept: bool) -> None:
    used = engine(IDLE, kept)
    main = used.fit(body(rounds(4)), session="s", idle_s=5, now_ms=1)
    fork = used.fit(body([*rounds(3), *ask("by the way?")]), session="s", idle_s=90, now_ms=2)
    assert (shown(main), shown(fork)) == (["m0", "m1", "m2", "m3"], [])
    again = used.fit(body(rounds(5)), session="s", idle_s=5, now_ms=3)
    assert (shown(again), again.receipt.opened) == (["m0", "m1", "m2", "m3", "m4"], False)
    assert (again.receipt.parent, again.receipt.lines) == (main.receipt.head_key, 2)


@STORES
def test_a_history_sent_again_from_its_middle_is_a_branch_of_its_own(kept: bool) -> None:
    """Its last key is in the main line too, so the epoch says which branches it does not hold for."""
    used = engine(IDLE, kept)
    used.fit(body(rounds(3)), session="s", idle_s=5, now_ms=1)
    main = used.fit(body(rounds(4)), session="s", idle_s=5, now_ms=2)
    back = used.fit(body(rounds(3)), session="s", idle_s=90, now_ms=3)
    assert shown(back) == ["m2"]
    assert back.plan.epochs[-1].excluded_keys == (main.receipt.head_key,)
    if kept:
        used.clear_cache()
    again = used.fit(body(rounds(5)), session="s", idle_s=5, now_ms=4)
    assert (shown(again), again.receipt.opened) == (["m0", "m1", "m2", "m3", "m4"], False)
    other = [*rounds(3), *rounds(1, "other")[1:]]
    assert shown(used.fit(body(other), session="s", idle_s=5, now_ms=5)) == ["m2"]


@STORES
def test_an_undo_holds_for_the_branch_of_the_last_request(kept: bool) -> None:
    used = engine(EAGER, kept)
    main = used.fit(body(rounds(5)), session="s", now_ms=1)
    fork = used.fit(body([*rounds(3), *ask("another way")]), session="s", now_ms=2)
    assert fork.receipt.opened
    used.undo("s", now_ms=3)
    assert shown(used.fit(body([*rounds(3), *ask("another way")]), session="s", now_ms=4)) == ["m0", "m1", "m2"]
    again = used.fit(body(rounds(5)), session="s", now_ms=5)
    assert again.request == main.request
    assert not again.receipt.opened


@STORES
def test_a_view_that_an_undo_moves_says_so(kept: bool) -> None:
    used = engine(EAGER, kept)
    used.fit(body(rounds(4)), session="s", now_ms=1)
    used.undo("s", now_ms=2)
    view = used.fit(body(rounds(4)), session="s", now_ms=3)
    assert (view.receipt.opened, view.receipt.forced_reason, view.receipt.edits) == (True, "undo of epoch 0", ())


@STORES
def test_a_branch_that_is_taken_back_reads_as_it_did_there(kept: bool) -> None:
    used = engine(EAGER, kept)
    views = [used.fit(body(rounds(count)), session="s", now_ms=count) for count in (3, 4, 6)]
    back = used.fit(body(rounds(4)), session="s", now_ms=9)
    assert back.request == views[1].request
    assert not back.receipt.opened


def test_a_plan_that_changed_behind_the_engine_is_noticed_and_said() -> None:
    """Someone else's epoch in the store, opened for a branch that the engine sent otherwise."""
    store = MemoryStore()
    used = Engine(IDLE, "claude-opus-4-5", store=store)
    first = used.fit(body(rounds(4)), session="s", idle_s=5, now_ms=1)
    other = Engine(IDLE, "claude-opus-4-5").fit(body(rounds(4)), idle_s=90, now_ms=2)
    state = store.load(SessionId("s"))
    assert state is not None
    store.save(state, SessionUpdate(at=2, epochs=other.plan.epochs))
    used.clear_cache()
    view = used.fit(body(rounds(5)), session="s", idle_s=5, now_ms=3)
    assert shown(view) != shown(first)
    assert (view.receipt.opened, view.receipt.forced_reason, view.plan.epochs[-1].reason) == (True, MOVED, MOVED)
