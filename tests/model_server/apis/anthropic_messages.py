"""Anthropic Messages."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from model_server.apis.api import Api, Body, Reply, cut
from model_server.prompt_cache import Block, make_block
from model_server.script import Failure, list_texts
from upstream import events

_ERRORS = {413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}


def _list_tools(body: Body) -> dict[str, Any]:
    return {tool.get("name", ""): tool.get("input_schema") or {} for tool in body.get("tools") or ()}


def _list_blocks(body: Body) -> Iterator[Block]:
    yield from map(make_block, body.get("tools") or ())
    yield from map(make_block, _split(body.get("system")))
    for message in body["messages"]:
        for block in _split(message["content"]):
            yield make_block({"role": message["role"], "block": block})


def _split(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _list_spoken(body: Body) -> list[str]:
    return list_texts([message["content"] for message in body["messages"] if message["role"] == "assistant"])


def _write(reply: Reply) -> Body:
    content: list[Body] = []
    if reply.thinking:
        signature = base64.b64encode(f"{reply.number}:{reply.thinking}".encode()).decode()
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": signature})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in reply.calls]
    usage = {
        "input_tokens": reply.usage.total - reply.usage.read - reply.usage.written,
        "cache_creation_input_tokens": reply.usage.written,
        "cache_read_input_tokens": reply.usage.read,
        "output_tokens": reply.usage.output,
    }
    message = {"id": f"msg_{reply.number:024d}", "type": "message", "role": "assistant", "model": reply.model}
    ends = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    return {**message, "content": content, **ends, "usage": usage}


def _stream(reply: Reply) -> Iterator[bytes]:
    whole = _write(reply)
    message = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield events([{"type": "message_start", "message": message}, {"type": "ping"}], named=True)
    for number, block in enumerate(whole["content"]):
        start, deltas = _split_block(block)
        yield events([{"type": "content_block_start", "index": number, "content_block": start}], named=True)
        for delta in deltas:
            yield events([{"type": "content_block_delta", "index": number, "delta": delta}], named=True)
        yield events([{"type": "content_block_stop", "index": number}], named=True)
    ends = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield events([{"type": "message_delta", "delta": ends, "usage": whole["usage"]}], named=True)
    yield events([{"type": "message_stop"}], named=True)


def _split_block(block: Body) -> tuple[Body, list[Body]]:
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in cut(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in cut(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", "signature": ""}, deltas
    pieces = cut(json.dumps(block["input"]))
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _refuse(failure: Failure) -> Body:
    kind = _ERRORS.get(failure.status, "invalid_request_error" if failure.status < 500 else "api_error")
    text = (
        f"prompt is too long: {failure.tokens} tokens > {failure.window} maximum"
        if failure.is_overflow
        else "Overloaded"
    )
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_scripted"}


API = Api(
    name="anthropic_messages",
    routes={
        r"/messages/count_tokens$": "count",
        r"/messages$": "ask",
        r"/publishers/anthropic/models/[^/]+:(?:streamR|r)awPredict$": "ask",  # on Vertex AI
        r"/model/[^/]+/invoke$": "ask",  # on Bedrock
    },
    tools=_list_tools,
    blocks=_list_blocks,
    needs_markers=True,
    items="messages",
    spoken=_list_spoken,
    write=_write,
    stream=_stream,
    refuse=_refuse,
    count=lambda total: {"input_tokens": total},
)
