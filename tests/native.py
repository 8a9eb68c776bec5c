"""Native messages as literals: chat, results with `metadata.toolName`, Anthropic's blocks, sessions of Pi."""

import json
from typing import Any

Native = dict[str, Any]


def user(text: str = "u") -> Native:
    return {"role": "user", "content": text}


def assistant(text: str = "a") -> Native:
    return {"role": "assistant", "content": text}


def calls(*said: tuple[str, str], args: str = "{}") -> Native:
    """An assistant message of chat calls (id, tool)."""
    made = [{"id": id, "type": "function", "function": {"name": tool, "arguments": args}} for id, tool in said]
    return {"role": "assistant", "content": None, "tool_calls": made}


def tool(text: Any, call: str = "") -> Native:
    """A chat result."""
    return {"role": "tool", "tool_call_id": call, "content": text}


def named(text: str, name: str | None = None, **metadata: Any) -> Native:
    """A result that names its tool itself and has no call id."""
    said = metadata | ({"toolName": name} if name is not None else {})
    return {"role": "tool", "content": text, "metadata": said}


def blocks(*said: tuple[str, str, bool], name: str = "bash") -> list[Native]:
    """An Anthropic round: calls, and their results (id, text, error)."""
    uses = [{"type": "tool_use", "id": id, "name": name, "input": {}} for id, _, _ in said]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error} for id, text, error in said
    ]
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def pi_call(id: str, name: str = "bash", **arguments: Any) -> Native:
    call = {"type": "toolCall", "id": id, "name": name, "arguments": arguments}
    return {"role": "assistant", "content": [call], "provider": "anthropic", "model": "claude-sonnet-4-5"}


def pi_result(id: str, text: str, name: str = "bash", error: bool = False) -> Native:
    content = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": id, "toolName": name, "content": content, "isError": error}


def pi_session(messages: list[Native]) -> bytes:
    """A Pi session file of these messages, one after the other."""
    lines: list[Native] = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/home"}
    ]
    for number, message in enumerate(messages):
        at = {
            "id": f"m{number}",
            "parentId": f"m{number - 1}" if number else None,
            "timestamp": "2026-01-01T00:00:01.000Z",
        }
        lines.append({"type": "message"} | at | {"message": message})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def pi_messages(session: Any) -> list[Native]:
    """The messages of a Pi session file."""
    lines = [json.loads(line) for line in session.decode().splitlines()]
    return [line["message"] for line in lines if line["type"] == "message"]
