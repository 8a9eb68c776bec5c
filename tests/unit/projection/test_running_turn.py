"""The turn that is still running, and reasoning that is bound: what no edit may touch, by small requests."""

import json
from typing import Any

import carried
from secateur import Engine, fit
from secateur.model import Epoch, Remove, Restore
from secateur.plan import REFUSED, Plan

EVERY = {"type": "every_request"}
REASONING: dict[str, Any] = {"prune": [{"type": "drop_reasoning"}], "schedule": EVERY}
CLEAR: dict[str, Any] = {
    "protect": {"last_results": 1},
    "prune": [{"type": "hard_clear", "placeholder": "[gone]"}],
    "schedule": EVERY,
}
BOUND, FREE = "claude-opus-5-5", "claude-opus-4-5"


def thought(number: int) -> dict[str, Any]:
    return {"type": "thinking", "thinking": f"hm {number}", "signature": f"c2ln{number}"}


def step(number: int, *more: dict[str, Any]) -> list[dict[str, Any]]:
    """Reasoning, a call, its result, and what the user says beside it."""
    call = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"text": "x" * 90}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"out {number} " * 40}
    return [
        {"role": "assistant", "content": [thought(number), call]},
        {"role": "user", "content": [result, *more]},
    ]


def body(messages: list[dict[str, Any]], model: str = FREE, **more: Any) -> dict[str, Any]:
    return {"model": model, "max_tokens": 9, "messages": messages} | more


GO = {"role": "user", "content": "go"}
ASIDE = {"type": "text", "text": "hurry up"}


def test_what_the_user_says_between_results_begins_no_turn() -> None:
    """API rules A51 and A52: the tool loop continues, with its reasoning and its calls."""
    messages = [GO, *step(1), *step(2, ASIDE), *step(3)]
    inputs = {"type": "clear_inputs", "max_chars": 20, "head_chars": 5}
    view = fit(body(messages), policy=REASONING | {"prune": [{"type": "drop_reasoning"}, inputs]})
    assert view.request["messages"] == messages


def test_bound_reasoning_of_the_running_loop_waits_though_the_user_spoke_into_it() -> None:
    messages = [GO, *step(1), *step(2, ASIDE)]
    view = fit(body(messages, BOUND), policy=CLEAR)
    assert view.request["messages"] == messages
    assert "running tool round" in view.receipt.skipped_reason


def test_with_a_thinking_budget_a_full_window_takes_no_reasoning_out_of_the_running_loop() -> None:
    """API rule A52; without the budget a full window does."""
    messages = [GO, *step(1), *step(2)]
    budget = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    assert carried.fit(body(messages, BOUND, **budget), policy=CLEAR, window=10).request["messages"] == messages
    assert carried.fit(body(messages, BOUND), policy=CLEAR, window=10).request["messages"] != messages


def test_a_rewind_into_a_turn_brings_back_what_the_model_said_in_it() -> None:
    """It is running again (API rule A51)."""
    over = [GO, *step(1), {"role": "assistant", "content": "done"}, GO]
    inputs = {"type": "clear_inputs", "max_chars": 20}
    for model, prune in ((FREE, [{"type": "drop_reasoning"}, inputs]), (BOUND, [{"type": "drop_reasoning"}])):
        engine = Engine(REASONING | {"prune": prune})
        first = engine.fit(body(over, model), session="s")
        assert first.request["messages"] != over
        assert engine.fit(body(over[:3], model), session="s").request["messages"] == over[:3]


def test_reasoning_that_comes_back_with_a_rewind_stands_behind_what_it_was_made_under() -> None:
    """API rule A54: the edits of the branch that was left do not hold here, so it is not void."""
    over = [GO, *step(1), *step(2), {"role": "assistant", "content": "done"}, GO]
    engine = Engine(CLEAR | {"prune": [{"type": "drop_reasoning"}, *CLEAR["prune"]]})
    engine.fit(body(over, BOUND), session="s")
    assert engine.fit(body(over[:5], BOUND), session="s").request["messages"] == over[:5]


def test_views_made_afresh_are_kept_where_reasoning_is_bound_to_them() -> None:
    """API rule A55: what was made behind an edit is behind the same edit."""
    policy = {"sticky": False, "prune": [{"type": "hard_clear", "placeholder": "[gone]"}], "schedule": EVERY}
    idle = policy | {"schedule": {"type": "threshold", "min_idle_s": 60}}
    end = [{"role": "assistant", "content": "done"}, GO]
    for model, stays in ((BOUND, True), (FREE, False)):
        engine = Engine(idle)
        engine.fit(body([GO, *step(1), *end], model), session="s", idle_s=90, now_ms=1)
        view = engine.fit(body([GO, *step(1), *end, *step(2)], model), session="s", idle_s=0, now_ms=2)
        assert (view.request["messages"][2]["content"][0]["content"] == "[gone]") == stays


