"""Which API a request speaks, and what it asks for."""

import pytest

from secateur.errors import ConfigError
from secateur.proxy.routes import Headers, find_route
from secateur.proxy.settings import check_upstream
from secateur.proxy.upstream import build_address

NONE: Headers = ()
ANTHROPIC: Headers = ((b"anthropic-version", b"2023-06-01"),)
GEMINI: Headers = ((b"x-goog-api-key", b"k"),)


@pytest.mark.parametrize(
    ("method", "path", "headers", "expected"),
    [
        ("POST", b"/v1/messages", NONE, ("anthropic", "generate", b"/v1/messages", "anthropic_messages", "")),
        ("POST", b"/messages/count_tokens", NONE,
         ("anthropic", "count", b"/messages/count_tokens", "anthropic_messages", "")),
        ("POST", b"/v1/messages/batches", NONE, ("anthropic", "other", b"/v1/messages/batches", "", "")),
        ("GET", b"/v1/messages", NONE, ("anthropic", "other", b"/v1/messages", "", "")),
        ("POST", b"/v1/chat/completions", NONE, ("openai", "generate", b"/v1/chat/completions", "openai_chat", "")),
        ("POST", b"/openai/deployments/x/chat/completions", NONE,
         ("openai", "generate", b"/deployments/x/chat/completions", "openai_chat", "")),
        ("POST", b"/responses", NONE, ("openai", "generate", b"/responses", "openai_responses", "")),
        ("POST", b"/responses/compact", NONE, ("openai", "compact", b"/responses/compact", "openai_responses", "")),
        ("POST", b"/v1/responses/input_tokens", NONE,
         ("openai", "count", b"/v1/responses/input_tokens", "openai_responses", "")),
        ("GET", b"/v1/responses/resp_1", NONE, ("openai", "other", b"/v1/responses/resp_1", "", "")),
        ("POST", b"/v1beta/models/gemini-3-pro:generateContent", NONE,
         ("gemini", "generate", b"/v1beta/models/gemini-3-pro:generateContent", "gemini", "gemini-3-pro")),
        ("POST", b"/v1beta/models/a%2Fb:countTokens", NONE,
         ("gemini", "count", b"/v1beta/models/a%2Fb:countTokens", "gemini", "a/b")),
        ("POST", b"/v1beta/models/m:embedContent", NONE, ("gemini", "other", b"/v1beta/models/m:embedContent", "", "")),
        ("GET", b"/v1/models", NONE, ("openai", "other", b"/v1/models", "", "")),
        ("GET", b"/v1/models", ANTHROPIC, ("anthropic", "other", b"/v1/models", "", "")),
        ("GET", b"/v1/models", GEMINI, ("gemini", "other", b"/v1/models", "", "")),
        ("HEAD", b"/", ((b"user-agent", b"claude-cli/2.1"),), ("anthropic", "other", b"/", "", "")),
        ("GET", b"/gemini/v1/models", ANTHROPIC, ("gemini", "other", b"/v1/models", "", "")),
        ("GET", b"/anthropic", NONE, ("anthropic", "other", b"/", "", "")),
        ("POST", b"/anthropicx/messages", NONE,
         ("anthropic", "generate", b"/anthropicx/messages", "anthropic_messages", "")),
        ("POST", b"/model/a.nova-v1%3A0/converse", NONE,
         ("bedrock", "generate", b"/model/a.nova-v1%3A0/converse", "bedrock_converse", "a.nova-v1:0")),
        ("POST", b"/bedrock/model/anthropic.c/invoke", NONE,
         ("bedrock", "generate", b"/model/anthropic.c/invoke", "anthropic_messages", "anthropic.c")),
        ("POST", b"/model/meta.llama/invoke", NONE, ("bedrock", "other", b"/model/meta.llama/invoke", "", "")),
        ("POST", b"/v1/publishers/anthropic/models/count-tokens:rawPredict", NONE,
         ("vertex", "count", b"/v1/publishers/anthropic/models/count-tokens:rawPredict", "anthropic_messages", "")),
        ("POST", b"/v1/publishers/google/models/gemini-3-pro:countTokens", NONE,
         ("vertex", "count", b"/v1/publishers/google/models/gemini-3-pro:countTokens", "gemini", "gemini-3-pro")),
        ("POST", b"/gemini/v1/messages", NONE, ("gemini", "other", b"/v1/messages", "", "")),
    ],
)  # fmt: skip
def test_routes(method: str, path: bytes, headers: Headers, expected: tuple[object, ...]) -> None:
    route = find_route(method, path, headers)
    assert (route.api, route.kind, route.path, route.format, route.model) == expected


@pytest.mark.parametrize(
    "address", ["", "api.openai.com", "ftp://a", "http://", "http://a?b", "http://a#b", "http://a:b"]
)
def test_what_is_no_address_of_a_provider_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="is not an address of a provider"):
        check_upstream(address)


def test_an_address_is_kept_without_its_last_slash() -> None:
    assert check_upstream("https://gateway.example:8443/team/a/") == "https://gateway.example:8443/team/a"


@pytest.mark.parametrize(
    ("upstream", "path", "expected"),
    [
        ("https://gw.example/v1", b"/v1/models", "https://gw.example/v1/models"),
        ("https://gw.example/api/v1beta", b"/v1beta/models", "https://gw.example/api/v1beta/models"),
        ("https://gw.example/v1", b"/chat/completions", "https://gw.example/v1/chat/completions"),
        ("https://gw.example/v1", b"/v1beta/models", "https://gw.example/v1/v1beta/models"),
        ("https://gw.example/v1", b"/v12/models", "https://gw.example/v1/v12/models"),
        ("https://gw.example/team", b"/team/models", "https://gw.example/team/team/models"),
    ],
)
def test_a_version_stands_in_an_address_once(upstream: str, path: bytes, expected: str) -> None:
    assert build_address(upstream, path, b"") == expected
