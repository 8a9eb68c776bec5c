"""Values of any JSON as a rule wants them: fields of an object, items of a list, a word; else nothing.

Rule: what is not of the wanted type is as good as absent; whether it may be absent is another rule's matter.
"""

from collections.abc import Sequence
from typing import Any

_NONE: dict[str, Any] = {}


def fields(value: Any) -> dict[str, Any]:
    """The members of an object; none of anything else."""
    return value if isinstance(value, dict) else _NONE


def items(value: Any) -> Sequence[Any]:
    """The elements of a list; none of anything else."""
    return value if isinstance(value, list | tuple) else ()


def word(value: Any) -> str:
    """A string; "" for anything else."""
    return value if isinstance(value, str) else ""


def blank(text: str) -> bool:
    """Whether there is nothing but white space."""
    return not text or text.isspace()
