"""Requests of an agent that works on and on, in the shape of each API; and a policy that prunes them."""

import json
from pathlib import Path
from typing import Any

OUTPUT = "compiling module {number}: nothing to report here\n"
POLICY = """\
name = "clears"
[[prune]]
type = "hard_clear"
[schedule]
type = "every_request"
[protect]
last_messages = 2
"""
TOOL = {"name": "Bash", "description": "runs a command", "input_schema": {"type": "object"}}


def write_policy(folder: Path) -> str:
    """A policy that clears all but the newest results in every request."""
    path = folder / "clears.toml"
    path.write_text(POLICY)
    return str(path)


def result(number: int) -> str:
    """What the command of one round printed."""
    return OUTPUT.format(number=number) * 60


def anthropic_body(rounds: int, **members: Any) -> bytes:
    """A Messages request after so many rounds."""
    messages: list[Any] = [{"role": "user", "content": "build it"}]
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make {number}"}}
        output = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result(number)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [output]}]
    body = {"model": "claude-opus-5", "max_tokens": 9, "tools": [TOOL], "messages": messages, **members}
    return json.dumps(body).encode()


def chat_body(rounds: int, **members: Any) -> bytes:
    """A Chat Completions request after so many rounds."""
    messages: list[Any] = [{"role": "user", "content": "build it"}]
    for number in range(rounds):
        function = {"name": "Bash", "arguments": json.dumps({"command": f"make {number}"})}
        call = {"id": f"t{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"t{number}", "content": result(number)})
    return json.dumps({"model": "gpt-5", "messages": messages, **members}).encode()


def responses_body(rounds: int, **members: Any) -> bytes:
    """A Responses request after so many rounds."""
    items: list[Any] = [{"type": "message", "role": "user", "content": "build it"}]
    for number in range(rounds):
        call = {"type": "function_call", "call_id": f"t{number}", "name": "Bash"}
        items.append({**call, "arguments": json.dumps({"command": f"make {number}"})})
        items.append({"type": "function_call_output", "call_id": f"t{number}", "output": result(number)})
    return json.dumps({"model": "gpt-5", "store": False, "input": items, **members}).encode()


def gemini_body(rounds: int, **members: Any) -> bytes:
    """A generateContent request after so many rounds."""
    contents: list[Any] = [{"role": "user", "parts": [{"text": "build it"}]}]
    for number in range(rounds):
        call = {"functionCall": {"name": "Bash", "args": {"command": f"make {number}"}}}
        output = {"functionResponse": {"name": "Bash", "response": {"output": result(number)}}}
        contents += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [output]}]
    return json.dumps({"contents": contents, **members}).encode()
