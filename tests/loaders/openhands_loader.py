"""A second reader of OpenHands' events: collects the answers of the model by id first, then walks the events."""

import json
from typing import Any

from loaders.shown import Shown, flat, objects, sorted_json


def load(data: bytes) -> list[Shown]:
    """What OpenHands would send, oldest first."""
    events = read(data)
    return of_newer(events) if "kind" in events[0] else of_older(events)


def read(data: bytes) -> list[Any]:
    try:
        document = json.loads(data)
    except ValueError:
        return [event for event in objects(data) if event]
    return list(document["history"] if isinstance(document, dict) else document)


def of_older(events: list[Any]) -> list[Shown]:
    shown: list[Shown] = []
    answered: set[str] = set()
    for event in events:
        said = event.get("tool_call_metadata", {}).get("model_response", {})
        if not said:
            shown += of_plain(event)
        elif "observation" in event:
            call = event["tool_call_metadata"]["tool_call_id"]
            shown.append(Shown("tool", "tool_result", event["content"], call))
        else:
            shown += of_answer(event, said, said["id"] not in answered)
            answered.add(said["id"])
    return shown


def of_plain(event: Any) -> list[Shown]:
    """What came without an answer of the model."""
    if event.get("action") in ("system", "message"):
        return [Shown("system" if event["action"] == "system" else "user", "text", event["args"]["content"])]
    if event.get("observation") == "recall":
        return [Shown("user", "text", one["content"]) for one in event["extras"]["microagent_knowledge"]]
    return [Shown("user", "text", event["content"])] if event.get("observation") == "error" else []


def of_answer(event: Any, said: Any, first: bool) -> list[Shown]:
    message, call = said["choices"][0]["message"], event["tool_call_metadata"]["tool_call_id"]
    text = [Shown("assistant", "text", message["content"])] if message["content"] and first else []
    mine = [one["function"]["arguments"] for one in message["tool_calls"] if one["id"] == call]
    asked = [Shown("assistant", "tool_call", sorted_json(json.loads(one)), call) for one in mine]
    return text + (asked if event["action"] != "finish" else [])


def of_newer(events: list[Any]) -> list[Shown]:
    shown: list[Shown] = []
    for number, event in enumerate(events):
        kind = event["kind"]
        if kind == "SystemPromptEvent":
            texts = [event[name]["text"] for name in ("system_prompt", "dynamic_context") if event.get(name)]
            shown += [Shown("system", "text", text) for text in texts]
        elif kind == "MessageEvent":
            message = event["llm_message"]
            shown += thoughts(message)
            blocks = message["content"] + event["extended_content"]
            shown += [Shown(message["role"], "text", block["text"]) for block in blocks]
        elif kind == "ActionEvent":
            if event["llm_response_id"] != events[number - 1].get("llm_response_id"):
                shown += thoughts(event)
                shown += [Shown("assistant", "text", block["text"]) for block in event["thought"]]
            arguments = json.loads(event["tool_call"]["arguments"])
            shown.append(Shown("assistant", "tool_call", sorted_json(arguments), event["tool_call_id"]))
        elif kind == "ObservationEvent":
            text = flat(event["observation"]["content"])
            shown.append(Shown("tool", "tool_result", text, event["tool_call_id"]))
    return shown


def thoughts(holder: Any) -> list[Shown]:
    blocks = [block["thinking"] for block in holder["thinking_blocks"]]
    plain = [holder["reasoning_content"]] if holder.get("reasoning_content") else []
    return [Shown("assistant", "reasoning", text) for text in blocks or plain]
