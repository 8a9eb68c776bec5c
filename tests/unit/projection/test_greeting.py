"""A session whose first request could be of any API."""

import json
from typing import Any

from secateur import Engine


def test_what_a_greeting_was_taken_for_is_corrected_by_what_follows() -> None:
    engine = Engine("observe")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "hello"}]
    engine.fit(body(messages), session="s", now_ms=1)
    call = {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.py"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "x = 1\n" * 500}
    messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    view = engine.fit(body(messages), session="s", now_ms=2)
    assert [part.kind for one in view.raw_transcript.messages for part in one.parts] == [
        "text",
        "tool_call",
        "tool_result",
    ]
    assert view.receipt.tokens_view == Engine("observe").fit(body(messages), now_ms=2).receipt.tokens_view > 500


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}).encode()
