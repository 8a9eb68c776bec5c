"""The conversation as a Codex rollout: the model's items, and beside them the interface's copies of what was said.

Outputs carry the head that Codex puts before them; an edit is a patch in plain text; an error has no flag of its own.
"""

import json
from collections.abc import Iterator
from typing import Any

from recording.marks import Event, base64_of, call_id, iso, jsonl, mark, timeline, uuid
from recording.tools import HOME, Call, Step, Turn

Item = dict[str, Any]

_WHERE = f"<environment_context>\n  <cwd>{HOME}</cwd>\n  <shell>bash</shell>\n</environment_context>"
_LIMIT_TOKENS = 100_000
_TURN: Item = {"cwd": HOME, "model": "gpt-5-codex", "effort": "medium"}
_TURN |= {"truncation_policy": {"mode": "tokens", "limit": _LIMIT_TOKENS}}
_META = {"id": uuid("codex", 0), "cwd": HOME, "originator": "codex_cli_rs", "cli_version": "0.130.0", "source": "cli"}
_META |= {"model_provider": "openai"}


def written(turns: list[Turn]) -> str:
    """The rollout file."""
    events = list(timeline(turns))
    began = iso(events[0][0])
    head = [("session_meta", _META | {"timestamp": began}), ("response_item", _message("user", _typed(_WHERE)))]
    lines = [{"timestamp": began, "type": kind, "payload": payload} for kind, payload in head]
    for at, event in events:
        lines += [{"timestamp": iso(at), "type": kind, "payload": payload} for kind, payload in _items(event)]
    return jsonl(lines)


def _items(event: Event) -> Iterator[tuple[str, Item]]:
    if isinstance(event, Turn):
        yield "turn_context", _TURN
        yield "response_item", _message("user", [*_typed(event.asks), *_image(event.image)])
        yield "event_msg", {"type": "user_message", "message": event.asks, "images": []}
    elif isinstance(event, Step):
        yield "event_msg", {"type": "agent_message", "message": event.says}
        yield "response_item", _message("assistant", [{"type": "output_text", "text": event.says}])
        yield from (("response_item", _call(call)) for call in event.calls)
    else:
        kind = "custom_tool_call_output" if event.verb == "edit" else "function_call_output"
        yield "response_item", {"type": kind, "call_id": call_id("call_", event), "output": _output(event)}


def _call(call: Call) -> Item:
    args: Item
    pairing = {"call_id": call_id("call_", call)}
    match call.verb:
        case "edit":
            return {
                "type": "custom_tool_call",
                "status": "completed",
                **pairing,
                "name": "apply_patch",
                "input": _patch(call),
            }
        case "view":
            name, args = "view_image", {"path": call.args["path"]}
        case "skill":
            name, args = "skill", {"name": call.args["name"]}
        case _:
            name, args = "exec_command", {"cmd": call.shell, "max_output_tokens": _LIMIT_TOKENS}
    return {"type": "function_call", "name": name, "arguments": json.dumps(args), **pairing}


def _patch(call: Call) -> str:
    old, new = (call.args[side].splitlines() for side in ("old", "new"))
    change = "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    return f"*** Begin Patch\n*** Update File: {call.args['path']}\n@@\n{change}\n*** End Patch\n"


def _output(call: Call) -> str | list[Item]:
    match call.verb:
        case "view":
            return _image(call.image)
        case "edit":
            done = f"Success. Updated the following files:\nM {call.args['path']}\n"
            return json.dumps({"output": done, "metadata": {"exit_code": 0, "duration_seconds": 0.0}})
        case "skill":
            return call.text
    head = f"Chunk ID: {mark('chunk', call.n, 6)}\nWall time: {call.wall_s:.4f} seconds\n"
    size = len(call.text) // 4
    return f"{head}Process exited with code {call.code}\nOriginal token count: {size}\nOutput:\n{call.text}"


def _message(role: str, content: list[Item]) -> Item:
    return {"type": "message", "role": role, "content": content}


def _typed(text: str) -> list[Item]:
    return [{"type": "input_text", "text": text}]


def _image(image: bytes) -> list[Item]:
    return [{"type": "input_image", "image_url": f"data:image/png;base64,{base64_of(image)}"}] if image else []
