"""Who takes part: each peer with its documented defaults, and with one setting that a coding agent might have.

Rule: `coding` is chosen once for all: act from 100,000 tokens on, keep the newest ten results (or forty messages), and
free at least 30,000 tokens, as far as a peer can be told so. Where the defaults have no trigger, 100,000 is it.
"""

from typing import Any

from msgspec import Struct


class Peer(Struct, frozen=True):
    """One row: `name` is the environment and the adapter, `settings` go to it as they are."""

    name: str
    what: str
    said: str
    settings: dict[str, Any] = {}

    @property
    def row(self) -> str:
        """How the table calls it."""
        return f"{self.what}, {self.said}"


KEEP, TRIGGER, LEAST = 10, 100_000, 30_000
CODING = "coding"
TIERS = [  # the harness's own example
    {"of": "ClearToolResults", "max_tokens": 1, "keep_pairs": 3},
    {"of": "SummarizingCompaction", "max_messages": 1, "keep_messages": 20},
]


def _two(name: str, what: str, of: str, first: dict[str, Any], second: dict[str, Any]) -> tuple[Peer, ...]:
    return Peer(name, what, "defaults", {of: first}), Peer(name, what, CODING, {of: second})


PEERS = (
    *_two("langchain", "LangChain ClearToolUses", "edit", {}, {"keep": KEEP, "clear_at_least": LEAST}),
    *_two(
        "langchain",
        "LangChain Summarization",
        "summary",
        {"trigger": ["tokens", TRIGGER]},
        {"trigger": ["tokens", TRIGGER], "keep": ["messages", 40], "trim_tokens_to_summarize": None},
    ),
    *_two(
        "litellm",
        "LiteLLM's clear_tool_uses (Anthropic)",
        "clear",
        {},
        {
            "keep": {"type": "tool_uses", "value": KEEP},
            "clear_at_least": {"type": "input_tokens", "value": LEAST},
        },
    ),
    Peer("litellm", "LiteLLM trim_messages", "100k", {"trim": {"model": "gpt-4o", "max_tokens": TRIGGER}}),
    Peer(
        "maf",
        "Agent Framework ContextWindow",
        "defaults, 200k",
        {
            "strategy": "ContextWindowCompactionStrategy",
            "max_context_window_tokens": 200_000,
            "max_output_tokens": 16_384,
        },
    ),
    Peer(
        "maf",
        "Agent Framework ContextWindow",
        "coding, 200k",
        {
            "strategy": "ContextWindowCompactionStrategy",
            "max_context_window_tokens": 200_000,
            "max_output_tokens": 16_384,
            "keep_last_tool_call_groups": KEEP,
            "preserve_first_user_group": True,
        },
    ),
    Peer("maf", "Agent Framework ToolResult", "defaults", {"strategy": "ToolResultCompactionStrategy"}),
    Peer(
        "pydantic",
        "pydantic-ai-harness ClearToolResults",
        "100k",
        {"of": "ClearToolResults", "max_tokens": TRIGGER},
    ),
    Peer(
        "pydantic",
        "pydantic-ai-harness ClearToolResults",
        CODING,
        {"of": "ClearToolResults", "max_tokens": TRIGGER, "keep_pairs": KEEP, "min_clear_tokens": LEAST},
    ),
    Peer("pydantic", "pydantic-ai-harness Tiered", "its example, 120k", {"tiers": TIERS, "target_tokens": 120_000}),
    Peer("strands", "Strands SlidingWindow", "defaults", {"window": {}}),
    Peer("strands", "Strands SlidingWindow", "every call", {"window": {"per_turn": True}}),
    Peer("strands", "Strands Summarizing", "defaults, at 70 %", {"summary": {"proactive_compression": True}}),
    Peer("headroom", "Headroom compress", "defaults"),
    Peer("headroom", "Headroom compress", "frozen prefix", {"frozen": True, "protect_recent": 0}),
    Peer("headroom", "Headroom compress", "agent mode", {"mode": "agent"}),
    Peer("distil", "distil", "defaults"),
    Peer("distil", "distil", "verbatim", {"verbatim": True}),
    Peer("leantokens", "leantokens", "defaults"),
    Peer("leantokens", "leantokens", "smart", {"smart": True}),
)
