"""Usage as stated: one hand-written vector for each shape, and what it means in one value."""

import json
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from secateur import Engine
from secateur.simulate.requests import read_recording
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId
from secateur.usage import SHAPES, Usage, read_usage

SHAPED: tuple[tuple[str, Any, Usage], ...] = (
    (
        "Anthropic",
        {
            "input_tokens": 12,
            "cache_read_input_tokens": 40_000,
            "cache_creation_input_tokens": 900,
            "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 600},
            "output_tokens": 250,
            "output_tokens_details": {"thinking_tokens": 80},
        },
        Usage(12, 40_000, 900, 250, 600, 80),
    ),
    (
        "Anthropic",  # the split alone
        {"input_tokens": 5, "cache_creation": {"ephemeral_5m_input_tokens": 30}, "output_tokens": 1},
        Usage(5, 0, 30, 1),
    ),
    (
        "OpenAI Chat Completions",
        {
            "prompt_tokens": 5_000,
            "completion_tokens": 90,
            "total_tokens": 5_090,
            "prompt_tokens_details": {"cached_tokens": 4_096, "cache_write_tokens": 512, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 64},
        },
        Usage(392, 4_096, 512, 90, 0, 64),
    ),
    (
        "OpenAI Chat Completions",
        {"prompt_tokens": 80, "completion_tokens": 9, "cached_tokens": 32},
        Usage(48, 32, 0, 9),
    ),
    (
        "OpenAI Responses",
        {
            "input_tokens": 5_000,
            "input_tokens_details": {"cached_tokens": 4_608, "cache_write_tokens": 128},
            "output_tokens": 70,
            "output_tokens_details": {"reasoning_tokens": 33},
            "total_tokens": 5_070,
        },
        Usage(264, 4_608, 128, 70, 0, 33),
    ),
    (
        "DeepSeek",
        {
            "prompt_tokens": 1_000,
            "prompt_cache_hit_tokens": 832,
            "prompt_cache_miss_tokens": 168,
            "completion_tokens": 40,
            "completion_tokens_details": {"reasoning_tokens": 10},
        },
        Usage(168, 832, 0, 40, 0, 10),
    ),
    (
        "Gemini",
        {
            "promptTokenCount": 2_000,
            "cachedContentTokenCount": 1_500,
            "candidatesTokenCount": 30,
            "thoughtsTokenCount": 20,
            "toolUsePromptTokenCount": 7,
            "totalTokenCount": 2_057,
        },
        Usage(507, 1_500, 0, 50, 0, 20),
    ),
    (
        "Gemini",
        {"prompt_token_count": 2_000, "cached_content_token_count": 1_500, "candidates_token_count": 30},
        Usage(500, 1_500, 0, 30),
    ),
    (
        "Gemini Interactions",
        {"total_input_tokens": 60, "total_cached_tokens": 20, "total_output_tokens": 5, "total_thought_tokens": 4},
        Usage(40, 20, 0, 9, 0, 4),
    ),
    (
        "Bedrock Converse",
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "totalTokens": 1_115,
            "cacheReadInputTokens": 900,
            "cacheWriteInputTokens": 200,
            "cacheDetails": [{"ttl": "5m", "inputTokens": 50}, {"ttl": "1h", "inputTokens": 150}],
        },
        Usage(10, 900, 200, 5, 150),
    ),
    (
        "Codex",
        {
            "input_tokens": 15_889,
            "cached_input_tokens": 4_352,
            "output_tokens": 925,
            "reasoning_output_tokens": 800,
            "total_tokens": 16_814,
        },
        Usage(11_537, 4_352, 0, 925, 0, 800),
    ),
    (
        "LiteLLM",
        {
            "prompt_tokens": 50,
            "completion_tokens": 8,
            "total_tokens": 58,
            "prompt_tokens_details": {"cached_tokens": 30},
            "cache_creation_input_tokens": 6,
            "cache_read_input_tokens": 30,
        },
        Usage(14, 30, 6, 8),
    ),
    (
        "LiteLLM",  # before it counted them in
        {"prompt_tokens": 50, "completion_tokens": 8, "cache_creation_input_tokens": 600, "cache_read_input_tokens": 0},
        Usage(50, 0, 600, 8),
    ),
    (
        "LangChain",
        {
            "input_tokens": 1_000,
            "output_tokens": 60,
            "total_tokens": 1_060,
            "input_token_details": {
                "cache_read": 700,
                "cache_creation": 0,
                "ephemeral_5m_input_tokens": 100,
                "ephemeral_1h_input_tokens": 50,
            },
            "output_token_details": {"reasoning": 25},
        },
        Usage(150, 700, 150, 60, 50, 25),
    ),
    (
        "pydantic-ai",
        {
            "input_tokens": 1_000,
            "cache_write_tokens": 200,
            "cache_write_1h_tokens": 150,
            "cache_read_tokens": 700,
            "output_tokens": 60,
            "details": {"reasoning_tokens": 25},
        },
        Usage(100, 700, 200, 60, 150, 25),
    ),
    (
        "Microsoft Agent Framework",
        {"input_token_count": 1_000, "cache_read_input_token_count": 640, "output_token_count": 60},
        Usage(360, 640, 0, 60),
    ),
    (
        "Microsoft Agent Framework",  # in front of Claude
        {
            "input_token_count": 4,
            "cache_read_input_token_count": 640,
            "cache_creation_input_token_count": 30,
            "output_token_count": 60,
            "reasoning_output_token_count": 9,
        },
        Usage(4, 640, 30, 60, 0, 9),
    ),
    (
        "Microsoft Agent Framework",
        {"input_token_count": 1_000, "openai.cached_input_tokens": 640, "output_token_count": 60},
        Usage(360, 640, 0, 60),
    ),
    ("AI SDK 4", {"promptTokens": 100, "completionTokens": 20, "totalTokens": 120}, Usage(100, 0, 0, 20)),
    (
        "AI SDK 5",
        {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120, "reasoningTokens": 8, "cachedInputTokens": 64},
        Usage(36, 64, 0, 20, 0, 8),
    ),
    (
        "AI SDK 5",  # in front of Claude
        {"inputTokens": 3, "outputTokens": 20, "totalTokens": 23, "cachedInputTokens": 64},
        Usage(3, 64, 0, 20),
    ),
    (
        "AI SDK 6",
        {
            "inputTokens": 100,
            "inputTokenDetails": {"noCacheTokens": 26, "cacheReadTokens": 64, "cacheWriteTokens": 10},
            "outputTokens": 20,
            "outputTokenDetails": {"textTokens": 12, "reasoningTokens": 8},
        },
        Usage(26, 64, 10, 20, 0, 8),
    ),
    (
        "AI SDK 6, a model's own",
        {
            "inputTokens": {"total": 100, "noCache": 26, "cacheRead": 64, "cacheWrite": 10},
            "outputTokens": {"total": 20, "text": 12, "reasoning": 8},
        },
        Usage(26, 64, 10, 20, 0, 8),
    ),
    ("Pi", {"input": 3, "output": 5, "cacheRead": 40, "cacheWrite": 7, "totalTokens": 55}, Usage(3, 40, 7, 5)),
    (
        "opencode",
        {"input": 9, "output": 2, "reasoning": 1, "cache": {"write": 4, "read": 24}},
        Usage(9, 24, 4, 3, 0, 1),
    ),
    ("Gemini CLI", {"input": 20, "output": 4, "cached": 15, "thoughts": 2, "tool": 0}, Usage(5, 15, 0, 6, 0, 2)),
    (
        "OpenHands (token usages)",
        {
            "model": "m",
            "prompt_tokens": 500,
            "completion_tokens": 8,
            "cache_read_tokens": 300,
            "cache_write_tokens": 100,
            "reasoning_tokens": 3,
            "context_window": 200_000,
        },
        Usage(100, 300, 100, 8, 0, 3),
    ),
    (
        "Copilot CLI",
        {"inputTokens": 12_847, "outputTokens": 101, "cacheReadTokens": 9_000, "reasoningTokens": 94},
        Usage(3_847, 9_000, 0, 101, 0, 94),
    ),
    (
        "Inspect",
        {"input_tokens": 5_915, "output_tokens": 207, "total_tokens": 6_122, "input_tokens_cache_read": 3_840},
        Usage(2_075, 3_840, 0, 207),
    ),
    (
        "Inspect",  # in front of Claude
        {"input_tokens": 5_915, "output_tokens": 207, "total_tokens": 9_962, "input_tokens_cache_read": 3_840},
        Usage(5_915, 3_840, 0, 207),
    ),
    ("input and output only", {"input_tokens": 15, "output_tokens": 7}, Usage(15, 0, 0, 7)),
)


