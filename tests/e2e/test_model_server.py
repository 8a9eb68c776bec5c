"""The scripted model, asked by the providers' own packages: what other tests rest on is understood by real clients."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import anthropic
import openai
import pytest
from botocore.config import Config
from botocore.session import Session
from google import genai
from google.genai import types

from model_server import APIS, Call, Failure, Script, ScriptedModel, Step
from upstream import Upstream, upstream

SAID = "I shall look at the first note now, and tell you what is in it."
LONG = "line of the note that was read\n" * 400
SCRIPT = Script((Step(SAID, "hm", (Call("read", {"path": "a"}),)), Step("It is read.")), failures={1: Failure(429)})
Keeps = Callable[[Any], Any]  # closes a client when the test has ended
Heard = tuple[str, list[dict[str, Any]], int, int]  # text, arguments of calls, prompt tokens, tokens read from a cache


def _anthropic(url: str, streams: bool, kept: Keeps) -> Heard:
    client = kept(anthropic.Anthropic(api_key="k", base_url=url, max_retries=0))
    tools: Any = [{"name": "read", "input_schema": {"type": "object"}}]
    content: Any = [{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}]
    asked: Any = {"model": "m", "max_tokens": 9, "tools": tools, "messages": [{"role": "user", "content": content}]}
    if streams:
        with client.messages.stream(**asked) as stream:
            message = stream.get_final_message()
    else:
        message = client.messages.create(**asked)
    text = "".join(block.text for block in message.content if block.type == "text")
    calls: Any = [block.input for block in message.content if block.type == "tool_use"]
    usage = message.usage
    read = usage.cache_read_input_tokens or 0
    return text, calls, usage.input_tokens + read + (usage.cache_creation_input_tokens or 0), read


def _chat(url: str, streams: bool, kept: Keeps) -> Heard:
    client = kept(openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0))
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": LONG}]}
    asked["tools"] = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
    if streams:
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
            completion: Any = stream.get_final_completion()
    else:
        completion = client.chat.completions.create(**asked)
    message, usage = completion.choices[0].message, completion.usage
    calls = [json.loads(call.function.arguments) for call in message.tool_calls or ()]
    return message.content or "", calls, usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens


def _responses(url: str, streams: bool, kept: Keeps) -> Heard:
    client = kept(openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0))
    asked: Any = {"model": "m", "input": LONG}
    asked["tools"] = [{"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": False}]
    if streams:
        with client.responses.stream(**asked) as stream:
            response: Any = stream.get_final_response()
    else:
        response = client.responses.create(**asked)
    calls = [json.loads(item.arguments) for item in response.output if item.type == "function_call"]
    usage = response.usage
    return response.output_text, calls, usage.input_tokens, usage.input_tokens_details.cached_tokens


def _gemini(url: str, streams: bool, kept: Keeps) -> Heard:
    client = kept(genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url)))
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[{"name": "read"}])])  # type: ignore[list-item]
    asked: Any = {"model": "m", "contents": LONG, "config": config}
    models = client.models
    answers = list(models.generate_content_stream(**asked)) if streams else [models.generate_content(**asked)]
    parts = [part for answer in answers for part in answer.candidates[0].content.parts]  # type: ignore[index,union-attr]
    text = "".join(part.text for part in parts if part.text and not part.thought)
    calls = [part.function_call.args for part in parts if part.function_call]
    usage: Any = answers[-1].usage_metadata
    return text, calls, usage.prompt_token_count, usage.cached_content_token_count or 0


def _bedrock(url: str, streams: bool, kept: Keeps) -> Heard:
    session = Session()
    session.set_credentials("k", "s")
    config = Config(retries={"max_attempts": 0})
    client = kept(session.create_client("bedrock-runtime", region_name="us-east-1", endpoint_url=url, config=config))
    tools = {"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": {"type": "object"}}}}]}
    content = [{"text": LONG}, {"cachePoint": {"type": "default"}}]
    asked = {"modelId": "m", "toolConfig": tools, "messages": [{"role": "user", "content": content}]}
    if not streams:
        answer = client.converse(**asked)
        blocks, usage = answer["output"]["message"]["content"], answer["usage"]
        calls = [block["toolUse"]["input"] for block in blocks if "toolUse" in block]
        text = "".join(block.get("text", "") for block in blocks)
    else:
        events = list(client.converse_stream(**asked)["stream"])
        deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
        text = "".join(delta.get("text", "") for delta in deltas)
        calls = [json.loads("".join(delta["toolUse"]["input"] for delta in deltas if "toolUse" in delta))]
        usage = events[-1]["metadata"]["usage"]
    read = usage["cacheReadInputTokens"]
    return text, calls, usage["inputTokens"] + read + usage["cacheWriteInputTokens"], read


CLIENTS: dict[str, Callable[[str, bool, Keeps], Heard]] = {
    "anthropic_messages": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
    "bedrock_converse": _bedrock,
}


@pytest.fixture
def server() -> Iterator[Upstream]:
    model = ScriptedModel(SCRIPT)
    with upstream(model, other=model) as running:
        yield running


def test_every_api_is_asked_by_a_client() -> None:
    assert [api.name for api in APIS] == list(CLIENTS)


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", CLIENTS)
def test_a_client_hears_what_the_script_says(api: str, streams: bool, server: Upstream) -> None:
    with ExitStack() as opened:
        _check_answers(CLIENTS[api], server.url, streams, lambda client: opened.enter_context(closing(client)))


def _check_answers(ask: Callable[[str, bool, Keeps], Heard], url: str, streams: bool, kept: Keeps) -> None:
    text, calls, tokens, read = ask(url, streams, kept)
    assert (text, calls, read) == (SAID, [{"path": "a"}], 0)
    assert tokens > len(LONG) // 4
    again = ask(url, streams, kept)
    assert again[:3] == (text, calls, tokens)
    assert 0 < again[3] <= tokens
