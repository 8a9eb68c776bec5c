"""Usage: what each host and provider writes, in one shape whose classes are disjoint."""

from typing import Any

import pytest

from secateur.simulate.usage import Usage, model_of, usage_of

HOUR = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 90}


@pytest.mark.parametrize(
    ("value", "usage"),
    [
        ({"message": {"usage": {"input": 3, "cacheRead": 40, "cacheWrite": 7, "output": 5}}}, Usage(3, 40, 7, 5)),
        (
            {
                "message": {
                    "usage": {
                        "input_tokens": 3,
                        "cache_creation_input_tokens": 90,
                        "cache_read_input_tokens": 40,
                        "output_tokens": 5,
                        "cache_creation": HOUR,
                    }
                }
            },
            Usage(3, 40, 90, 5, 90),
        ),
        (
            {"info": {"tokens": {"input": 9, "output": 2, "reasoning": 1, "cache": {"write": 4, "read": 24}}}},
            Usage(9, 24, 4, 3),
        ),
        ({"tokens": {"input": 20, "output": 4, "cached": 15, "thoughts": 2, "tool": 0}}, Usage(5, 15, 0, 6)),
        (
            {"payload": {"info": {"last_token_usage": {"input_tokens": 15, "cached_input_tokens": 4}}}},
            Usage(11, 4, 0, 0),
        ),
        (
            {"usage": {"input_tokens": 15, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 1}},
            Usage(10, 5, 0, 1),
        ),
        (
            {
                "extra": {
                    "response": {"usage": {"prompt_tokens": 50, "completion_tokens": 8, "prompt_tokens_details": None}}
                }
            },
            Usage(50, 0, 0, 8),
        ),
        (
            {
                "tool_call_metadata": {
                    "model_response": {
                        "usage": {
                            "prompt_tokens": 50,
                            "completion_tokens": 8,
                            "prompt_tokens_details": {"cached_tokens": 30},
                            "cache_creation_input_tokens": 6,
                        }
                    }
                }
            },
            Usage(14, 30, 6, 8),
        ),
    ],
)
def test_shapes(value: Any, usage: Usage) -> None:
    assert usage_of([value]) == usage


def test_the_last_of_several_lines_counts() -> None:
    lines = [{"usage": {"input_tokens": 15, "output_tokens": count}} for count in (1, 7)]
    assert usage_of([*lines, {"text": "no figures"}, None, 3]) == Usage(15, 0, 0, 7)


NOTHING = (
    {},
    {"usage": None},
    {"usage": {"input_tokens": 0, "output_tokens": 0}},
    {"usage": {"input_tokens": "9"}},
    [],
)


@pytest.mark.parametrize("value", NOTHING)
def test_nothing_recorded_is_no_usage(value: Any) -> None:
    assert usage_of([value]) is None


def test_the_model_that_answered() -> None:
    assert model_of([{}, {"message": {"model": "one"}}]) == "one"
    assert model_of([{"info": {"modelID": "two"}}]) == "two"
    assert model_of([{"model": 3}, None]) == ""
