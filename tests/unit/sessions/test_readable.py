"""A placeholder names a handle only where the model has a way to read it back."""

import json
from typing import Any

import pytest

from secateur import Engine
from secateur.errors import ConfigError
from secateur.stores.memory import MemoryStore

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 1},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "out of it\n" * 60}]},
    {"role": "assistant", "content": "done"},
    {"role": "user", "content": "more"},
]
RESPONSES = [
    {"type": "message", "role": "user", "content": "go"},
    {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "out of it\n" * 60},
    {"type": "message", "role": "user", "content": "more"},
]
GEMINI = [
    {"role": "user", "parts": [{"text": "go"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "shell", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "shell", "response": {"output": "out of it\n" * 60}}}]},
    {"role": "user", "parts": [{"text": "more"}]},
]


def named(request: Any, **settings: Any) -> bool:
    """Whether the placeholder names a handle."""
    view = Engine(CLEAR, "claude-opus-4-5", store=MemoryStore(), **settings).fit(request, session="s", now_ms=1)
    assert view.receipt.edits[0].handle
    said = view.request if isinstance(view.request, bytes) else json.dumps(view.request, default=str).encode()
    assert b"[secateur: " in said
    return f"recall {view.receipt.edits[0].handle}".encode() in said


def claude(*tools: dict[str, Any]) -> bytes:
    return json.dumps({"model": "m", "max_tokens": 9, "tools": list(tools), "messages": MESSAGES}).encode()


OURS: dict[str, Any] = {
    "Claude Code": claude({"name": "Bash", "input_schema": {}}, {"name": "mcp__secateur__recall", "input_schema": {}}),
    "another label, told by its description": claude({"name": "ctx_recall", "description": "secateur: read back"}),
    "a body of objects": json.loads(claude({"name": "secateur_recall", "input_schema": {}})),
    "OpenAI Chat": {
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "sh", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "out of it\n" * 60},
            {"role": "user", "content": "more"},
        ],
        "model": "gpt-5",
        "tools": [{"type": "function", "function": {"name": "secateur_recall", "parameters": {}}}],
    },
    "a group of tools": {
        "model": "gpt-5",
        "tools": [
            {
                "type": "namespace",
                "name": "mcp__secateur",
                "tools": [{"type": "function", "name": "recall", "description": "secateur: read back"}],
            }
        ],
        "input": RESPONSES,
    },
    "OpenAI Responses": {"model": "gpt-5", "tools": [{"type": "mcp", "server_label": "secateur"}], "input": RESPONSES},
    "Gemini": {"tools": [{"functionDeclarations": [{"name": "secateur__recall"}]}], "contents": GEMINI},
}
NOT_OURS: dict[str, Any] = {
    "no tools": claude(),
    "another recall": claude({"name": "recall", "description": "what the user said in other chats"}),
    "ours is only spoken of": claude({"name": "Bash", "description": "call secateur recall"}),
    "only a list of messages": MESSAGES,
    "tools that are no JSON": {"max_tokens": 9, "messages": MESSAGES, "tools": [object()]},
}


@pytest.mark.parametrize("way", OURS)
def test_where_the_request_has_a_tool_to_read_back_placeholders_name_handles(way: str) -> None:
    assert named(OURS[way])
    assert not named(OURS[way], recall_handles="off")


@pytest.mark.parametrize("way", NOT_OURS)
def test_where_it_has_none_they_do_not_and_receipts_do(way: str) -> None:
    assert not named(NOT_OURS[way])
    assert named(NOT_OURS[way], recall_handles="on")


def test_a_list_of_messages_tells_by_what_was_called() -> None:
    call = {"type": "tool_use", "id": "r", "name": "mcp__secateur__recall", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "r", "content": "x"}
    before = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert named([*MESSAGES[:3], *before, *MESSAGES[3:]])


def test_without_a_store_nothing_is_named() -> None:
    assert b"recall" not in Engine(CLEAR, recall_handles="on").fit(claude(), now_ms=1).request


def test_a_setting_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="handles cannot be 'yes': give auto, on, file or off"):
        Engine(CLEAR, **{"recall_handles": "yes"})
