"""Modes by API, model and key; `full`, which also summarizes; and the clouds' own routes."""

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from agent_requests import anthropic_body, chat_body, write_policy
from proxies import ask, proxy, read_status
from secateur.errors import ConfigError
from secateur.proxy.callers import Caller
from secateur.proxy.modes import Asking, choose_mode, parse_mode_rule
from secateur.proxy.settings import ProxySettings
from upstream import says, upstream

MESSAGES = "/v1/messages"
CHAT = "/v1/chat/completions"
OK = says(200, '{"usage": {"input_tokens": 50, "output_tokens": 1}}')


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((), "observe"),
        (("anthropic=prune",), "prune"),
        (("openai=prune",), "observe"),
        (("model:claude-opus-*=full",), "full"),
        (("model:CLAUDE-*=prune", "anthropic=full"), "prune"),
        (("model:opus=prune", "tenant:key-1*=full"), "full"),
        (("tenant:key-2=full", "anthropic=observe", "model:*=prune"), "observe"),
    ],
)
def test_the_first_rule_that_fits_decides(rules: tuple[str, ...], expected: str) -> None:
    settings = ProxySettings(rules=tuple(map(parse_mode_rule, rules)))
    caller = Caller("", "s", "key-12", "main", False)
    assert choose_mode(settings, Asking("anthropic", "claude-opus-5", caller)) == expected


