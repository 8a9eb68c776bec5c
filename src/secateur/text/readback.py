"""What can be read back: how texts name it, and how results of the recall tools are recognized.

Rule: a text names what was removed by a handle, for the recall tool, or by the path of a file. A handle is hexadecimal
digits, so anything with a slash in it is a path. A result was read back if its tool's name ends in one of `READERS`
(hosts add a prefix, as in `mcp__secateur__recall`) and its text begins with the mark that only these tools write. It is
in use until the model has answered a few times without reading back more, so that it is not removed too early.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from secateur.model import Message, Part

WAY_BACK = r"(?:recall \S+|read [^\]\n]*/[^\]\n]+)"  # what `describe_way_back` makes, as a pattern
MAX_PATH_CHARS = 400  # of a file that a text names

NAME = "secateur"  # of the server, and in the description of its tools
READERS = ("recall", "search", "removed")  # tools whose results say what was removed

_NEAR = 400  # characters in which the mark is looked for: hosts put lines of their own before a result
_STEPS = re.compile(r"[^a-z0-9]+")


def describe_way_back(handle: str) -> str:
    """How to read what a handle, or the path of a file, refers to."""
    return f"read {handle}" if is_file(handle) else f"recall {handle}"


def is_file(handle: str) -> bool:
    """Whether this is the path of a file, not a handle."""
    return "/" in handle


def locate(handle: str, folder: str) -> str:
    """The file of a handle in a folder; without a folder the handle itself."""
    return f"{folder}/{handle}.txt" if handle and folder else handle


def add_header(tool: str, about: str, text: str = "") -> str:
    """Format a result of the recall tools: a header line that describes it, and the text."""
    return f"[{NAME} {tool}: {about}]\n{text}"


@lru_cache(maxsize=1024)
def is_reader(tool: str) -> bool:
    """Whether a tool's name is that of a tool that reads back, whatever a host put before it."""
    return _STEPS.split(tool.strip().lower())[-1] in READERS


def is_recalled(part: Part) -> bool:
    """Whether a result is one that the model read back."""
    if part.kind != "tool_result" or not is_reader(part.tool):
        return False
    near = part.text[:_NEAR]
    return any(f"[{NAME} {tool}: " in near for tool in READERS)


def find_first_unread(messages: Sequence[Message]) -> int:
    """The first message after the model's last output: it has read no results from there on."""
    for number in range(len(messages) - 1, -1, -1):
        message = messages[number]
        if message.role == "assistant" and ((message.path and message.origin == "user") or message.is_output):
            return number + 1
    return 0


def find_unused_keys(messages: Sequence[Message], answers: int) -> frozenset[str]:
    """Keys of recalled results not yet followed by `answers` model answers without another recall."""
    found: set[str] = set()
    if not answers:
        return frozenset()
    for message in reversed(messages):
        if message.role == "assistant" and (message.path or not message.is_put_in):
            answers -= not any(part.kind == "tool_call" and is_reader(part.tool) for part in message.parts)
            if not answers:
                break
        else:
            found.update(part.key for part in message.parts if is_recalled(part))
    return frozenset(found)
