"""Whether a history holds bound reasoning is asked of the history at hand, not of what was there before a rewind."""

import json
from typing import Any

from secateur import Engine
from secateur.stores.memory import MemoryStore

FRESH = {"name": "fresh", "sticky": False, "prune": [{"type": "hard_clear"}], "schedule": {"type": "every_request"}}
THOUGHT = {"type": "thinking", "thinking": "so", "signature": "c2ln"}


def rounds(count: int, **more: Any) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(count):
        thought = [THOUGHT] if number in more.get("thinks", ()) else []
        call = {"type": "tool_use", "id": f"t{number}", "name": "bash", "input": {}}
        said.append({"role": "assistant", "content": [*thought, call]})
        said.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 900}]}
        )
        said += [{"role": "assistant", "content": "done"}, {"role": "user", "content": "more"}]
    return said


def test_a_rewind_to_before_all_reasoning_is_a_history_without() -> None:
    whole = rounds(4, thinks=(2,))
    requests = [whole, whole[:5], [*whole[:5], {"role": "assistant", "content": "."}, {"role": "user", "content": "?"}]]
    kept, forgetful = (Engine(FRESH, "claude-opus-5-5", window=9_000, store=MemoryStore()) for _ in range(2))
    for number, messages in enumerate(requests):
        body = json.dumps({"model": "claude-opus-5-5", "messages": messages}).encode()
        forgetful.clear_cache()
        one, other = (used.fit(body, session="s", now_ms=number) for used in (kept, forgetful))
        assert (one.request, one.plan) == (other.request, other.plan)


def test_a_side_call_does_not_change_the_main_line_in_another_process_either() -> None:
    """Reasoning of the main line was made under its own edits, whoever asked last."""
    policy = {**FRESH, "protect": {"last_messages": 2}, "schedule": {"type": "threshold", "over_tokens": 500}}
    title = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "."}, {"role": "user", "content": "?"}]
    requests = [rounds(count, thinks=range(9)) for count in (1, 2, 3)] + [title, rounds(4, thinks=range(9))]
    kept, forgetful = (Engine(policy, "claude-opus-5-5", store=MemoryStore()) for _ in range(2))
    for number, messages in enumerate(requests):
        body = json.dumps({"model": "claude-opus-5-5", "messages": messages}).encode()
        forgetful.clear_cache()
        one, other = (used.fit(body, session="s", now_ms=number) for used in (kept, forgetful))
        assert (one.request, one.plan) == (other.request, other.plan)
    assert len(one.plan.epochs) == 1
