"""What a second reader says that a host would send: plain tuples, nothing of the package under test.

Each loader beside this file reads one host's session file in its own, slow way, from the description of the format
alone. Tests hold the package's readers to them.
"""

import json
from typing import Any, NamedTuple


class Shown(NamedTuple):
    """One piece of a message: who says it, what it is, its text, and for calls and results the call's id."""

    role: str
    kind: str
    text: str = ""
    call: str = ""


def objects(data: bytes) -> list[Any]:
    """The value of each line; None where it is blank or broken."""
    values: list[Any] = []
    for line in data.decode("utf-8-sig", "surrogateescape").split("\n"):
        try:
            values.append(json.loads(line))
        except ValueError:
            values.append(None)
    return values


def sorted_json(value: Any) -> str:
    """One text for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def flat(content: Any) -> str:
    """The texts of a result, one a line."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or [] if "text" in block)
