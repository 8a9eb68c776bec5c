"""A second reader of trajectories of SWE-agent and mini-swe-agent: each message beside the one before."""

import json
from typing import Any

from loaders.shown import Shown, flat, sorted_json


def load(data: bytes) -> list[Shown]:
    """What the model saw, oldest first."""
    document = json.loads(data)
    messages = document if isinstance(document, list) else document.get("history") or document["messages"]
    shown: list[Shown] = []
    for before, message in zip([{"role": ""}, *messages], messages, strict=False):
        shown += of_message(message, before)
    return shown


def of_message(message: Any, before: Any) -> list[Shown]:
    role = message["role"]
    if role == "exit":
        return []
    if role == "tool":
        call = message.get("tool_call_id") or message["tool_call_ids"][0]
        return [Shown("tool", "tool_result", flat(message["content"]), call)]
    if role == "assistant":
        return of_assistant(message)
    answers = before["role"] == "assistant" and message.get("is_demo") == before.get("is_demo")
    if role == "user" and answers and not before.get("tool_calls"):
        return [Shown("tool", "tool_result", flat(message["content"]))]
    return [Shown(role, "text", flat(message["content"]))]


def of_assistant(message: Any) -> list[Shown]:
    said, content = [], message["content"] or ""
    if message.get("reasoning_content"):
        said.append(Shown("assistant", "reasoning", message["reasoning_content"]))
    calls = message.get("tool_calls") or []
    command = "" if calls else (message.get("action") or fenced(content)).strip()
    if command and command in content:
        at = content.rindex(command)
        content = content[:at] + content[at + len(command) :]
    if content.strip() or not (command or calls):
        said.append(Shown("assistant", "text", content))
    said += [Shown("assistant", "tool_call", command)] if command else []
    arguments = [(json.loads(one["function"]["arguments"]), one["id"]) for one in calls]
    return said + [Shown("assistant", "tool_call", sorted_json(value), name) for value, name in arguments]


def fenced(content: str) -> str:
    """The command between the fences of a text without an `action`; "" where there is none."""
    for fence in ("```mswea_bash_command\n", "```bash\n"):
        if fence in content:
            return content.split(fence)[1].split("\n```")[0]
    return ""
