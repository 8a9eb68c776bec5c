"""The real clients of Amazon Bedrock and Vertex AI behind the proxy, with nothing but their base URL changed."""

import json
from collections.abc import Callable
from typing import Any, cast

import boto3
import pytest
from anthropic import AnthropicBedrock, AnthropicVertex
from botocore import UNSIGNED
from botocore.config import Config
from google import genai
from google.genai import types

from agent_requests import POLICY
from model_server import Call, Script, ScriptedModel, Step
from proxies import proxy, read_status
from upstream import upstream

ROUNDS = 6
FINAL = "all of it is built"
SCRIPT = Script((*(Step(calls=(Call("Bash", {"command": f"make part {n}"}),)) for n in range(ROUNDS)), Step(FINAL)))
CLAUDE = "claude-opus-5"
BEDROCK = f"anthropic.{CLAUDE}-v1:0"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"command": {"type": "string"}}}
ASKED = "build it"


def run_command(command: str) -> str:
    """What a command printed: long, and no two the same."""
    return "".join(f"{command}: unit {line} compiled, {line * 7919 % 1000} symbols\n" for line in range(150))


def play_converse(address: str, streams: bool = False, signs: bool = False) -> str:
    """A whole session by boto3. By itself it sends an API key over TLS alone, so its header is added here."""
    config = Config(retries={"max_attempts": 1}, **({} if signs else {"signature_version": UNSIGNED}))
    client = boto3.client("bedrock-runtime", region_name="us-east-1", endpoint_url=address, config=config)
    if not signs:
        client.meta.events.register("before-send", _add_key)
    tools = {"tools": [{"toolSpec": {"name": "Bash", "inputSchema": {"json": SCHEMA}}}]}
    messages: list[Any] = [{"role": "user", "content": [{"text": ASKED}]}]
    while True:
        if streams:
            events = client.converse_stream(modelId=BEDROCK, messages=messages, toolConfig=tools)["stream"]
            message = _collect(list(events))
        else:
            message = client.converse(modelId=BEDROCK, messages=messages, toolConfig=tools)["output"]["message"]
        messages.append(message)
        calls = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if not calls:
            return str(message["content"][0]["text"])
        results = [(call["toolUseId"], [{"text": run_command(call["input"]["command"])}]) for call in calls]
        content = [{"toolResult": {"toolUseId": name, "content": text}} for name, text in results]
        messages.append({"role": "user", "content": content})


def _add_key(request: Any, **_: Any) -> None:
    request.headers["authorization"] = "Bearer bedrock-key"


def _collect(events: list[Any]) -> Any:
    """The message that a stream brought."""
    assert "usage" in events[-1]["metadata"]
    start = next((one["contentBlockStart"]["start"]["toolUse"] for one in events if "contentBlockStart" in one), None)
    deltas = [one["contentBlockDelta"]["delta"] for one in events if "contentBlockDelta" in one]
    if start is None:
        return {"role": "assistant", "content": [{"text": "".join(delta["text"] for delta in deltas)}]}
    arguments = json.loads("".join(delta["toolUse"]["input"] for delta in deltas))
    return {"role": "assistant", "content": [{"toolUse": {**start, "input": arguments}}]}


def play_claude(client: AnthropicBedrock | AnthropicVertex, model: str, streams: bool) -> str:
    """A whole session by the anthropic package."""
    tools = cast(Any, [{"name": "Bash", "description": "runs a command", "input_schema": SCHEMA}])
    messages: list[Any] = [{"role": "user", "content": ASKED}]
    asked: dict[str, Any] = {"model": model, "max_tokens": 900, "tools": tools, "messages": messages}
    while True:
        if streams:
            with client.messages.stream(**asked) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**asked)
        messages.append({"role": "assistant", "content": [block.to_dict() for block in message.content]})
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return str(message.content[0].text)  # type: ignore[union-attr]
        results = [(call.id, run_command(str(call.input["command"]))) for call in calls]
        content = [{"type": "tool_result", "tool_use_id": name, "content": text} for name, text in results]
        messages.append({"role": "user", "content": content})


def play_vertex_claude(address: str, streams: bool = False) -> str:
    given: dict[str, Any] = {"base_url": f"{address}/v1", "access_token": "token", "project_id": "p", "region": "eu"}
    with AnthropicVertex(max_retries=0, **given) as client:
        return play_claude(client, CLAUDE, streams)


