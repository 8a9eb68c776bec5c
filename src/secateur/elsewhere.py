"""History that a provider keeps itself: which fields of a request say so, for each API.

Rule: what is not in a request can be neither read nor edited, and an edit of the rest would be judged against what
the provider has. Such a request is observed and sent on as it came. Items that only name what the API keeps
(`item_reference`) are told by the readers, since they stand among the messages.
"""

from collections.abc import Callable
from typing import Any

FIELDS: dict[str, tuple[str, ...]] = {
    "anthropic_messages": ("thread",),
    "openai_responses": ("previous_response_id", "conversation"),
    "gemini": ("cachedContent", "cached_content"),
}
_CONTINUES = "continue"  # a thread that is created brings all of its history


def find_provider_history(format: str, field: Callable[[str], Any]) -> str:
    """Return the field saying that the provider keeps history, or "". `field` looks one up in the body."""
    return next((name for name in FIELDS.get(format, ()) if _is_set(name, field(name))), "")


def _is_set(name: str, value: Any) -> bool:
    if name == "thread":
        return isinstance(value, dict) and value.get("type") == _CONTINUES
    return bool(value)
