"""A compaction on every request format: what its API takes before, it takes after."""

import json
from typing import Any

import pytest

from long_sessions import SUMS
from secateur import Engine, documents
from secateur.api import check, get_family
from secateur.compaction.outcome import Compacted

OUTPUT = "1 passed\n" * 200
ASKED, NEXT, DONE = "Fix the login.", "Now the docs.", "It is fixed."
Native = dict[str, Any]


def anthropic(n: int) -> list[Native]:
    call = {"type": "tool_use", "id": f"c{n}", "name": "bash", "input": {"command": f"pytest {n}"}}
    result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": OUTPUT}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def bedrock(n: int) -> list[Native]:
    call = {"toolUse": {"toolUseId": f"c{n}", "name": "bash", "input": {"command": f"pytest {n}"}}}
    result = {"toolResult": {"toolUseId": f"c{n}", "content": [{"text": OUTPUT}]}}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def gemini(n: int) -> list[Native]:
    call = {"functionCall": {"name": "bash", "args": {"command": f"pytest {n}"}}}
    result = {"functionResponse": {"name": "bash", "response": {"output": OUTPUT}}}
    return [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]


def responses(n: int) -> list[Native]:
    call = {"type": "function_call", "call_id": f"c{n}", "name": "bash", "arguments": json.dumps({"command": f"p {n}"})}
    return [call, {"type": "function_call_output", "call_id": f"c{n}", "output": OUTPUT}]


def chat(n: int) -> list[Native]:
    function = {"name": "bash", "arguments": json.dumps({"command": f"pytest {n}"})}
    call = {"id": f"c{n}", "type": "function", "function": function}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": f"c{n}", "content": OUTPUT}]


def plain(role: str, text: str) -> Native:
    return {"role": role, "content": text}


def blocks(role: str, text: str) -> Native:
    return {"role": role, "content": [{"text": text}]}


def parts(role: str, text: str) -> Native:
    return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}


APIS: dict[str, tuple[str, Any, Any]] = {
    "anthropic_messages": ("messages", anthropic, plain),
    "bedrock_converse": ("messages", bedrock, blocks),
    "gemini": ("contents", gemini, parts),
    "openai_responses": ("input", responses, plain),
    "openai_chat": ("messages", chat, plain),
}


@pytest.mark.parametrize("preset", ["sums", "opencode", "kilocode", "hermes"])
@pytest.mark.parametrize("ends", ["asked", "working", "done"])
@pytest.mark.parametrize("api", APIS)
def test_what_the_api_takes_before_it_takes_after(api: str, ends: str, preset: str) -> None:
    name, round_of, message = APIS[api]
    said = [message("user", ASKED), *(one for n in range(40) for one in round_of(n))]
    if ends != "working":
        said += [message("assistant", DONE)]
    if ends == "asked":
        said += [message("user", NEXT)]
    raw = json.dumps({name: said}).encode()
    engine = Engine(SUMS if preset == "sums" else preset, window=16_000, format=api)
    view = engine.fit(raw, session="s", now_ms=0)
    assert isinstance(view.compaction, Compacted), view.receipt
    assert view.receipt.tokens_view < 16_000
    family, made = get_family(api), json.loads(view.request)
    before = [one.rule for one in check(family, said, None) if one.severity == "error"]
    assert [one.rule for one in check(family, made[name], None) if one.severity == "error"] == before
    again = documents.read(view.request, api).transcript
    named = {"system": "system" if api.startswith("openai") else "user"}  # others have no such messages (API rule E8)
    roles = [named.get(message.role, message.role) for message in view.transcript.messages]
    assert [message.role for message in again.messages] == roles
    if ends == "asked":
        noted = api in ("bedrock_converse", "openai_chat")  # there roles take turns
        assert made[name][-1 if preset != "kilocode" else -3 if noted else -2] == said[-1]
    if (api, ends) != ("openai_responses", "done"):  # there the next call is one message with the answer before it
        more = engine.fit(json.dumps({name: [*said, *round_of(99)]}).encode(), session="s", now_ms=1)
        assert json.loads(more.request)[name][: len(made[name])] == made[name]
