"""A second reader of Copilot CLI's session files: follows `parentId` from the last event to the first."""

from typing import Any

from loaders.shown import Shown, objects, sorted_json


def load(data: bytes) -> list[Shown]:
    """What Copilot CLI would send, oldest first."""
    events = {event["id"]: event for event in objects(data) if event}
    event, chain = list(events.values())[-1], []
    while event:
        chain.insert(0, event)
        event = events.get(event["parentId"])
    shown: list[Shown] = []
    for event in chain:
        shown += of_event(event["type"], event["data"])
    return shown


def of_event(kind: str, data: Any) -> list[Shown]:
    if kind == "system.message":
        return [Shown("system", "text", data["content"])]
    if kind == "user.message":
        return [Shown("user", "text", data["transformedContent"])]
    if kind == "tool.execution_complete":
        text = data["result"]["content"] if data["success"] else data["error"]["message"]
        return [Shown("tool", "tool_result", text, data["toolCallId"])]
    if kind == "assistant.message":
        thought = [Shown("assistant", "reasoning", data["reasoningText"])] if "reasoningText" in data else []
        said = [Shown("assistant", "text", data["content"])] if data["content"] else []
        calls = [
            Shown("assistant", "tool_call", sorted_json(one["arguments"]), one["toolCallId"])
            for one in data["toolRequests"]
        ]
        return thought + said + calls
    return []
