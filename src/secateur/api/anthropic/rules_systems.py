"""System messages in the middle of a history, and where they may stand."""

from collections.abc import Iterator

from secateur.api.accessors import items, word
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule
from secateur.model import Path


@rule(
    "A31",
    "a system message follows the user or a server tool's result, and is last or followed by the assistant",
    "docs; reported: headroom #765",
)
def placement(history: Messages) -> Found:
    split = set(history.rounds.split)
    for number in _systems(history):
        path: Path = (history.array, number)
        if number == 0 and history.whole and not history.partial:
            yield path, "a system message comes first: say it in `system`"
        elif number and path not in split and not _follows(history, number):
            yield path, "a system message follows an assistant message: move it behind the next user message"
        elif number + 1 < len(history.roles) and path not in split and _next(history, number) == "user":
            yield path, "a user message follows a system message: move the system message behind it"


def _systems(history: Messages) -> Iterator[int]:
    if "system" in history.roles:
        yield from (number for number, role in enumerate(history.roles) if role == "system")


def _follows(history: Messages, number: int) -> bool:
    before = history.roles[number - 1]
    if before != "assistant":
        return True
    last = items(history.messages[number - 1].get("content"))[-1:]
    return bool(last) and isinstance(last[0], dict) and word(last[0].get("type")).endswith("_tool_result")


def _next(history: Messages, number: int) -> str:
    """The role of the next message that is no system message."""
    return next((role for role in history.roles[number + 1 :] if role != "system"), "")
