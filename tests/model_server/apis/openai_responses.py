"""OpenAI Responses."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from model_server.apis.api import Api, Body, Reply, ReplyCall, cut
from model_server.prompt_cache import Block, make_block
from model_server.script import Failure, list_texts
from upstream import events

_SPOKEN = ("function_call", "custom_tool_call", "local_shell_call", "reasoning")
_ECHOED = ("instructions", "metadata", "parallel_tool_calls", "prompt_cache_key", "store", "tool_choice", "tools")


def _list_tools(body: Body) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tool in body.get("tools") or ():
        if tool.get("type") == "namespace":  # a group of functions
            found |= {inner.get("name", ""): inner.get("parameters") or {} for inner in tool.get("tools") or ()}
        elif tool.get("type") in ("function", "custom"):
            found[tool["name"]] = tool.get("parameters") or {}
        elif tool.get("type") == "local_shell":
            found["local_shell"] = {"properties": {"command": {"type": "array"}}}
    return found


def _list_items(body: Body) -> list[Body]:
    given = body.get("input") or []
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _list_blocks(body: Body) -> Iterator[Block]:
    yield make_block({"instructions": body.get("instructions"), "tools": body.get("tools")})
    yield from map(make_block, _list_items(body))


def _list_spoken(body: Body) -> list[str]:
    items = _list_items(body)
    return list_texts([item for item in items if item.get("role") == "assistant" or item.get("type") in _SPOKEN])


def _write(reply: Reply) -> Body:
    usage = {
        "input_tokens": reply.usage.total,
        "input_tokens_details": {"cached_tokens": reply.usage.read},
        "output_tokens": reply.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.usage.total + reply.usage.output,
    }
    frame = {"id": f"resp_{reply.number:024d}", "object": "response", "created_at": 1_790_000_000}
    frame |= {"status": "completed", "error": None, "incomplete_details": None, "model": reply.model}
    frame |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    echoed = {name: reply.request[name] for name in _ECHOED if reply.request.get(name) is not None}
    return {**frame, **echoed, "output": list(_make_items(reply)), "usage": usage}


def _make_items(reply: Reply) -> Iterator[Body]:
    items = _list_items(reply.request)
    if items and items[-1].get("type") == "compaction_trigger":  # the answer is exactly one such item
        yield {"type": "compaction", "id": f"cmp_{reply.number:024d}", "encrypted_content": _seal("compacted")}
        return
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        reasoning = {"type": "reasoning", "id": f"rs_{reply.number:024d}", "summary": summary}
        yield {**reasoning, "encrypted_content": _seal(reply.thinking)}
    if reply.text or not reply.calls:
        content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
        message = {"type": "message", "id": f"msg_{reply.number:024d}", "role": "assistant", "status": "completed"}
        yield {**message, "content": content}
    custom = {tool.get("name") for tool in reply.request.get("tools") or () if tool.get("type") == "custom"}
    for number, call in enumerate(reply.calls):
        yield _make_call(call, f"{reply.number:020d}{number:04d}", call.name in custom)


def _make_call(call: ReplyCall, number: str, is_custom: bool) -> Body:
    frame = {"call_id": call.id, "status": "completed"}
    if call.name == "local_shell":
        action = {"type": "exec", "command": call.arguments["command"], "env": {}, "timeout_ms": None}
        return {"type": "local_shell_call", "id": f"lsh_{number}", **frame, "action": action}
    if is_custom:
        given = next(iter(call.arguments.values()), "")
        return {"type": "custom_tool_call", "id": f"ctc_{number}", **frame, "name": call.name, "input": given}
    arguments = json.dumps(call.arguments)
    return {"type": "function_call", "id": f"fc_{number}", **frame, "name": call.name, "arguments": arguments}


def _seal(text: str) -> str:
    return base64.b64encode(f"sealed {text}".encode() * 4).decode()


def _stream(reply: Reply) -> Iterator[bytes]:
    whole = _write(reply)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    listed = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        *(event for number, item in enumerate(whole["output"]) for event in _stream_item(number, item)),
        {"type": "response.completed", "response": whole},
    ]
    for sequence, event in enumerate(listed):
        yield events([{**event, "sequence_number": sequence}], named=True)


def _stream_item(number: int, item: Body) -> Iterator[Body]:
    empty = {"message": {"content": []}, "function_call": {"arguments": ""}, "custom_tool_call": {"input": ""}}
    start = {**item, **empty.get(item["type"], {})}
    at = {"output_index": number, "item_id": item["id"]}
    yield {"type": "response.output_item.added", "output_index": number, "item": start}
    if item["type"] == "message":
        part = item["content"][0]
        at["content_index"] = 0
        yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
        for piece in cut(part["text"]):
            yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **at, "part": part}
    elif item["type"] == "function_call":
        for piece in cut(item["arguments"]):
            yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
        done = {"name": item["name"], "arguments": item["arguments"]}
        yield {"type": "response.function_call_arguments.done", **at, **done}
    yield {"type": "response.output_item.done", "output_index": number, "item": item}


def _refuse(failure: Failure) -> Body:
    text = "Your input exceeds the context window of this model. Please adjust your input and try again."
    kind = "invalid_request_error" if failure.status < 429 else "server_error"
    if not failure.is_overflow:
        return {"error": {"message": "The server is overloaded.", "type": kind, "param": None, "code": None}}
    return {"error": {"message": text, "type": kind, "param": "input", "code": "context_length_exceeded"}}


API = Api(
    name="openai_responses",
    routes={r"/responses/input_tokens$": "count", r"/responses/compact$": "compact", r"/responses$": "ask"},
    tools=_list_tools,
    blocks=_list_blocks,
    needs_markers=False,
    items="input",
    spoken=_list_spoken,
    write=_write,
    stream=_stream,
    refuse=_refuse,
    count=lambda total: {"object": "response.input_tokens", "input_tokens": total},
)
