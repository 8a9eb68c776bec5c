"""Typed access to values of any JSON: the members of an object, the elements of a list, a string.

Rule: a value of another type counts as missing. Whether it may be missing is checked by another rule.
"""

from collections.abc import Sequence
from typing import Any

_NONE: dict[str, Any] = {}


def get_fields(value: Any) -> dict[str, Any]:
    """The members of an object; none of any other value."""
    return value if isinstance(value, dict) else _NONE


def get_items(value: Any) -> Sequence[Any]:
    """The elements of a list; none of any other value."""
    return value if isinstance(value, list | tuple) else ()


def get_text(value: Any) -> str:
    """A string; "" for any other value."""
    return value if isinstance(value, str) else ""


def is_blank_text(text: str) -> bool:
    """Whether a text is empty or only white space."""
    return not text or text.isspace()
