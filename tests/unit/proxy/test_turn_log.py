"""What a model is answered that reads back through the proxy."""

from typing import Any

import pytest

from secateur import Engine
from secateur.lineage import handle_of
from secateur.proxy.served.turn_log import TurnLog
from secateur.proxy.served.turns import RecallCall
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

OUTPUT = "".join(f"line {number} of the output\n" for number in range(300))
CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 1},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}


@pytest.fixture
def engine() -> Engine:
    """An engine that removed the output."""
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "run"}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": OUTPUT}
    said = [("user", "go"), ("assistant", [call]), ("user", [result]), ("assistant", "so far"), ("user", "more")]
    messages = [{"role": role, "content": content} for role, content in said]
    engine = Engine(CLEAR, store=MemoryStore(), recall_handles="on")
    engine.fit({"model": "claude-opus-4-5", "messages": messages}, session="s", now_ms=1)
    return engine


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (2, 2),
        ("2", 2),
        (2.0, 2),
        (None, 1),
        ("two", 1),
        ([2], 1),
        (float("inf"), 1),
        (float("nan"), 1),
        ("9" * 5_000, 1),
    ],
)
def test_a_page_that_is_no_number_is_the_first(engine: Engine, page: Any, shown: int) -> None:
    call = RecallCall("c", {"handle": handle_of(OUTPUT), "page": page})
    answer = TurnLog().answer(engine.sessions, SessionId("s"), call)
    assert not answer.is_error
    assert f"page {shown} of 2" in answer.text
