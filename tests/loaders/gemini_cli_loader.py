"""A second reader of Gemini CLI's session files: turns each message into turns of the API."""

import json
from typing import Any

from loaders.shown import Shown, sorted_json


def load(data: bytes) -> list[Shown]:
    """What Gemini CLI would send, oldest first."""
    shown: list[Shown] = []
    for message in json.loads(data)["messages"]:
        if message["type"] == "user":
            blocks = message["content"]
            blocks = [{"text": blocks}] if isinstance(blocks, str) else blocks
            shown += [Shown("user", "text", block["text"]) for block in blocks]
        if message["type"] == "gemini":
            shown += [Shown("assistant", "text", message["content"])] if message["content"] else []
            calls = message.get("toolCalls", [])
            shown += [Shown("assistant", "tool_call", sorted_json(call["args"]), call["id"]) for call in calls]
            shown += [Shown("tool", "tool_result", answer(call), call["id"]) for call in calls if call.get("result")]
    return shown


def answer(call: Any) -> str:
    (block,) = call["result"]
    (text,) = block["functionResponse"]["response"].values()
    return str(text)
