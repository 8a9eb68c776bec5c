"""A second reader of ATIF trajectories: writes each step out as a short conversation of its own."""

import json
from typing import Any

from loaders.shown import Shown, sorted_json

ROLES = {"system": "system", "user": "user", "agent": "assistant"}


def load(data: bytes) -> list[Shown]:
    """What the model saw, oldest first."""
    shown: list[Shown] = []
    for step in json.loads(data)["steps"]:
        shown += of_step(step, ROLES[step["source"]])
    return shown


def of_step(step: Any, role: str) -> list[Shown]:
    calls = step.get("tool_calls", [])
    results = [one for one in step.get("observation", {"results": []})["results"] if "content" in one]
    kind = "tool_call" if results and not calls and role == "assistant" else "text"
    said = [Shown(role, kind, step["message"])] if step["message"] else []
    asked = [Shown(role, "tool_call", sorted_json(call["arguments"]), call["tool_call_id"]) for call in calls]
    ids = [call["tool_call_id"] for call in calls] or [""]
    found = [
        Shown("tool", "tool_result", one["content"], one.get("source_call_id") or ids[at])
        for at, one in enumerate(results)
    ]
    return said + asked + found
