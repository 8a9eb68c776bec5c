"""Amazon Bedrock Converse: answers as JSON, streams as frames of its event stream."""

import json
import struct
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from model_server.apis.api import Api, Body, Reply, cut
from model_server.prompt_cache import Block, make_block
from model_server.script import Failure, list_texts


def _list_tools(body: Body) -> dict[str, Any]:
    specs = [tool.get("toolSpec") or {} for tool in (body.get("toolConfig") or {}).get("tools") or ()]
    return {spec["name"]: (spec.get("inputSchema") or {}).get("json") or {} for spec in specs if spec.get("name")}


def _list_blocks(body: Body) -> Iterator[Block]:
    yield from _join_markers((body.get("toolConfig") or {}).get("tools") or [], "tools")
    yield from _join_markers(body.get("system") or [], "system")
    for message in body["messages"]:
        yield from _join_markers(message["content"], message["role"])


def _join_markers(blocks: list[Body], role: str) -> Iterator[Block]:
    """A cache point is a block of its own that marks the one before it."""
    for block, following in zip(blocks, [*blocks, {}][1:], strict=True):
        if "cachePoint" not in block:
            yield Block(make_block({"role": role, "block": block}).text, "cachePoint" in following)


def _list_spoken(body: Body) -> list[str]:
    return list_texts([message["content"] for message in body["messages"] if message["role"] == "assistant"])


def _count_usage(reply: Reply) -> Body:
    usage = reply.usage
    return {
        "inputTokens": usage.total - usage.read - usage.written,
        "outputTokens": usage.output,
        "totalTokens": usage.total + usage.output,
        "cacheReadInputTokens": usage.read,
        "cacheWriteInputTokens": usage.written,
    }


def _write(reply: Reply) -> Body:
    content: list[Body] = [{"text": reply.text}] if reply.text else []
    content += [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.arguments}} for c in reply.calls]
    reason = "tool_use" if reply.calls else "end_turn"
    message = {"role": "assistant", "content": content}
    return {
        "output": {"message": message},
        "stopReason": reason,
        "usage": _count_usage(reply),
        "metrics": {"latencyMs": 1},
    }


def _stream(reply: Reply) -> Iterator[bytes]:
    yield _frame("messageStart", {"role": "assistant"})
    texts = [[{"text": piece} for piece in cut(reply.text)]] if reply.text else []
    calls = [[{"toolUse": {"input": piece}} for piece in cut(json.dumps(call.arguments))] for call in reply.calls]
    starts = [None] * len(texts) + [{"toolUse": {"toolUseId": call.id, "name": call.name}} for call in reply.calls]
    for number, (start, deltas) in enumerate(zip(starts, texts + calls, strict=True)):
        if start:
            yield _frame("contentBlockStart", {"contentBlockIndex": number, "start": start})
        for delta in deltas:
            yield _frame("contentBlockDelta", {"contentBlockIndex": number, "delta": delta})
        yield _frame("contentBlockStop", {"contentBlockIndex": number})
    yield _frame("messageStop", {"stopReason": "tool_use" if reply.calls else "end_turn"})
    yield _frame("metadata", {"usage": _count_usage(reply), "metrics": {"latencyMs": 1}})


def _frame(kind: str, value: Body) -> bytes:
    """One message: lengths, their checksum, headers, payload, checksum of it all."""
    named = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        struct.pack(">B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
        for name, text in named.items()
    )
    payload = json.dumps(value).encode()
    lengths = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = lengths + struct.pack(">I", crc32(lengths)) + headers + payload
    return message + struct.pack(">I", crc32(message))


def _refuse(failure: Failure) -> Body:
    return {"message": "Input is too long for requested model." if failure.is_overflow else "Too many requests."}


API = Api(
    name="bedrock_converse",
    routes={r"/converse$": "ask", r"/converse-stream$": "stream"},
    tools=_list_tools,
    blocks=_list_blocks,
    needs_markers=True,
    items="messages",
    spoken=_list_spoken,
    write=_write,
    stream=_stream,
    refuse=_refuse,
    count=lambda total: {"inputTokens": total},
    stream_kind="application/vnd.amazon.eventstream",
)
