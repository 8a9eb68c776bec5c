"""OpenAI Chat Completions."""

import json
from collections.abc import Iterator
from typing import Any

from model_server.apis.api import Api, Body, Reply, cut
from model_server.prompt_cache import Block, make_block
from model_server.script import Failure, list_texts
from upstream import events


def _list_tools(body: Body) -> dict[str, Any]:
    functions = [tool.get("function") or {} for tool in body.get("tools") or ()]
    return {function["name"]: function.get("parameters") or {} for function in functions if function.get("name")}


def _list_blocks(body: Body) -> Iterator[Block]:
    yield make_block(body.get("tools") or [])
    yield from map(make_block, body["messages"])


def _list_spoken(body: Body) -> list[str]:
    return list_texts([message for message in body["messages"] if message["role"] == "assistant"])


def _count_usage(reply: Reply) -> Body:
    usage, total = reply.usage, reply.usage.total + reply.usage.output
    return {
        "prompt_tokens": usage.total,
        "completion_tokens": usage.output,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": usage.read},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _make_head(reply: Reply, kind: str) -> Body:
    return {"id": f"chatcmpl-{reply.number}", "object": kind, "created": 1_790_000_000, "model": reply.model}


def _write(reply: Reply) -> Body:
    message: Body = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}
            for c in reply.calls
        ]
    reason = "tool_calls" if reply.calls else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    return {**_make_head(reply, "chat.completion"), "choices": [choice], "usage": _count_usage(reply)}


def _stream(reply: Reply) -> Iterator[bytes]:
    head, message = _make_head(reply, "chat.completion.chunk"), _write(reply)["choices"][0]["message"]
    deltas: list[Body] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in cut(reply.thinking) if piece]
    deltas += [{"content": piece} for piece in cut(reply.text) if piece]
    for number, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        deltas.append({"tool_calls": [{"index": number, **call, "function": {**function, "arguments": ""}}]})
        pieces = cut(function["arguments"])
        deltas += [{"tool_calls": [{"index": number, "function": {"arguments": piece}}]} for piece in pieces]
    for delta in deltas:
        yield events([{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}])
    reason = "tool_calls" if reply.calls else "stop"
    yield events([{**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}])
    if (reply.request.get("stream_options") or {}).get("include_usage"):
        yield events([{**head, "choices": [], "usage": _count_usage(reply)}])
    yield events(["[DONE]"])


def _refuse(failure: Failure) -> Body:
    kind = "invalid_request_error" if failure.status < 429 else "server_error"
    text = f"This model's maximum context length is {failure.window} tokens. However, your messages resulted in"
    if not failure.is_overflow:
        return {"error": {"message": "The server is overloaded.", "type": kind, "param": None, "code": None}}
    return {
        "error": {
            "message": f"{text} {failure.tokens} tokens.",
            "type": kind,
            "param": "messages",
            "code": "context_length_exceeded",
        }
    }


API = Api(
    name="openai_chat",
    routes={r"/chat/completions$": "ask"},
    tools=_list_tools,
    blocks=_list_blocks,
    needs_markers=False,
    items="messages",
    spoken=_list_spoken,
    write=_write,
    stream=_stream,
    refuse=_refuse,
    count=lambda total: {"total_tokens": total},
)