def play_bedrock_claude(address: str) -> str:
    with AnthropicBedrock(base_url=address, api_key="bedrock-key", aws_region="us-east-1", max_retries=0) as client:
        return play_claude(client, BEDROCK, streams=False)


def play_gemini(address: str, streams: bool = False) -> str:
    """A whole session by google-genai in Vertex mode."""
    client = genai.Client(vertexai=True, api_key="k", http_options=types.HttpOptions(base_url=address))
    declared = types.FunctionDeclaration(name="Bash", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents: list[Any] = [types.Content(role="user", parts=[types.Part(text=ASKED)])]
    asked: dict[str, Any] = {"model": "gemini-3-pro", "config": config}
    while True:
        made = client.models.generate_content_stream if streams else client.models.generate_content
        told = made(contents=contents, **asked)
        chunks = [told] if isinstance(told, types.GenerateContentResponse) else [*told]
        parts = [part for one in chunks for part in one.candidates[0].content.parts or []]  # type: ignore[index,union-attr]
        contents.append(types.Content(role="model", parts=parts))
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            client.close()
            return "".join(part.text or "" for part in parts)
        made_of = [(call.name or "", {"output": run_command(str((call.args or {})["command"]))}) for call in calls]
        answers = [types.Part.from_function_response(name=name, response=output) for name, output in made_of]
        contents.append(types.Content(role="user", parts=answers))


Plays = Callable[[str], str]
PLAYS: dict[str, Plays] = {
    "boto3": play_converse,
    "boto3-stream": lambda address: play_converse(address, streams=True),
    "anthropic-bedrock": play_bedrock_claude,
    "anthropic-vertex": play_vertex_claude,
    "anthropic-vertex-stream": lambda address: play_vertex_claude(address, streams=True),
    "genai-vertex": play_gemini,
    "genai-vertex-stream": lambda address: play_gemini(address, streams=True),
}
EACH = pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)


@EACH
def test_a_session_is_pruned_to_the_same_end(play: Plays, tmp_path: Any) -> None:
    policy = tmp_path / "clears.toml"
    policy.write_text(POLICY)
    sent = {}
    for mode in ("direct", "observe", "prune"):
        model = ScriptedModel(SCRIPT)
        with upstream(model, other=model) as provider:
            if mode == "direct":
                assert play(provider.url) == FINAL
            else:
                with proxy(provider.url, mode=mode, policy=str(policy)) as address:
                    assert play(address) == FINAL
                    status = read_status(address)
                assert (status["failed"], status["broken"], status["answered"]) == (0, 0, ROUNDS + 1)
            sent[mode] = [request.body for request in provider.posts]
            paths = [request.path for request in provider.posts]
        if mode == "prune":
            (row,) = status["sessions"]
            usage = [answer.usage for answer in model.answers]
            counted = row["input_tokens"] + row["read_tokens"] + row["write_tokens"]
            assert counted == sum(one.total for one in usage)
            assert row["output_tokens"] == sum(one.output for one in usage)
            assert row["tokens_saved"] > 0
    assert sent["observe"] == sent["direct"]
    assert all(path.startswith(("/model/", "/v1/projects/", "/v1beta1/publishers/")) for path in paths)
    assert sum(map(len, sent["prune"])) < 0.6 * sum(map(len, sent["direct"]))


@EACH
def test_a_request_that_is_too_long_is_cut_and_answered(play: Plays) -> None:
    model = ScriptedModel(SCRIPT, window=6_000)
    with upstream(model, other=model) as provider:
        with pytest.raises(Exception, match="(?i)too long|maximum|exceed"):
            play(provider.url)
        with proxy(provider.url, mode="prune") as address:
            assert play(address) == FINAL
            status = read_status(address)
    assert (status["failed"], status["cut"] > 0) == (0, True)


def test_a_signed_request_is_sent_as_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "A")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    model = ScriptedModel(SCRIPT)
    with upstream(model, other=model) as provider, proxy(provider.url, mode="prune") as address:
        assert play_converse(address, signs=True) == FINAL
        assert all(one.headers["authorization"].startswith("AWS4-HMAC") for one in provider.posts)
        assert b"make part 0: unit 149" in provider.posts[-1].body
        assert read_status(address)["sessions"][0]["mode"] == "observe"
