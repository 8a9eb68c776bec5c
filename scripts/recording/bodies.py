"""The conversation as the next request to an API: an Anthropic Messages body and an OpenAI Chat body.

The last answer is what the request asks for, so it is left out. Results of parallel calls stand together in the one
message that follows them; Chat results are text only, so the picture reaches the model through the user alone.
"""

import json
from typing import Any

from recording.marks import base64_of, call_id
from recording.tools import Call, Step, Turn

Body = dict[str, Any]

_SYSTEM = "You are a coding agent. You work in a checked-out repository, with the tools given, and answer briefly."
_EPHEMERAL = {"cache_control": {"type": "ephemeral"}}

# verb → (tool, what it does, its arguments)
_TOOLS: dict[str, tuple[str, str, dict[str, str]]] = {
    "read": ("read_file", "Print a file.", {"path": "Path below the repository."}),
    "search": ("search", "Search Python files.", {"pattern": "Regular expression.", "path": "Folder to search."}),
    "list": ("list_dir", "List a folder.", {"path": "Folder to list."}),
    "run": ("run", "Run a shell command.", {"command": "The command."}),
    "edit": (
        "edit_file",
        "Replace text in a file.",
        {"path": "The file.", "old": "Text to find.", "new": "Text to put."},
    ),
    "view": ("view_image", "Look at a picture.", {"path": "The picture."}),
    "skill": ("skill", "Load instructions by name.", {"name": "The skill."}),
}


def anthropic(turns: list[Turn]) -> str:
    """A Messages body, cache markers on the last blocks of its last two user messages."""
    messages: list[Body] = []
    for turn in turns:
        messages.append({"role": "user", "content": [_text(turn.asks), *_picture(turn.image)]})
        for step in _asked(turn, turns):
            blocks = [_text(step.says), *({"type": "tool_use", **_use(call)} for call in step.calls)]
            messages.append({"role": "assistant", "content": blocks})
            messages += [{"role": "user", "content": [_result(call) for call in step.calls]}] if step.calls else []
    for message in [m for m in messages if m["role"] == "user"][-2:]:
        message["content"][-1] |= _EPHEMERAL
    tools = [{"name": n, "description": d, "input_schema": _schema(args)} for n, d, args in _TOOLS.values()]
    head = {"model": "claude-sonnet-4-5", "max_tokens": 8192, "stream": True}
    return _body({**head, "system": [_text(_SYSTEM) | _EPHEMERAL], "tools": tools, "messages": messages})


def openai(turns: list[Turn]) -> str:
    """A Chat Completions body."""
    messages: list[Body] = [{"role": "system", "content": _SYSTEM}]
    for turn in turns:
        url = f"data:image/png;base64,{base64_of(turn.image)}"
        seen = [_text(turn.asks), {"type": "image_url", "image_url": {"url": url}}] if turn.image else turn.asks
        messages.append({"role": "user", "content": seen})
        for step in _asked(turn, turns):
            calls = {"tool_calls": [_function(call) for call in step.calls]} if step.calls else {}
            messages.append({"role": "assistant", "content": step.says, **calls})
            messages += [{"role": "tool", "tool_call_id": _id(c), "content": _shown(c)} for c in step.calls]
    tools = [
        {"type": "function", "function": {"name": n, "description": d, "parameters": _schema(args)}}
        for n, d, args in _TOOLS.values()
    ]
    return _body({"model": "gpt-5", "stream": True, "messages": messages, "tools": tools})


def _asked(turn: Turn, turns: list[Turn]) -> list[Step]:
    """The steps of a turn that a request can hold: all but the answer it asks for."""
    return turn.steps[:-1] if turn is turns[-1] else turn.steps


def _use(call: Call) -> Body:
    name, _, known = _TOOLS[call.verb]
    return {"id": call_id("toolu_", call), "name": name, "input": {key: call.args[key] for key in known}}


def _function(call: Call) -> Body:
    use = _use(call)
    return {
        "id": _id(call),
        "type": "function",
        "function": {"name": use["name"], "arguments": json.dumps(use["input"])},
    }


def _result(call: Call) -> Body:
    content = _picture(call.image) or _shown(call)
    error = {"is_error": True} if call.code else {}
    return {"type": "tool_result", "tool_use_id": call_id("toolu_", call), "content": content} | error


def _shown(call: Call) -> str:
    return f"exit code {call.code}\n{call.text}" if call.code else call.text


def _id(call: Call) -> str:
    return call_id("call_", call)


def _text(text: str) -> Body:
    return {"type": "text", "text": text}


def _picture(image: bytes) -> list[Body]:
    return (
        [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": base64_of(image)}}]
        if image
        else []
    )


def _schema(args: dict[str, str]) -> Body:
    properties = {name: {"type": "string", "description": text} for name, text in args.items()}
    return {"type": "object", "properties": properties, "required": list(args)}


def _body(body: Body) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
