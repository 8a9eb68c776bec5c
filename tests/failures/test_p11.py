"""P11: an idle session pays full price for all of it, and a busy one never reaches the pause that pruning waits for.

Every pause against every fill of the window, with and without a restart, on every provider: what is cold is pruned,
what is warm only where it must be or pays; and no provider is left out by name.
"""

import json
from itertools import product
from typing import Any

import pytest

from secateur import Engine
from secateur.stores.memory import MemoryStore

MODELS = {"claude-opus-4-5": 300, "gpt-4o": 600, "gpt-5.6-sol": 1_800, "gemini-2.5-pro": 300, "deepseek-v4-pro": 86_400}
START = 1_800_000_000_000


def request(model: str, count: int = 30) -> bytes:
    """A chat body: short turns, each with an output of 1,200 tokens that its end does not need."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(count):
        function = {"name": "Read", "arguments": json.dumps({"file_path": f"/src/m{number}.py"})}
        lines = "\n".join(f"def step_{number}_{line}(value): return value" for line in range(100))
        messages += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": f"c{number}", "content": lines},
            {"role": "assistant", "content": "Read."},
            {"role": "user", "content": f"And module {number + 1}."},
        ]
    return json.dumps({"model": model, "messages": messages}).encode()


@pytest.mark.parametrize(
    ("model", "full", "restart", "cold"),
    [pytest.param(*case, id="-".join(map(str, case))) for case in product(MODELS, (0, 1), (0, 1), (0, 1))],
)
def test_cold_prunes_and_warm_waits_until_it_must(model: str, full: int, restart: int, cold: int) -> None:
    store = MemoryStore()
    window = 40_000 if full else 1_000_000  # 40,000 tokens, over the 85 % at which all must go, or far below
    engine = Engine("balance", store=store, window=window)
    first = engine.fit(request(model, 1), session="s", now_ms=START - 9_000, idle_s=5.0)
    engine.record_usage(first, {"input_tokens": 5, "prompt_tokens": 2_000}, now_ms=START)
    engine = Engine("balance", store=store, window=window) if restart else engine
    now = START + 1_000 * (MODELS[model] + 1 if cold else 20)
    view = engine.fit(request(model), session="s", now_ms=now)
    assert view.receipt.opened is bool(cold or full), view.receipt.skipped_reason
    if cold and not full:
        assert "the prompt cache lives" in view.receipt.reason
    if not view.receipt.opened:
        assert "the prompt cache is warm" in view.receipt.skipped_reason


def test_a_busy_session_does_not_wait_for_a_pause() -> None:
    """87 calls in a row, 20 s apart: what is read again and again goes once it has cost more than to write the rest."""
    unbound = {"extends": "balance", "schedule": {"type": "break_even"}}  # no bound on what a moment may cost
    engine = Engine(unbound, window=1_000_000)
    views = [
        engine.fit(request("claude-opus-4-5", count), session="s", now_ms=START + 20_000 * count, idle_s=20.0)
        for count in range(1, 88)
    ]
    sent = sum(view.receipt.tokens_view for view in views)
    assert sent < 0.9 * sum(view.receipt.tokens_raw for view in views)
    assert 0 < sum(view.receipt.opened for view in views) <= 8
