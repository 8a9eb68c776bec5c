"""The shape of messages and blocks: what a block must have, and on whose side it may stand."""

from typing import Any

from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule

_WORDS = {
    "text": ("text",),
    "tool_use": ("id", "name"),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("id", "name"),
    "mcp_tool_use": ("id", "name"),
    "mcp_tool_result": ("tool_use_id",),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
    "tool_reference": ("tool_name",),
}


@rule("A0", "a message has a known role and content; a block is an object with a type", "SDK types")
def odd(history: Messages) -> Found:
    return history.odd


@rule("A0", "the assistant calls, the user gives results", "SDK types")
def misplaced(history: Messages) -> Found:
    for path in history.rounds.misplaced:
        yield path, "a call of the user's or a result of the assistant's: move it to the other side, or take it out"


@rule("A0", "a block has the fields that its type requires", "SDK types", blocks=tuple(_WORDS))
def fields_missing(block: Any, history: Messages) -> Found:
    for name in _WORDS[block["type"]]:
        if not isinstance(block.get(name), str):
            return [((), f"a {block['type']} block has no text in `{name}`: give it one, or take its round out")]
    return ()


@rule("A0", "images and documents have a source", "SDK types", blocks=("image", "document"))
def source_missing(block: Any, history: Messages) -> Found:
    if isinstance(block.get("source"), dict):
        return ()
    return [((), f"a block of type {block['type']} has no `source`: give it one, or put a text in its place")]