@pytest.mark.parametrize(
    "text", ["", "prune", "anthropic", "openai=cut", "mistral=prune", "model:=prune", "key:x=full"]
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a rule for a mode"):
        parse_mode_rule(text)


def test_requests_are_pruned_by_model_and_by_key(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"policy": write_policy(tmp_path)}
    with upstream(OK) as provider:
        with proxy(provider.url, **settings) as address:
            ask(address, MESSAGES, anthropic_body(4), x_session_id="s", x_api_key="k1")
            while not (rows := read_status(address)["sessions"]):
                pass
        tenant, store = rows[0]["tenant"], f"sqlite://{tmp_path / 'kept.db'}"
        rules = tuple(map(parse_mode_rule, ("model:claude-haiku*=prune", "openai=prune")))
        with proxy(provider.url, rules=rules, store=store, **settings) as address:
            did = [
                ask(address, path, body, x_session_id=name, x_api_key="k1")[1]["x-secateur"]
                for name, path, body in (
                    ("a", MESSAGES, anthropic_body(4)),
                    ("b", MESSAGES, anthropic_body(4, model="claude-haiku-4-5")),
                    ("c", CHAT, chat_body(4)),
                )
            ]
        assert did == ["observed", "edited", "edited"]
        assert tenant.startswith("key-")
        with proxy(provider.url, rules=(parse_mode_rule(f"tenant:{tenant}=prune"),), **settings) as address:
            other = ask(address, MESSAGES, anthropic_body(4), x_session_id="d", x_api_key="k1")
        assert other[1]["x-secateur"] == "observed"  # another store has another secret, so the key another name


def long_chat(rounds: int) -> bytes:
    """A conversation of a model with a small window: turns that nothing may be pruned of."""
    messages = [{"role": "system", "content": "You help."}]
    for number in range(rounds):
        text = " ".join(f"fact {number}-{item} about the garden" for item in range(60))
        messages += [{"role": "user", "content": f"Question {number}: {text}?"}]
        messages += [{"role": "assistant", "content": f"Answer {number}: {text}."}]
    return json.dumps({"model": "gpt-4", "messages": messages[:-1]}).encode()


def test_full_summarizes_what_pruning_leaves_and_keeps_its_summary() -> None:
    with upstream(OK) as provider, proxy(provider.url, mode="full") as address:
        for rounds in (2, 16, 17, 17):
            assert ask(address, CHAT, long_chat(rounds), x_session_id="s", x_api_key="k")[0] == 200
        (row,) = read_status(address)["sessions"]
    first, summarized, later, again = (json.loads(body) for body in provider.bodies)
    assert first == json.loads(long_chat(2))
    assert len(json.dumps(summarized)) < len(long_chat(16)) / 2
    assert summarized["messages"][-1] == json.loads(long_chat(16))["messages"][-1]
    kept = len(summarized["messages"])
    assert later["messages"][:kept] == summarized["messages"][:kept]
    assert again == later
    assert row["mode"] == "full"
    with upstream(OK) as provider, proxy(provider.url, mode="prune") as address:
        ask(address, CHAT, long_chat(16), x_session_id="s", x_api_key="k")
    assert json.loads(provider.bodies[0]) == json.loads(long_chat(16))


def converse(rounds: int) -> bytes:
    """A Converse request after so many rounds."""
    messages: list[Any] = []
    for message in json.loads(anthropic_body(rounds))["messages"]:
        content = message["content"]
        if isinstance(content, str):
            blocks: list[Any] = [{"text": content}]
        elif message["role"] == "assistant":
            (call,) = content
            blocks = [{"toolUse": {"toolUseId": call["id"], "name": call["name"], "input": call["input"]}}]
        else:
            (output,) = content
            said = {"toolUseId": output["tool_use_id"], "content": [{"text": output["content"]}], "status": "success"}
            blocks = [{"toolResult": said}]
        messages.append({"role": message["role"], "content": blocks})
    tool = {"toolSpec": {"name": "Bash", "inputSchema": {"json": {"type": "object"}}}}
    return json.dumps({"messages": messages, "toolConfig": {"tools": [tool]}}).encode()


def frame(payload: dict[str, Any]) -> bytes:
    """One event of AWS's binary streams."""
    body = json.dumps(payload, separators=(",", ":")).encode()
    head = struct.pack("!II", 16 + len(body), 0)
    head += struct.pack("!I", zlib.crc32(head))
    return head + body + struct.pack("!I", zlib.crc32(head + body))


USAGE = {"inputTokens": 90, "outputTokens": 7, "totalTokens": 112, "cacheReadInputTokens": 10}
PACKED = base64.b64encode(
    json.dumps({"type": "message_delta", "usage": {"input_tokens": 90, "output_tokens": 7}}).encode()
)
CLAUDE = "us.anthropic.claude-opus-4-5-v1%3A0"
CLOUDS = {
    "converse": (f"/model/{CLAUDE}/converse", converse, says(200, json.dumps({"usage": USAGE})), 90),
    "converse-stream": (
        f"/model/{CLAUDE}/converse-stream",
        converse,
        says(200, frame({"a": 1}) + frame({"metrics": {}, "usage": USAGE}), "application/vnd.amazon.eventstream"),
        90,
    ),
    "invoke": (
        f"/model/{CLAUDE}/invoke-with-response-stream",
        anthropic_body,
        says(200, frame({"bytes": PACKED.decode()}), "application/vnd.amazon.eventstream"),
        90,
    ),
    "vertex-claude": (
        "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-5@20251101:streamRawPredict",
        anthropic_body,
        OK,
        50,
    ),
}


@pytest.mark.parametrize(("path", "body", "answer", "tokens"), CLOUDS.values(), ids=CLOUDS)
def test_requests_of_clouds_are_pruned(tmp_path: Path, path: str, body: Any, answer: Any, tokens: int) -> None:
    with upstream(answer) as provider, proxy(provider.url, mode="prune", policy=write_policy(tmp_path)) as address:
        for rounds in (1, 4):
            got = ask(address, path, body(rounds), x_session_id="s", authorization="Bearer bedrock-key")
        assert got[1]["x-secateur"] == "edited"
        while not (row := read_status(address)["sessions"][0])["input_tokens"]:
            pass
    assert provider.paths == [path, path]
    assert len(provider.bodies[1]) < len(body(4))
    assert row["input_tokens"] >= tokens


def test_a_signed_request_is_sent_as_it_is(tmp_path: Path) -> None:
    path = f"/model/{CLAUDE}/converse"
    with upstream(OK) as provider, proxy(provider.url, mode="prune", policy=write_policy(tmp_path)) as address:
        signed = "AWS4-HMAC-SHA256 Credential=A/20261122/us-east-1/bedrock/aws4_request, Signature=0"
        got = ask(address, path, converse(4), x_session_id="s", authorization=signed)
    assert got[1]["x-secateur"] == "observed"
    assert provider.bodies == [converse(4).decode()]


def test_a_cloud_that_nobody_named_is_not_guessed(tmp_path: Path) -> None:
    with upstream(OK) as provider, proxy("", upstreams={"anthropic": provider.url}) as address:
        for path in (
            f"/model/{CLAUDE}/converse",
            "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
        ):
            status, _, body = ask(address, path, b"{}")
            assert status == 404
            assert b"--upstream-bedrock" in body
    assert provider.paths == []
