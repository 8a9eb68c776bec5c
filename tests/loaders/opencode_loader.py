"""A second reader of opencode's exports: takes the document as one value and drops what is not sent."""

import json
from typing import Any

from loaders.shown import Shown, sorted_json


def load(data: bytes) -> list[Shown]:
    """What opencode would send, oldest first."""
    document = json.loads(data)
    messages = document["messages"] if isinstance(document, dict) else document
    shown: list[Shown] = []
    for message in restarted(messages):
        shown += of_user(message) if message["info"]["role"] == "user" else of_assistant(message)
    return shown


def restarted(messages: list[Any]) -> list[Any]:
    """From the newest compaction on: the request for it, its summary, the tail it kept, and what followed."""
    kept = list(messages)
    for at, message in enumerate(messages):
        if message["info"].get("summary") is True and message["info"].get("finish"):
            start = next(n for n, one in enumerate(messages) if one["info"]["id"] == message["info"]["parentID"])
            (part,) = (part for part in messages[start]["parts"] if part["type"] == "compaction")
            ids = [one["info"]["id"] for one in messages]
            tail = messages[ids.index(part["tail_start_id"]) : start] if "tail_start_id" in part else []
            kept = messages[start : at + 1] + tail + messages[at + 1 :]
    return kept


def of_user(message: Any) -> list[Shown]:
    shown = []
    for part in message["parts"]:
        if part["type"] == "text":
            shown.append(Shown("user", "text", part["text"]))
        elif part["type"] == "compaction":
            shown.append(Shown("user", "text", "What did we do so far?"))
        elif part["type"] == "file":
            shown.append(Shown("user", "media"))
    return shown


def of_assistant(message: Any) -> list[Shown]:
    said, found = [], []
    for part in message["parts"]:
        if part["type"] in ("text", "reasoning"):
            said.append(Shown("assistant", part["type"], part["text"]))
        elif part["type"] == "tool":
            said.append(Shown("assistant", "tool_call", sorted_json(part["state"]["input"]), part["callID"]))
            found += of_state(part["state"], part["callID"])
    return said + found


def of_state(state: Any, call: str) -> list[Shown]:
    if state["time"].get("compacted"):
        return [Shown("tool", "tool_result", "[Old tool result content cleared]", call)]
    text = state["output"] if state["status"] == "completed" else state["error"]
    return [Shown("tool", "tool_result", text, call), *(Shown("tool", "media") for _ in state.get("attachments", []))]
