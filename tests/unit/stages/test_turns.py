"""User and assistant take turns in each view, whoever speaks after a compaction."""

from typing import Any

import pytest

from secateur import Engine
from secateur.api import check

OUTPUT = "line of code\n" * 300
TOOLS = {"toolConfig": {"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": {}}}}]}}


def said(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def read(number: int) -> list[dict[str, Any]]:
    """A call of a tool, and its result."""
    call = {"toolUse": {"toolUseId": f"t{number}", "name": "read", "input": {"path": f"src/{number}.py"}}}
    result = {"toolResult": {"toolUseId": f"t{number}", "content": [{"text": OUTPUT}]}}
    return [said("assistant", call), said("user", result)]


ASKED = [said("user", {"text": "fix the beds"}), *read(1), *read(2)]
ANSWERED = [*ASKED, said("assistant", {"text": "a long answer " * 200})]
NEXT = said("user", {"text": "and now the roses"})


def view_after_compaction(
    policy: str, compacted: list[dict[str, Any]], then: list[dict[str, Any]], window: int = 1_000
) -> Any:
    engine = Engine(policy, window=window, format="bedrock_converse")
    first = engine.compact({"messages": compacted, **TOOLS}, session="s", now_ms=1)
    assert check("bedrock", first.request["messages"], TOOLS) == []
    view = engine.fit({"messages": [*compacted, *then], **TOOLS}, session="s", now_ms=2)
    assert view.request["messages"][: len(first.request["messages"])] == first.request["messages"]
    again = engine.fit({"messages": [*compacted, *then], **TOOLS}, session="s", now_ms=3)
    assert again.request == view.request
    return view


@pytest.mark.parametrize("policy", ["balance", "frugal", "careful", "focus", "kilocode", "opencode"])
def test_the_user_may_speak_next(policy: str) -> None:
    view = view_after_compaction(policy, ANSWERED, [NEXT])
    messages = view.request["messages"]
    assert check("bedrock", messages, TOOLS) == []
    assert messages[-2:] == [said("assistant", {"text": "(noted)"}), NEXT]
    assert view.receipt.status == "opened"


@pytest.mark.parametrize("policy", ["balance", "kilocode"])
def test_the_agent_may_speak_next(policy: str) -> None:
    answer = said("assistant", {"text": "the beds are done"})
    view = view_after_compaction(policy, ASKED, [answer, NEXT], 20_000)
    messages = view.request["messages"]
    assert check("bedrock", messages, TOOLS) == []
    assert messages[-2:] == [answer, NEXT]
    assert messages[-3]["role"] == "user"


def test_a_server_of_chats_that_wants_turns_gets_them() -> None:
    history = [
        {"role": "user", "content": "fix the beds"},
        {"role": "assistant", "content": "which? " + OUTPUT},
        {"role": "user", "content": "all"},
        {"role": "assistant", "content": "done " + OUTPUT},
    ]
    engine = Engine("kilocode", window=1_000, format="openai_chat")
    engine.compact({"messages": history}, session="s", now_ms=1)
    view = engine.fit({"messages": [*history, {"role": "user", "content": "thanks"}]}, session="s", now_ms=2)
    assert check("openai_chat", view.request["messages"], {}, profile="strict") == []
    assert [message["content"] for message in view.request["messages"][-2:]] == ["(noted)", "thanks"]
