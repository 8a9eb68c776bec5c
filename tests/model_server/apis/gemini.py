"""Gemini generateContent."""

import base64
from collections.abc import Iterator
from typing import Any

from model_server.apis.api import Api, Body, Reply, cut
from model_server.prompt_cache import Block, make_block
from model_server.script import Failure, list_texts
from upstream import events


def _list_tools(body: Body) -> dict[str, Any]:
    groups = [tool.get("functionDeclarations") or () for tool in body.get("tools") or ()]
    functions = [function for group in groups for function in group]
    return {f["name"]: f.get("parametersJsonSchema") or f.get("parameters") or {} for f in functions}


def _list_blocks(body: Body) -> Iterator[Block]:
    yield make_block({"system": body.get("systemInstruction"), "tools": body.get("tools")})
    yield from map(make_block, body.get("contents") or ())


def _list_spoken(body: Body) -> list[str]:
    return list_texts([content for content in body.get("contents") or () if content.get("role") == "model"])


def _write(reply: Reply) -> Body:
    return _make_answer(reply, [*_make_texts(reply, whole=True), *_make_calls(reply)], is_last=True)


def _make_texts(reply: Reply, whole: bool) -> list[Body]:
    texts = ((reply.thinking, {"thought": True}), (reply.text, {}))
    return [{"text": piece, **more} for text, more in texts if text for piece in ([text] if whole else cut(text))]


def _make_calls(reply: Reply) -> list[Body]:
    calls: list[Body] = [{"functionCall": {"name": call.name, "args": call.arguments}} for call in reply.calls]
    if reply.thinking and calls:
        calls[0]["thoughtSignature"] = base64.b64encode(reply.thinking.encode()).decode()
    return calls


def _make_answer(reply: Reply, parts: list[Body], is_last: bool) -> Body:
    usage: Body = {"promptTokenCount": reply.usage.total, "candidatesTokenCount": reply.usage.output}
    usage["totalTokenCount"] = reply.usage.total + reply.usage.output
    if reply.usage.read:
        usage["cachedContentTokenCount"] = reply.usage.read
    candidate = {"content": {"role": "model", "parts": parts or [{"text": ""}]}, "index": 0}
    ends = {"finishReason": "STOP"} if is_last else {}
    answer = {"candidates": [{**candidate, **ends}], "usageMetadata": usage}
    return {**answer, "modelVersion": reply.model, "responseId": f"r{reply.number}"}


def _stream(reply: Reply) -> Iterator[bytes]:
    parts = [*_make_texts(reply, whole=False), *_make_calls(reply)]
    for number, part in enumerate(parts):
        yield events([_make_answer(reply, [part], is_last=number == len(parts) - 1)])


def _refuse(failure: Failure) -> Body:
    text = f"The input token count ({failure.tokens}) exceeds the maximum number of tokens allowed ({failure.window})."
    if failure.is_overflow:
        return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    status = "RESOURCE_EXHAUSTED" if failure.status == 429 else "UNAVAILABLE"
    return {"error": {"code": failure.status, "message": "The model is overloaded.", "status": status}}


API = Api(
    name="gemini",
    routes={r":countTokens$": "count", r":generateContent$": "ask", r":streamGenerateContent$": "stream"},
    tools=_list_tools,
    blocks=_list_blocks,
    needs_markers=False,
    items="contents",
    spoken=_list_spoken,
    write=_write,
    stream=_stream,
    refuse=_refuse,
    count=lambda total: {"totalTokens": total},
)
