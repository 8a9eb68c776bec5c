"""Histories that a client rewrote itself, and reasoning that an undo makes void."""

from typing import Any

from secateur import Engine
from secateur.model import Epoch, NewMessage, Remove, Replace
from secateur.plan import Plan
from secateur.sessions.void_edits import REWRITTEN
from secateur.stores.memory import MemoryStore

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "threshold", "over_tokens": 100},
}
BOUND = "claude-opus-5-5"


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def step(number: int) -> list[dict[str, Any]]:
    thought = {"type": "thinking", "thinking": f"hm {number}", "signature": f"c2ln{number}"}
    call = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"out {number} " * 60}
    done = {"type": "text", "text": f"done {number}"}
    return [
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [thought | {"signature": f"ZG9uZ{number}"}, done]},
        said("user", f"next {number}"),
    ]


def body(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"model": BOUND, "max_tokens": 9, "messages": messages}


CHAT = [said("user" if n % 2 == 0 else "assistant", f"message {n}") for n in range(9)]


def test_a_summary_is_carried_where_all_it_stands_for_says_the_same() -> None:
    engine = Engine("observe", store=MemoryStore())
    keys = [message.key for message in Engine("observe").fit(body(CHAT)).raw_transcript.messages]
    summary = Replace(keys[1], keys[5], (NewMessage("user", "what was said", "summary"),))
    first = engine.fit(body(CHAT), session="s", plan=Plan((Epoch(1, keys[-1], "by hand", (summary,)),)), now_ms=1)
    summed = [{"type": "text", "text": "what was said"}]
    assert [one["content"] for one in first.request["messages"]][1:4] == ["message 1", summed, "message 6"]
    engine.clear_cache()
    shorter = [said("user", "all before is gone"), *CHAT[1:]]
    view = engine.fit(body(shorter), session="s", now_ms=2)
    told = [one["content"] for one in view.request["messages"]]
    assert told == ["all before is gone", "message 1", summed, "message 6", "message 7", "message 8"]
    assert view.plan.epochs[-1].reason == REWRITTEN
    assert engine.fit(body(shorter), session="s", now_ms=3).plan == view.plan


def test_places_of_one_summary_are_carried_together_or_not_at_all() -> None:
    keys = [message.key for message in Engine("observe").fit(body(CHAT)).raw_transcript.messages]
    summary = Replace(keys[0], keys[2], (NewMessage("user", "what was said", "summary"),))
    without = Replace(keys[3], keys[6], ())  # the summary stands for these, too
    given = Plan((Epoch(1, keys[-1], "by hand", (summary, without)),))
    for first, shown in (
        (said("user", "another beginning"), ["another beginning", "what was said", "message 3", "message 7"]),
        (CHAT[0], [f"message {number}" for number in range(8)]),
    ):
        engine = Engine("observe", store=MemoryStore())
        engine.fit(body(CHAT), session="s", plan=given, now_ms=1)
        changed = [CHAT[1]] if first is not CHAT[0] else [said("assistant", "message 1, rewritten")]
        view = engine.fit(body([first, *changed, *CHAT[2:]]), session="s", now_ms=2)
        texts = [one["content"] if isinstance(one["content"], str) else one["content"][0]["text"]
                 for one in view.request["messages"]]  # fmt: skip
        assert [text.removesuffix(", rewritten") for text in texts][: len(shown)] == shown


def test_and_is_not_where_something_in_it_was_changed() -> None:
    engine = Engine("observe", store=MemoryStore())
    keys = [message.key for message in Engine("observe").fit(body(CHAT)).raw_transcript.messages]
    summary = Replace(keys[1], keys[5], (NewMessage("user", "what was said", "summary"),))
    engine.fit(body(CHAT), session="s", plan=Plan((Epoch(1, keys[-1], "by hand", (summary,)),)), now_ms=1)
    other = [*CHAT[:4], said("user", "otherwise"), *CHAT[5:]]
    assert engine.fit(body(other), session="s", now_ms=2).request["messages"] == other


def test_a_rewind_is_no_rewriting() -> None:
    engine = Engine(CLEAR, store=MemoryStore())
    messages = [said("user", "go"), *step(0), *step(1)]
    plan = engine.fit(body(messages), session="s", now_ms=1).plan
    view = engine.fit(body(messages[:5]), session="s", now_ms=2)
    assert all(epoch.reason != REWRITTEN for epoch in view.plan.epochs[len(plan.epochs) :])


def test_an_undo_takes_reasoning_out_that_was_made_under_the_other_view() -> None:
    """API rule A54: what is bound to the edited prefix is void under the one that comes back; what was there before
    the epoch is sound again."""
    store = MemoryStore()
    messages = [said("user", "go"), *step(0), *step(1)]
    first = Engine(CLEAR, store=store, window=9_000).fit(body(messages), session="s", now_ms=1)
    assert first.receipt.opened
    watching = Engine("observe", store=store)
    watching.undo("s", now_ms=2)
    longer = [*messages, *step(2)]
    view = watching.fit(body(longer), session="s", now_ms=3)
    assert view.request["messages"][: len(messages)] == messages
    assert signatures(view.request) == ["c2ln0", "ZG9uZ0", "c2ln1", "ZG9uZ1"]
    assert {type(edit) for edit in view.plan.epochs[-1].edits} == {Remove}
    later = Engine("observe", store=store).fit(body([*longer, *step(3)]), session="s", now_ms=4)
    assert signatures(later.request) == ["c2ln0", "ZG9uZ0", "c2ln1", "ZG9uZ1", "c2ln3", "ZG9uZ3"]
    assert later.plan == view.plan


def signatures(native: dict[str, Any]) -> list[str]:
    blocks = [block for one in native["messages"] for block in one["content"] if isinstance(block, dict)]
    return [block["signature"] for block in blocks if "signature" in block]


def test_an_undo_waits_where_the_running_turn_must_begin_with_what_it_voids() -> None:
    """API rule A52."""
    store = MemoryStore()
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    messages = [said("user", "go"), *step(0), *step(1)]
    first = Engine(CLEAR, store=store, window=9_000).fit(body(messages) | thinking, session="s", now_ms=1)
    watching = Engine("observe", store=store)
    watching.undo("s", now_ms=2)
    running = [*messages, *step(2)[:2]]
    view = watching.fit(body(running) | thinking, session="s", now_ms=3)
    assert view.request["messages"] == [*first.request["messages"], *step(2)[:2]]
    assert "undo again" in view.receipt.warnings[0]
