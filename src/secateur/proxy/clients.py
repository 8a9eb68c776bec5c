"""What clients send with their requests: one row each.

Rule: data only. A row says how a client gives itself away, and how its main conversation is told from its other calls:
sub-agents, titles, its own compaction. Edits are replayed on those and never recorded from them.
"""

from typing import Literal

from msgspec import Struct

Call = Literal["main", "subagent", "side"]


class AgentClient(Struct, frozen=True):
    """One client."""

    name: str
    header: str = "user-agent"  # by which it is known
    value: str = ""  # how the value of that header begins
    agent: str = ""  # the header that names a sub-agent
    parent: str = ""  # the header that names the session which started this one
    always_has_tools: bool = False  # in its main conversation; a request without tools is another call
    side_texts: tuple[str, ...] = ()  # in the last message of a call that is none of the main conversation


CLIENTS = (
    AgentClient(
        "claude-code",
        "x-claude-code-session-id",
        agent="x-claude-code-agent-id",
        always_has_tools=True,
        side_texts=("CRITICAL: Respond with TEXT ONLY",),
    ),
    AgentClient("claude-code", value="claude-cli/", agent="x-claude-code-agent-id", always_has_tools=True),
    AgentClient(
        "codex",
        "x-codex-turn-metadata",
        agent="x-openai-subagent",
        side_texts=("You are performing a CONTEXT CHECKPOINT COMPACTION",),
    ),
    AgentClient("codex", "originator", "codex", agent="x-openai-subagent"),
    AgentClient("codex", value="codex", agent="x-openai-subagent"),
    AgentClient("kilo", value="Kilo", parent="x-parent-session-id", always_has_tools=True),
    AgentClient("opencode", value="opencode", parent="x-parent-session-id", always_has_tools=True),
    AgentClient("opencode", "x-session-affinity", parent="x-parent-session-id", always_has_tools=True),
    AgentClient("pi", value="pi/", always_has_tools=True),
    AgentClient("gemini-cli", value="GeminiCLI", always_has_tools=True),
    AgentClient("qwen-code", value="QwenCode", always_has_tools=True, side_texts=("memory extraction",)),
    AgentClient("copilot", "x-interaction-type"),
    AgentClient("copilot", value="copilot"),
    AgentClient("anthropic-sdk", value="Anthropic/"),
    AgentClient("anthropic-sdk", value="AsyncAnthropic/"),
    AgentClient("openai-sdk", value="OpenAI/"),
    AgentClient("openai-sdk", value="AsyncOpenAI/"),
    AgentClient("google-genai", value="google-genai-sdk/"),
)
SESSION_PLACES = (  # headers, and members of a body (`user`, `prompt_cache_key`); the first one present counts
    "x-claude-code-session-id",
    "thread-id",
    "session-id",
    "session_id",
    "x-opencode-session",
    "x-session-id",
    "x-session-affinity",
    "x-client-session-id",
    "x-interaction-id",
    "x-kilocode-taskid",
    "x-mux-workspace-id",
    "x-coder-chat-id",
    "x-grok-conv-id",
    "user",
    "prompt_cache_key",
)
CODEX_TURN = "x-codex-turn-metadata"  # JSON whose `request_kind` is turn, compaction or prewarm
