"""What hosts and providers record of the tokens of one answer, in one shape.

Rule: `input`, `read` and `write` are disjoint and add up to the prompt, whatever the recording counts where. What is
not there is not guessed: an answer without figures, or with zeros only (aborted before its first byte), has no usage.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct


class Usage(Struct, frozen=True):
    """Tokens of one request as its provider counted them."""

    input: int = 0  # neither read from the cache nor written to it
    read: int = 0
    write: int = 0
    output: int = 0
    write_1h: int = 0  # of `write`, those that were kept for an hour

    @property
    def prompt(self) -> int:
        """All tokens that were sent."""
        return self.input + self.read + self.write


def usage_of(values: Iterable[Any]) -> Usage | None:
    """The last usage that these elements or lines of one answer record; None without any."""
    found = None
    for value in values:
        for place in PLACES:
            table = _at(value, place)
            usage = _usage(table) if table else None
            found = usage or found
    return found


def model_of(values: Iterable[Any]) -> str:
    """The model that answered, where these elements or lines say it; "" where not."""
    for value in values:
        for place in ((), ("message",), ("info",)):
            table = _at(value, place) or {}
            for name in ("model", "modelID"):
                if isinstance(table.get(name), str):
                    return str(table[name])
    return ""


PLACES = (
    ("usage",),  # OpenAI, Anthropic: a response
    ("message", "usage"),  # Pi, Claude Code
    ("info", "tokens"),  # opencode
    ("tokens",),  # Gemini CLI
    ("payload", "info", "last_token_usage"),  # Codex
    ("extra", "response", "usage"),  # mini-swe-agent
    ("tool_call_metadata", "model_response", "usage"),  # OpenHands before 1.0
)


def _usage(said: dict[str, Any]) -> Usage | None:
    if "cacheRead" in said:  # Pi
        usage = Usage(*(_n(said, name) for name in ("input", "cacheRead", "cacheWrite", "output")))
    elif isinstance(said.get("cache"), dict):  # opencode: reasoning is counted apart from the output
        cache = said["cache"]
        output = _n(said, "output") + _n(said, "reasoning")
        usage = Usage(_n(said, "input"), _n(cache, "read"), _n(cache, "write"), output)
    elif "cached" in said:  # Gemini CLI: `input` holds what was cached
        output = _n(said, "output") + _n(said, "thoughts")
        usage = Usage(max(0, _n(said, "input") - _n(said, "cached")), _n(said, "cached"), 0, output)
    elif "prompt_tokens" in said:  # OpenAI's chat shape, in which LiteLLM also says what was written
        read = _n(said.get("prompt_tokens_details"), "cached_tokens") or _n(said, "cache_read_input_tokens")
        write = _n(said, "cache_creation_input_tokens")
        usage = Usage(max(0, _n(said, "prompt_tokens") - read - write), read, write, _n(said, "completion_tokens"))
    elif "cache_read_input_tokens" in said or "cache_creation_input_tokens" in said:  # Anthropic
        hour = _n(said.get("cache_creation"), "ephemeral_1h_input_tokens")
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
        input_, read, write, output = (_n(said, name) for name in names)
        usage = Usage(input_, read, write, output, hour)
    else:  # OpenAI's Responses and Codex: `input_tokens` holds what was cached
        read = _n(said.get("input_tokens_details"), "cached_tokens") or _n(said, "cached_input_tokens")
        usage = Usage(max(0, _n(said, "input_tokens") - read), read, 0, _n(said, "output_tokens"))
    return usage if usage.prompt else None


def _at(value: Any, place: tuple[str, ...]) -> dict[str, Any] | None:
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _n(said: Any, name: str) -> int:
    value = said.get(name) if isinstance(said, dict) else None
    return value if isinstance(value, int) and value > 0 else 0
