"""What a provider says of its window when it refuses a request as too long.

Rule: only an error tells, never what a model wrote; a text without a size tells nothing. Sizes under a thousand tokens
are of something else.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

LEAST = 1_000  # tokens
_GROUPED = re.compile(r"(?<=\d),(?=\d{3})")
_SAYS = re.compile(
    r"> (\d+) maximum"  # Anthropic
    r"|exceed context limit: \d+ \+ \d+ > (\d+)"
    r"|maximum context length (?:is|of) (\d+)"  # OpenAI, Azure, vLLM, DeepSeek, OpenRouter
    r"|maximum number of tokens allowed \((\d+)\)"  # Gemini
    r"|exceed model maximum \((\d+)\)"  # Bedrock
    r"|maximum prompt length is (\d+)"  # xAI
    r"|model's context length \((\d+) tokens\)"  # Together
    r"|token count of \d+ exceeds the limit of (\d+)"  # Copilot
    r"|exceeded model token limit: (\d+)"  # Moonshot
    r"|with (\d+) maximum context length"  # Mistral
    r"|input length should be \[1, (\d+)\]"  # Qwen
    r"|n_ctx\W+(\d+)",  # llama.cpp
    re.I,
)


def window_in(error: Any) -> int:
    """The window in tokens that an error names: an exception of a client, or the body of a refusal; 0 for none."""
    found = _SAYS.search(_GROUPED.sub("", _text(error)))
    tokens = int(next(filter(None, found.groups()))) if found else 0
    return tokens if tokens >= LEAST else 0


def _text(error: Any) -> str:
    if isinstance(error, BaseException):
        return f"{error} {_text(getattr(error, 'body', None))}"
    if isinstance(error, str | bytes):
        try:
            error = json.loads(error)
        except (ValueError, RecursionError):
            return ""
    if isinstance(error, list) and len(error) == 1:
        error = error[0]  # Gemini's, sometimes
    refused = isinstance(error, Mapping) and ("error" in error or error.get("object") == "error")
    return json.dumps(error, default=str) if refused else ""
