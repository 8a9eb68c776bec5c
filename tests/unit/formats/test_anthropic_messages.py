"""How Anthropic requests are told from chat before there is any block that only they have."""

from typing import Any

import pytest

from secateur.formats.anthropic_messages import AnthropicMessages
from secateur.jsontext import Text, dumps

MESSAGES = [{"role": "user", "content": "hi"}]
FUNCTION = {"type": "function", "function": {"name": "ls", "parameters": {}}}


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"max_tokens": 9, "system": "s"}, True),
        ({"max_tokens": 9, "tools": [{"name": "ls", "input_schema": {}}]}, True),
        ({"max_tokens": 9, "tools": [{"type": "web_search_20250305", "name": "web_search"}]}, True),
        ({"max_tokens": 9, "thinking": {"type": "adaptive"}}, True),
        ({"max_tokens": 9, "tools": [FUNCTION]}, False),
        ({"max_tokens": 9, "tools": []}, False),
        ({"max_tokens": 9, "tools": None}, False),
        ({"max_tokens": 9}, False),
        ({"tools": [{"name": "ls", "input_schema": {}}]}, True),
        ({"tools": [{"type": "function", "name": "ls", "parameters": {}}]}, False),
        ({"max_tokens": 9, "model": "claude-sonnet-5-5"}, True),
        ({"max_tokens": 9, "model": "anthropic/claude-sonnet-5-5"}, False),
        ({"model": "claude-sonnet-5-5"}, False),
    ],
)
def test_told_by_what_stands_beside_the_messages(fields: dict[str, Any], known: bool) -> None:
    body = {"messages": MESSAGES} | fields
    assert bool(AnthropicMessages().recognize(body)) == known
    assert bool(AnthropicMessages().recognize(Text.of(dumps(body)))) == known
