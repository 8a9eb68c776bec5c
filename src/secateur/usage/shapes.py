"""The shapes in which providers, hosts and frameworks state what a request cost: one row each.

Rule: a row says where each figure is and whether cached tokens are counted inside the input or in addition to it. Rows
are tried from the top, and the first one whose mark is present reads the table. Nothing here looks for the table.
"""

from typing import Literal

from msgspec import Struct

Names = tuple[str, ...]
Counted = Literal["inside", "beside", "either"]


class UsageShape(Struct, frozen=True, kw_only=True):
    """Where the figures of one shape are: dotted paths, of which the first with a figure counts.

    A step `key=value` picks the members of a list that have it. `either`: writers of the shape disagree, and the
    figures themselves have to show it.
    """

    name: str  # who states usage this way
    marks: Names  # a table with one of these members has this shape
    cached: Counted  # whether the input includes what was read from the cache and written to it
    input: Names
    more: Names = ()  # input that is counted apart from it
    read: Names = ()
    write: Names = ()  # all that was written
    write_5m: Names = ()  # of it, what is kept for the shorter time
    write_1h: Names = ()  # of it, what is kept for an hour
    output: Names = ()
    reasoning: Names = ()
    thinking: Literal["inside", "beside"] = "inside"  # whether the output includes reasoning
    total: Names = ()  # input and output together, by which `either` is decided


