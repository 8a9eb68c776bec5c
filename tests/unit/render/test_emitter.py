"""Views of bytes and of objects say the same, however many edits one message has."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur import Engine

POLICY = {"name": "all", "prune": [{"type": "hard_clear"}], "schedule": {"type": "every_request"}}
TURNS = [
    {"role": "user", "content": f"next {number}"} if number % 2 else {"role": "assistant", "content": f"done {number}"}
    for number in range(9)
]


def request(lines: list[int]) -> dict[str, Any]:
    """One round of calls at once, of which each result has so many lines, and turns behind it."""
    calls = [
        {"type": "tool_use", "id": f"p{number}", "name": "Bash", "input": {"command": f"sh {number}"}}
        for number in range(len(lines))
    ]
    results = [
        {"type": "tool_result", "tool_use_id": f"p{number}", "content": f'"{number}" \\ é\n' * count}
        if number % 3
        else {
            "content": [{"type": "text", "text": "läuft\n" * count}],
            "tool_use_id": f"p{number}",
            "type": "tool_result",
        }
        for number, count in enumerate(lines)
    ]
    messages = [
        {"role": "user", "content": "all at once"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        *TURNS,
    ]
    return {"model": "claude-opus-4-5", "max_tokens": 1, "messages": messages}


@pytest.mark.parametrize("escaped", [True, False])
@settings(max_examples=20, deadline=None)
@given(lines=st.lists(st.sampled_from((1, 30, 90)), min_size=1, max_size=9))
def test_many_edits_of_one_message_say_what_edited_objects_say(escaped: bool, lines: list[int]) -> None:
    body = request([300, *lines])
    data = json.dumps(body, ensure_ascii=escaped).encode()
    of_bytes = Engine(POLICY, compact=False).fit(data, now_ms=0)
    of_objects = Engine(POLICY, compact=False).fit(body, now_ms=0)
    assert of_bytes.receipt.opened
    assert json.loads(of_bytes.request) == of_objects.request
