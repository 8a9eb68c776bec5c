"""FM-01 to FM-03 and FM-22 to FM-24 in the words of every API: check tells them by rule, repair mends them, and check
is silent then.

The other cases between (a late yes, a pending result, screenshots, a giant result, a cut test run) break no rule, or
one of sizes; they are in files of their own.
"""

import json
from typing import Any

import pytest

from secateur.api import check, get_family
from secateur.api.repair import repair

FORMATS = ("anthropic_messages", "openai_chat", "openai_responses", "gemini", "bedrock_converse")
ARRAYS = {"openai_responses": "input", "gemini": "contents"}
EMPTY: dict[str, Any] = {}


def user(format: str, text: str) -> dict[str, Any]:
    match format:
        case "gemini":
            return {"role": "user", "parts": [{"text": text}]}
        case "bedrock_converse":
            return {"role": "user", "content": [{"text": text}]}
        case _:
            return {"role": "user", "content": text}


def calls(format: str, *ids: str, given: Any = EMPTY) -> list[dict[str, Any]]:
    """One answer of the model with these calls."""
    match format:
        case "anthropic_messages":
            blocks = [{"type": "tool_use", "id": id, "name": "read", "input": given} for id in ids]
            return [{"role": "assistant", "content": blocks}]
        case "openai_chat":
            named = {"name": "read", "arguments": "{}" if given is EMPTY else given}
            made = [{"id": id, "type": "function", "function": named} for id in ids]
            return [{"role": "assistant", "content": None, "tool_calls": made}]
        case "openai_responses":
            text = "{}" if given is EMPTY else given
            return [{"type": "function_call", "call_id": id, "name": "read", "arguments": text} for id in ids]
        case "gemini":
            parts = [{"functionCall": {"id": id, "name": "read", "args": given}} for id in ids]
            return [{"role": "model", "parts": parts}]
        case _:
            uses = [{"toolUse": {"toolUseId": id, "name": "read", "input": given}} for id in ids]
            return [{"role": "assistant", "content": uses}]


def results(format: str, *ids: str) -> list[dict[str, Any]]:
    """The results of these calls, as a client sends them."""
    match format:
        case "anthropic_messages":
            return [
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in ids]}
            ]
        case "openai_chat":
            return [{"role": "tool", "tool_call_id": id, "content": "ok"} for id in ids]
        case "openai_responses":
            return [{"type": "function_call_output", "call_id": id, "output": "ok"} for id in ids]
        case "gemini":
            parts = [{"functionResponse": {"id": id, "name": "read", "response": {"output": "ok"}}} for id in ids]
            return [{"role": "user", "parts": parts}]
        case _:
            done = [{"toolResult": {"toolUseId": id, "content": [{"text": "ok"}]}} for id in ids]
            return [{"role": "user", "content": done}]


def broken(case: str, format: str) -> list[dict[str, Any]]:
    """The history as the failure leaves it."""
    go = user(format, "go")
    match case:
        case "FM-01 a batch cut behind its second result":
            return [go, *calls(format, "a", "b", "c"), *results(format, "a", "b")]
        case "FM-02 a result whose call was summarized":
            return [go, *results(format, "a")]
        case "FM-03 a call whose result never came":
            return [go, *calls(format, "a"), user(format, "so?")]
        case "FM-22 two calls under one id":
            return [go, *calls(format, "a", "a"), *results(format, "a", "a")]
        case "FM-23 arguments that break off":
            return [go, *calls(format, "a", given='{"path": "/etc/a...[truncated]'), *results(format, "a")]
        case _:
            return [user(format, "half an emoji \ud83d")]


TOLD = {  # by format, in the order of FORMATS; "": no rule of that API is broken
    "FM-01 a batch cut behind its second result": ("A1", "O2", "R1", "G3", "B1"),
    "FM-02 a result whose call was summarized": ("A2", "O1", "R2", "G2", "B2"),
    "FM-03 a call whose result never came": ("A1", "O2", "R1", "G3", "B1"),
    "FM-22 two calls under one id": ("A4", "O4", "R5", "", "B2"),
    "FM-23 arguments that break off": ("A6", "O8", "", "G0", "B11"),
    "FM-24 a text cut inside an emoji": ("A71",) * 5,
}
EACH = [(case, format, rule) for case, rules in TOLD.items() for format, rule in zip(FORMATS, rules, strict=True)]


def refused(format: str, body: dict[str, Any]) -> set[str]:
    return {one.rule for one in check(get_family(format), body[ARRAYS.get(format, "messages")], body)}


@pytest.mark.parametrize(("case", "format", "rule"), EACH, ids=lambda value: str(value).split(" ")[0])
def test_it_is_told_and_mended(case: str, format: str, rule: str) -> None:
    tools = {"toolConfig": {"tools": [{"toolSpec": {"name": "read"}}]}} if format == "bedrock_converse" else {}
    body = {ARRAYS.get(format, "messages"): broken(case, format)} | tools
    assert rule in refused(format, body) if rule else not refused(format, body)
    done = repair(json.dumps(body).encode(), format)
    assert done.remaining == ()
    assert refused(format, json.loads(done.document)) == set()
    assert bool(done.repairs) or not rule
