"""Who takes part: each peer with its documented defaults, and with one setting that a coding agent might have.

Rule: the second setting is chosen once for all: act from 100,000 tokens on and keep the newest ten results (or forty
messages). A peer whose defaults have no trigger is run with that setting alone. What stands here is printed.
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


EDIT = "LangChain ClearToolUses"
SUMMARY = "LangChain Summarization"

PEERS = (
    Peer("langchain", EDIT, "defaults", {"edit": {}}),
    Peer("langchain", EDIT, "keep 10, at least 30k", {"edit": {"keep": 10, "clear_at_least": 30_000}}),
    Peer("langchain", SUMMARY, "100k, else defaults", {"summary": {"trigger": ["tokens", 100_000]}}),
    Peer(
        "langchain",
        SUMMARY,
        "100k, keep 40, whole",
        {
            "summary": {
                "trigger": ["tokens", 100_000],
                "keep": ["messages", 40],
                "trim_tokens_to_summarize": None,
            }
        },
    ),
)