def test_reading_goes_on_behind_a_message_of_reasoning_alone() -> None:
    """Keys are the same whether a history is read at once or as it grows."""
    short = [GO, {"role": "assistant", "content": [thought(1)]}, GO]
    empty = [GO, {"role": "user", "content": []}]
    for start in (short, empty):
        engine = Engine("observe", format="anthropic_messages")
        engine.fit(json.dumps(body(start)).encode(), session="s")
        longer = json.dumps(body([*start, *step(2)])).encode()
        grown = engine.fit(longer, session="s").raw_transcript
        assert grown == fit(longer, policy="observe", format="anthropic_messages").raw_transcript


def test_user_and_assistant_take_turns_though_a_message_had_nothing_but_reasoning() -> None:
    """API rule B3: Converse takes no two user messages in a row."""
    alone = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
    call = {"toolUse": {"toolUseId": "a", "name": "bash", "input": {}}}
    result = {"toolResult": {"toolUseId": "a", "content": [{"text": "out " * 50}]}}
    said = [
        ("user", {"text": "go"}),
        ("assistant", call),
        ("user", result),
        ("assistant", alone),
        ("user", {"text": "on"}),
    ]
    messages = [{"role": role, "content": [block]} for role, block in said]
    policy = {"prune": [{"type": "hard_clear", "placeholder": "[gone]"}], "schedule": EVERY}
    view = fit({"messages": messages, "toolConfig": {"tools": [{}]}}, policy=policy, model=f"anthropic.{BOUND}")
    assert [one["role"] for one in view.request["messages"]] == [role for role, _ in said]
    assert view.request["messages"][3]["content"] == [{"text": "[reasoning removed]"}]
    assert REFUSED not in view.receipt.skipped_reason


def test_reasoning_of_chat_calls_stays() -> None:
    """API rule O14: the servers that give it want it back."""
    call = {"id": "a", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        GO,
        {"role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "out"},
        {"role": "assistant", "content": "done", "reasoning_content": "so"},
        GO,
    ]
    assert fit({"model": "deepseek-reasoner", "messages": messages}, policy=REASONING).request["messages"] == messages


def test_the_word_json_stays_without_the_gate() -> None:
    """API rule O9: the rest may be removed."""
    outputs = ["as json " * 20, "as JSON " * 20]
    messages: list[dict[str, Any]] = [GO]
    for number, text in enumerate(outputs):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    request = {"model": "gpt-5", "messages": messages, "response_format": {"type": "json_object"}}
    view = fit(request, policy={"prune": [{"type": "hard_clear", "placeholder": "[gone]"}], "schedule": EVERY})
    assert [one["content"] for one in view.request["messages"] if one["role"] == "tool"] == [outputs[0], "[gone]"]
    assert REFUSED not in view.receipt.skipped_reason


def test_an_excerpt_waits_too_where_bound_reasoning_of_the_running_loop_stands_behind_it() -> None:
    """API rule A59: only results behind the last of it are at birth."""
    birth = {"type": "excerpt", "max_chars": 150}
    messages = [GO, *step(1), *step(2)]
    for number in (2, 4):
        messages[number]["content"][0]["content"] = "a line\n" * 300
    for prune in ([], CLEAR["prune"]):
        view = fit(body(messages, BOUND), policy={"on_arrival": birth, "prune": prune, "schedule": EVERY})
        assert view.request["messages"][:4] == messages[:4]
        assert view.request["messages"][4] != messages[4]
        assert [entry.strategy for entry in view.receipt.edits] == ["excerpt"]
        assert view.receipt.edits[0].reason.startswith("on arrival, before it is ever cached: ")
        assert view.receipt.skipped_reason == ""  # something was done, so nothing is said of why not


def test_edits_in_a_turn_that_must_begin_with_its_reasoning_are_taken_back() -> None:
    """API rules A52 and A54: a rewind can lead there with a plan that was made behind it."""
    messages = [GO, *step(1), *step(2)]
    request = body(messages, thinking={"type": "enabled", "budget_tokens": 1024})
    parts = [part for message in fit(request).raw_transcript.messages for part in message.parts]
    thoughts = [part.key for part in parts if part.kind == "reasoning"]
    plan = Plan((Epoch(1_000, "", "older", tuple(Remove(key) for key in thoughts)),))
    view = fit(request, policy=REASONING, plan=plan, now_ms=2_000)
    assert view.request["messages"] == messages
    assert view.plan.epochs[1:] == (
        Epoch(
            2_000,
            parts[-1].key,
            "the history was rewound into a turn that must begin with its reasoning: restored as received",
            tuple(Restore(key, strategy="rewind") for key in thoughts),
        ),
    )
