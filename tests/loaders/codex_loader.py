"""A second reader of Codex's session files: finds the newest compaction and reads on from there."""

import json
from typing import Any

from loaders.shown import Shown, flat, objects, sorted_json


def load(data: bytes) -> list[Shown]:
    """The model's context after the last line, oldest first."""
    lines = [line for line in objects(data) if isinstance(line, dict)]
    last = max((at for at, line in enumerate(lines) if line["type"] == "compacted"), default=None)
    items = list(lines[last]["payload"]["replacement_history"]) if last is not None else []
    items += [line["payload"] for line in lines[0 if last is None else last :] if line["type"] == "response_item"]
    shown: list[Shown] = []
    for item in items:
        shown += of_item(item)
    return shown


def of_item(item: Any) -> list[Shown]:
    kind = item["type"]
    if kind == "message":
        role = "system" if item["role"] == "developer" else item["role"]
        return [of_block(role, block) for block in item["content"]]
    if kind == "reasoning":
        texts = [block["text"] for block in [*(item.get("summary") or []), *(item.get("content") or [])]]
        return [Shown("assistant", "reasoning", "\n".join(texts))]
    if kind in ("function_call", "custom_tool_call", "tool_search_call"):
        return [Shown("assistant", "tool_call", asked(item), item["call_id"])]
    if kind in ("function_call_output", "custom_tool_call_output", "tool_search_output"):
        said = item["output"] if "output" in item else sorted_json(item["tools"])
        images = [] if isinstance(said, str) else [Shown("tool", "media") for b in said if b["type"] == "input_image"]
        return [Shown("tool", "tool_result", flat(said), item["call_id"]), *images]
    return [Shown("assistant" if kind.endswith("_call") else "user", "other")]


def asked(item: Any) -> str:
    """Raw text of freeform tools, one text for equal arguments of the others."""
    if "input" in item:
        return str(item["input"])
    arguments = item["arguments"]
    return sorted_json(json.loads(arguments) if isinstance(arguments, str) else arguments)


def of_block(role: str, block: Any) -> Shown:
    return Shown(role, "text", block["text"]) if "text" in block else Shown(role, "media")
