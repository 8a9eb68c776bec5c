"""A second reader of single runs of tau-bench and tau2-bench: keeps what the agent was told, message by message."""

import json
from typing import Any

from loaders.shown import Shown, sorted_json


def load(data: bytes) -> list[Shown]:
    """What the agent saw, oldest first."""
    run = json.loads(data)
    shown: list[Shown] = []
    for message in run.get("traj") or run["messages"]:
        shown += of_message(message)
    return shown


def of_message(message: Any) -> list[Shown]:
    if message.get("requestor") == "user":
        return []
    if message["role"] == "tool":
        call = message.get("tool_call_id") or message["id"]
        return [Shown("tool", "tool_result", message["content"], call)]
    said = [Shown(message["role"], "text", message["content"])] if message["content"] else []
    calls = [call for call in message.get("tool_calls") or [] if call.get("requestor") != "user"]
    return said + [Shown("assistant", "tool_call", sorted_json(arguments(call)), call["id"]) for call in calls]


def arguments(call: Any) -> Any:
    return json.loads(call["function"]["arguments"]) if "function" in call else call["arguments"]
