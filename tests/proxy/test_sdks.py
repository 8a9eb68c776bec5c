"""The providers' own clients through the real proxy: what they read is what they read without it."""

import json
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from proxies import proxy, read_status
from upstream import says, spoken, streams, upstream

MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5",
    "content": [{"type": "text", "text": "hello there"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 90, "output_tokens": 7, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5},
}
COMPLETION: dict[str, Any] = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-5",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello there"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 105, "completion_tokens": 7, "total_tokens": 112},
}
CONTENT: dict[str, Any] = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "hello there"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 105, "candidatesTokenCount": 7, "totalTokenCount": 112},
}
ASKED: list[Any] = [{"role": "user", "content": "hello"}]
MODES = pytest.mark.parametrize("mode", ["observe", "prune"])


@MODES
def test_anthropic(mode: str) -> None:
    answers = (
        says(200, json.dumps(MESSAGE)),
        streams(spoken("anthropic", "hello there")),
        says(200, '{"input_tokens": 3}'),
    )
    with upstream(*answers) as provider, proxy(provider.url, mode=mode) as address:
        with anthropic.Anthropic(base_url=address, api_key="sk-ant-1", max_retries=0) as client:
            whole = client.messages.create(model="claude-opus-5", max_tokens=9, messages=ASKED)
            with client.messages.stream(model="claude-opus-5", max_tokens=9, messages=ASKED) as stream:
                streamed = stream.get_final_message()
            counted = client.messages.count_tokens(model="claude-opus-5", messages=ASKED)
        status = read_status(address)
    assert [whole.content[0].text, streamed.content[0].text] == ["hello there", "hello there"]  # type: ignore[union-attr]
    assert (whole.usage.input_tokens, streamed.usage.input_tokens, counted.input_tokens) == (90, 90, 3)
    assert provider.paths == ["/v1/messages", "/v1/messages", "/v1/messages/count_tokens"]
    assert (status["failed"], status["broken"], status["disconnected"]) == (0, 0, 0)


@MODES
def test_openai(mode: str) -> None:
    answers = (
        says(200, json.dumps(COMPLETION)),
        streams(spoken("openai-chat", "hello there")),
        streams(spoken("openai", "hello there")),
    )
    with upstream(*answers) as provider, proxy(provider.url, mode=mode) as address:
        with openai.OpenAI(base_url=f"{address}/v1", api_key="sk-1", max_retries=0) as client:
            whole = client.chat.completions.create(model="gpt-5", messages=ASKED)
            with client.chat.completions.create(model="gpt-5", messages=ASKED, stream=True) as chunks:
                text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
            with client.responses.create(model="gpt-5", input="hello", stream=True) as events:
                deltas = "".join(one.delta for one in events if one.type == "response.output_text.delta")
        status = read_status(address)
    assert [whole.choices[0].message.content, text, deltas] == ["hello there"] * 3
    assert provider.paths == ["/v1/chat/completions", "/v1/chat/completions", "/v1/responses"]
    assert (status["failed"], status["broken"], status["disconnected"]) == (0, 0, 0)


@MODES
def test_gemini(mode: str) -> None:
    answers = says(200, json.dumps(CONTENT)), streams(spoken("gemini", "hello there")), says(200, '{"totalTokens": 3}')
    with upstream(*answers) as provider, proxy(provider.url, mode=mode) as address:
        client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=address))
        whole = client.models.generate_content(model="gemini-3-pro", contents="hello")
        chunks = [
            one.text or "" for one in client.models.generate_content_stream(model="gemini-3-pro", contents="hello")
        ]
        counted = client.models.count_tokens(model="gemini-3-pro", contents="hello")
        client.close()
        status = read_status(address)
    assert [whole.text, "".join(chunks), counted.total_tokens] == ["hello there", "hello there", 3]
    assert [path.split("?")[0].rsplit(":")[-1] for path in provider.paths] == [
        "generateContent",
        "streamGenerateContent",
        "countTokens",
    ]
    assert (status["failed"], status["broken"], status["disconnected"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("status", "expected"), [(429, anthropic.RateLimitError), (529, anthropic.InternalServerError)]
)
def test_clients_see_their_providers_errors(status: int, expected: type[anthropic.APIStatusError]) -> None:
    error = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    with upstream(says(status, error, retry_after="9")) as provider, proxy(provider.url, mode="prune") as address:
        client = anthropic.Anthropic(base_url=address, api_key="sk-ant-1", max_retries=0)
        with client, pytest.raises(expected, match="Overloaded") as caught:
            client.messages.create(model="claude-opus-5", max_tokens=9, messages=ASKED)
    assert caught.value.response.headers["retry-after"] == "9"


def test_clients_retry_by_themselves_and_nothing_is_doubled() -> None:
    error = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    busy, fine = says(529, error, retry_after_ms="1"), says(200, json.dumps(MESSAGE))
    with (
        upstream(busy, busy, fine) as provider,
        proxy(provider.url, mode="prune") as address,
        anthropic.Anthropic(base_url=address, api_key="sk-ant-1", max_retries=4) as client,
    ):
        client.messages.create(model="claude-opus-5", max_tokens=9, messages=ASKED)
    assert len(provider.bodies) == 3
    assert len(set(provider.bodies)) == 1


def test_refusals_of_the_proxy_are_errors_that_clients_know() -> None:
    with upstream(says(200, "{}")) as provider, proxy(provider.url, limits={"body_bytes": 1_000}) as address:
        long: list[Any] = [{"role": "user", "content": "x" * 2_000}]
        said = "more than 1,000 bytes"
        client = anthropic.Anthropic(base_url=address, api_key="k", max_retries=0)
        with client, pytest.raises(anthropic.RequestTooLargeError, match=said):
            client.messages.create(model="claude-opus-5", max_tokens=9, messages=long)
        other = openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
        with other, pytest.raises(openai.APIStatusError, match=said):
            other.chat.completions.create(model="gpt-5", messages=long)
    assert provider.paths == []
