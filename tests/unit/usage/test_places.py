"""Where usage stands: responses, messages of frameworks, lines of logs, streams."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.usage import Usage, read_usage

CHAT = {"prompt_tokens": 50, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 30}}
READ = Usage(20, 30, 0, 8)
CODEX = {"input_tokens": 15, "cached_input_tokens": 4, "output_tokens": 2}
SUM = {"input_tokens": 900, "cached_input_tokens": 400, "output_tokens": 90}


@pytest.mark.parametrize(
    ("value", "usage"),
    [
        ({"choices": [], "usage": CHAT}, READ),
        ({"message": {"role": "assistant", "usage": CHAT}}, READ),
        ({"type": "response.completed", "response": {"usage": CHAT}}, READ),
        ({"extra": {"response": {"usage": CHAT}}}, READ),
        ({"tool_call_metadata": {"model_response": {"usage": CHAT}}}, READ),
        ({"metadata": {"usage": {"inputTokens": 9, "cacheReadInputTokens": 3}, "metrics": {}}}, Usage(9, 3)),
        ({"usageMetadata": {"promptTokenCount": 9}}, Usage(9)),
        ({"info": {"tokens": {"input": 9, "cache": {"read": 2, "write": 0}}}}, Usage(9, 2)),
        ({"type": "step-finish", "tokens": {"input": 9, "cache": {"read": 2, "write": 0}}}, Usage(9, 2)),
        ({"usage_details": {"input_token_count": 9}}, Usage(9)),
        ({"metrics": {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 40}}, Usage(60, 40, 0, 20)),
        ({"output": {"usage": {"input_tokens": 9, "input_tokens_cache_read": 2}}}, Usage(7, 2)),
        ({"usage_metadata": None, "response_metadata": {"token_usage": CHAT}}, READ),
        ({"usage_metadata": {"input_tokens": 9, "input_token_details": {"cache_read": 4}}}, Usage(5, 4)),
        (
            {"payload": {"type": "token_count", "info": {"last_token_usage": CODEX, "total_token_usage": SUM}}},
            Usage(11, 4, 0, 2),
        ),
        ({"payload": {"type": "token_count", **CODEX}}, Usage(11, 4, 0, 2)),  # before it had `info`
        ({"payload": {"type": "token_count", "info": None, "rate_limits": {}}}, None),
        ({"payload": {"type": "token_count", "info": {"total_token_usage": SUM}}}, None),  # a sum is not a request
    ],
)
def test_places(value: Any, usage: Usage | None) -> None:
    assert read_usage(value) == usage


STARTED = {"input_tokens": 4, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 70, "output_tokens": 1}
ANTHROPIC: list[Any] = [
    {"type": "message_start", "message": {"usage": STARTED}},
    {"type": "content_block_delta", "delta": {"text": "so"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 55}},
    {"type": "message_stop"},
]
STREAMS: tuple[tuple[list[Any], Usage], ...] = (
    (ANTHROPIC, Usage(4, 900, 70, 55)),
    (
        [
            {"type": "message_start", "message": {"usage": STARTED}},
            {
                "type": "message_delta",
                "usage": {"input_tokens": 9, "cache_read_input_tokens": None, "output_tokens": 5},
            },
        ],
        Usage(9, 900, 70, 5),
    ),
    ([{"choices": [{}], "usage": None}, {"choices": [], "usage": CHAT}], READ),
    ([{"type": "response.created", "response": {"usage": None}}, {"response": {"usage": CHAT}}], READ),
    (
        [
            {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1}},
            {"candidates": []},
            {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 7}},
        ],
        Usage(9, 0, 0, 7),
    ),
    ([{"contentBlockDelta": {}}, {"metadata": {"usage": {"inputTokens": 9, "outputTokens": 2}}}], Usage(9, 0, 0, 2)),
)


@pytest.mark.parametrize(("chunks", "usage"), STREAMS)
def test_streams_are_read_to_their_end(chunks: list[Any], usage: Usage) -> None:
    assert read_usage(chunks) == usage
    assert read_usage(iter(chunks)) == usage
    assert read_usage(Source(chunks)) == usage
    said = "".join(f"event: x\r\ndata: {json.dumps(one)}\r\n\r\n" for one in chunks) + "data: [DONE]\n\n"
    assert read_usage(said) == read_usage(said.encode()) == read_usage(said.splitlines()) == usage
    assert read_usage("\n".join(map(json.dumps, chunks))) == usage


class Source:
    """A stream that can be iterated and has nothing else to say, as botocore's."""

    def __init__(self, chunks: list[Any]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[Any]:
        return iter(self._chunks)


def test_the_last_of_several_lines_counts() -> None:
    lines = [{"usage": {"input_tokens": 15, "output_tokens": count}} for count in (1, 7)]
    assert read_usage([*lines, {"text": "no figures"}, None, 3]) == Usage(15, 0, 0, 7)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["usage", "info", "tokens", "payload", "input_tokens", "prompt_tokens", "cache", "type"])
            | st.text(),
            inner,
        )
    ),
)


@settings(deadline=None)
@given(VALUES)
def test_whatever_is_handed_in_is_read_or_is_none(value: Any) -> None:
    usage = read_usage(value)
    assert usage is None or usage.taken > 0
    assert usage is None or min(usage.input, usage.read, usage.write, usage.output, usage.prompt) >= 0