SHAPES = (
    UsageShape(
        name="DeepSeek",
        marks=("prompt_cache_hit_tokens", "prompt_cache_miss_tokens"),
        cached="inside",
        input=("prompt_tokens",),
        read=("prompt_cache_hit_tokens",),
        output=("completion_tokens",),
        reasoning=("completion_tokens_details.reasoning_tokens",),
    ),
    UsageShape(
        name="OpenHands (token usages)",
        marks=("per_turn_token", "cache_read_tokens+prompt_tokens"),
        cached="either",
        input=("prompt_tokens",),
        read=("cache_read_tokens",),
        write=("cache_write_tokens",),
        output=("completion_tokens",),
        reasoning=("reasoning_tokens",),
    ),
    UsageShape(
        name="LiteLLM",
        marks=("prompt_tokens+cache_read_input_tokens", "prompt_tokens+cache_creation_input_tokens"),
        cached="either",  # versions before 1.50 left out what was cached
        input=("prompt_tokens",),
        read=("prompt_tokens_details.cached_tokens", "cache_read_input_tokens"),
        write=("cache_creation_input_tokens", "prompt_tokens_details.cache_creation_tokens"),
        write_5m=("prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens",),
        write_1h=("prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens",),
        output=("completion_tokens",),
        reasoning=("completion_tokens_details.reasoning_tokens",),
        total=("total_tokens",),
    ),
    UsageShape(
        name="OpenAI Chat Completions",
        marks=("prompt_tokens",),
        cached="inside",
        input=("prompt_tokens",),
        read=("prompt_tokens_details.cached_tokens", "cached_tokens"),  # the second: Moonshot, ATIF
        write=("prompt_tokens_details.cache_write_tokens",),
        output=("completion_tokens",),
        reasoning=("completion_tokens_details.reasoning_tokens",),
    ),
    UsageShape(
        name="Gemini",
        marks=("promptTokenCount", "prompt_token_count"),
        cached="inside",
        input=("promptTokenCount", "prompt_token_count"),
        more=("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
        read=("cachedContentTokenCount", "cached_content_token_count"),
        output=("candidatesTokenCount", "candidates_token_count", "responseTokenCount", "response_token_count"),
        reasoning=("thoughtsTokenCount", "thoughts_token_count"),
        thinking="beside",
    ),
    UsageShape(
        name="Gemini Interactions",
        marks=("total_input_tokens",),
        cached="inside",
        input=("total_input_tokens",),
        more=("total_tool_use_tokens",),
        read=("total_cached_tokens",),
        output=("total_output_tokens",),
        reasoning=("total_thought_tokens",),
        thinking="beside",
    ),
    UsageShape(
        name="OpenAI Responses",
        marks=("input_tokens_details",),
        cached="inside",
        input=("input_tokens",),
        read=("input_tokens_details.cached_tokens",),
        write=("input_tokens_details.cache_write_tokens",),
        output=("output_tokens",),
        reasoning=("output_tokens_details.reasoning_tokens",),
    ),
    UsageShape(
        name="Codex",
        marks=("cached_input_tokens", "reasoning_output_tokens"),
        cached="inside",
        input=("input_tokens",),
        read=("cached_input_tokens",),
        write=("cache_write_input_tokens",),
        output=("output_tokens",),
        reasoning=("reasoning_output_tokens",),
    ),
    UsageShape(
        name="LangChain",
        marks=("input_token_details", "output_token_details"),
        cached="inside",
        input=("input_tokens",),
        read=("input_token_details.cache_read",),
        write=("input_token_details.cache_creation",),
        write_5m=("input_token_details.ephemeral_5m_input_tokens",),
        write_1h=("input_token_details.ephemeral_1h_input_tokens",),
        output=("output_tokens",),
        reasoning=("output_token_details.reasoning",),
    ),
    UsageShape(
        name="pydantic-ai",
        marks=("cache_read_tokens", "cache_write_tokens"),
        cached="inside",
        input=("input_tokens",),
        read=("cache_read_tokens",),
        write=("cache_write_tokens",),
        write_1h=("cache_write_1h_tokens",),
        output=("output_tokens",),
        reasoning=("output_reasoning_tokens", "details.reasoning_tokens"),
    ),
    UsageShape(
        name="Inspect",
        marks=("input_tokens_cache_read", "input_tokens_cache_write"),
        cached="either",  # as its provider counts; the total shows which
        input=("input_tokens",),
        read=("input_tokens_cache_read",),
        write=("input_tokens_cache_write",),
        output=("output_tokens",),
        reasoning=("reasoning_tokens",),
        total=("total_tokens",),
    ),
    UsageShape(
        name="Microsoft Agent Framework",
        marks=("input_token_count",),
        cached="either",  # its OpenAI clients count it inside, its Anthropic client in addition
        input=("input_token_count",),
        read=("cache_read_input_token_count", "openai.cached_input_tokens"),
        write=("cache_creation_input_token_count",),
        output=("output_token_count",),
        reasoning=("reasoning_output_token_count", "openai.reasoning_tokens"),
        total=("total_token_count",),
    ),
    UsageShape(
        name="Anthropic",
        marks=("cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation", "iterations"),
        cached="beside",
        input=("input_tokens",),
        read=("cache_read_input_tokens",),
        write=("cache_creation_input_tokens",),
        write_5m=("cache_creation.ephemeral_5m_input_tokens",),
        write_1h=("cache_creation.ephemeral_1h_input_tokens",),
        output=("output_tokens",),
        reasoning=("output_tokens_details.thinking_tokens",),
    ),
    UsageShape(
        name="Bedrock Converse",
        marks=("cacheReadInputTokens", "cacheWriteInputTokens"),
        cached="beside",
        input=("inputTokens",),
        read=("cacheReadInputTokens",),
        write=("cacheWriteInputTokens",),
        write_5m=("cacheDetails.ttl=5m.inputTokens",),
        write_1h=("cacheDetails.ttl=1h.inputTokens",),
        output=("outputTokens",),
    ),
    UsageShape(
        name="AI SDK 6, a model's own",
        marks=("inputTokens.total", "inputTokens.noCache"),
        cached="inside",
        input=("inputTokens.total",),
        read=("inputTokens.cacheRead",),
        write=("inputTokens.cacheWrite",),
        output=("outputTokens.total",),
        reasoning=("outputTokens.reasoning",),
    ),
    UsageShape(
        name="AI SDK 6",
        marks=("inputTokenDetails",),
        cached="inside",
        input=("inputTokens",),
        read=("inputTokenDetails.cacheReadTokens", "cachedInputTokens"),
        write=("inputTokenDetails.cacheWriteTokens",),
        output=("outputTokens",),
        reasoning=("outputTokenDetails.reasoningTokens", "reasoningTokens"),
    ),
    UsageShape(
        name="Copilot CLI",
        marks=("cacheReadTokens", "cacheWriteTokens"),
        cached="either",
        input=("inputTokens",),
        read=("cacheReadTokens",),
        write=("cacheWriteTokens",),
        output=("outputTokens",),
        reasoning=("reasoningTokens",),
    ),
    UsageShape(
        name="AI SDK 5",
        marks=("inputTokens",),
        cached="either",  # its Anthropic provider leaves out what was read
        input=("inputTokens",),
        read=("cachedInputTokens",),
        output=("outputTokens",),
        reasoning=("reasoningTokens",),
        total=("totalTokens",),
    ),
    UsageShape(
        name="AI SDK 4",
        marks=("promptTokens",),
        cached="inside",
        input=("promptTokens",),
        output=("completionTokens",),
    ),
    UsageShape(
        name="Pi",
        marks=("cacheRead", "cacheWrite"),
        cached="beside",
        input=("input",),
        read=("cacheRead",),
        write=("cacheWrite",),
        output=("output",),
    ),
    UsageShape(
        name="opencode",
        marks=("cache",),
        cached="beside",
        input=("input",),
        read=("cache.read",),
        write=("cache.write",),
        output=("output",),
        reasoning=("reasoning",),
        thinking="beside",
    ),
    UsageShape(
        name="Gemini CLI",
        marks=("cached", "thoughts"),
        cached="inside",
        input=("input",),
        more=("tool",),
        read=("cached",),
        output=("output",),
        reasoning=("thoughts",),
        thinking="beside",
    ),
    UsageShape(
        name="input and output only",
        marks=("input_tokens",),
        cached="inside",
        input=("input_tokens",),
        output=("output_tokens",),
    ),
)