@pytest.mark.parametrize(("name", "table", "usage"), SHAPED)
def test_each_shape_is_read_as_a_dict_as_an_object_and_inside_a_response(name: str, table: Any, usage: Usage) -> None:
    assert read_usage(table) == usage
    assert read_usage({"usage": table}) == usage
    assert read_usage(as_object(table)) == usage
    assert read_usage(as_object({"usage": table})) == usage
    assert read_usage(json.dumps({"usage": table})) == usage


@pytest.mark.parametrize(("name", "table", "usage"), SHAPED)
def test_a_session_and_the_simulator_read_the_same_figures(name: str, table: Any, usage: Usage) -> None:
    body = {"model": "claude-opus-4-5", "messages": [{"role": "user", "content": "one"}]}
    recorded = read_recording(json.dumps(body | {"response": {"usage": table}}).encode())
    assert [one.usage for one in recorded.requests] == [usage]
    store = MemoryStore()
    engine = Engine("observe", store=store)
    engine.record_usage(engine.fit(body, session="s", now_ms=1), {"usage": table}, now_ms=2)
    state = store.load(SessionId("s"))
    assert state is not None
    assert (state.clock.called, state.clock.read) == (2, usage.read)
    assert [one.bill.usage for one in state.calibrations.values()] == [usage]


def test_every_shape_has_a_vector() -> None:
    assert {name for name, _, _ in SHAPED} == {shape.name for shape in SHAPES}


@pytest.mark.parametrize(("name", "table", "usage"), SHAPED)
def test_the_classes_of_input_are_disjoint_and_none_is_larger_than_all(name: str, table: Any, usage: Usage) -> None:
    assert usage.taken == usage.prompt == usage.input + usage.read + usage.write
    assert usage.write_1h <= usage.write
    assert usage.reasoning <= usage.output


ROUND = {"type": "message", "input_tokens": 10, "cache_read_input_tokens": 500, "output_tokens": 4}
NEXT = {"type": "message", "input_tokens": 40, "cache_read_input_tokens": 510, "output_tokens": 6}
SUMMED = {"type": "compaction", "input_tokens": 3_000, "cache_read_input_tokens": 0, "output_tokens": 200}


def test_rounds_of_the_provider_are_billed_and_are_no_part_of_what_was_sent() -> None:
    told = {"input_tokens": 50, "cache_read_input_tokens": 1_010, "output_tokens": 10}
    usage = read_usage({**told, "iterations": [ROUND, NEXT]})
    assert usage == Usage(50, 1_010, 0, 10, again=550)
    assert (usage.taken, usage.prompt) == (1_060, 510)
    one = {"input_tokens": 10, "cache_read_input_tokens": 500, "output_tokens": 4}
    assert read_usage({**one, "iterations": [ROUND]}) == Usage(10, 500, 0, 4)


def test_a_compaction_by_the_provider_is_billed_and_leaves_the_size_of_the_request_open() -> None:
    told = {"input_tokens": 40, "cache_read_input_tokens": 510, "output_tokens": 6}
    usage = read_usage({**told, "iterations": [SUMMED, NEXT]})
    assert usage is not None
    assert (usage.input, usage.read, usage.output) == (3_040, 510, 206)
    assert usage.prompt == 0


class Plain:
    def __init__(self, members: dict[str, Any]) -> None:
        self.__dict__.update(members)


def as_object(value: Any) -> Any:
    """The same as attributes of objects, as SDKs have it."""
    if isinstance(value, dict):
        return Plain({name: as_object(one) for name, one in value.items()})
    return [as_object(one) for one in value] if isinstance(value, list) else value


class Structured(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int


@dataclass
class Classed:
    input_tokens: int = 1_000
    cache_read_tokens: int = 900
    output_tokens: int = 3


def test_structs_dataclasses_and_our_own_value_are_read_too() -> None:
    assert read_usage(Structured(9, 2)) == Usage(9, 0, 0, 2)
    assert read_usage(Classed()) == Usage(100, 900, 0, 3)
    assert read_usage(Usage(1, 2, 3)) == Usage(1, 2, 3)
    assert read_usage(Usage()) is None


def test_objects_of_the_packages_are_read() -> None:
    from anthropic.types import Usage as Claude
    from google.genai.types import GenerateContentResponseUsageMetadata as Gemini
    from openai.types import CompletionUsage
    from openai.types.completion_usage import PromptTokensDetails
    from openai.types.responses import ResponseUsage

    claude = Claude(input_tokens=4, output_tokens=2, cache_read_input_tokens=90)
    assert read_usage(claude) == Usage(4, 90, 0, 2)
    assert read_usage(Gemini(prompt_token_count=50, cached_content_token_count=30)) == Usage(20, 30)
    details = PromptTokensDetails(cached_tokens=30)
    chat = CompletionUsage(prompt_tokens=50, completion_tokens=2, total_tokens=52, prompt_tokens_details=details)
    assert read_usage(chat) == Usage(20, 30, 0, 2)
    deepseek = CompletionUsage.model_validate(
        {"prompt_tokens": 50, "completion_tokens": 2, "total_tokens": 52, "prompt_cache_hit_tokens": 30}
    )
    assert read_usage(deepseek) == Usage(20, 30, 0, 2)
    said = {
        "input_tokens": 50,
        "input_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 0},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 52,
    }
    assert read_usage(ResponseUsage.model_validate(said)) == Usage(20, 30, 0, 2, 0, 1)


NOTHING = ({}, {"usage": None}, {"usage": {"input_tokens": 0, "output_tokens": 3}}, {"usage": {"input_tokens": "9"}})


@pytest.mark.parametrize("value", [*NOTHING, [], None, 7, "", "no json", b"\xff", object(), [None, 3, "x"]])
def test_nothing_stated_is_no_usage(value: Any) -> None:
    assert read_usage(value) is None
