"""Rules for single blocks: required fields, roles, and thinking."""

from typing import Any

from secateur.api.accessors import get_fields, get_text, is_blank_text
from secateur.api.anthropic.walk import MessagesWalker
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


@rule(
    "A0",
    "a message has a known role and content; a block is an object with a type",
    "SDK types",
    no_repair="what was meant cannot be known",
)
def odd(history: MessagesWalker) -> Found:
    return history.odd


@rule("A0", "calls are in assistant messages, results in user messages", "SDK types")
def misplaced(history: MessagesWalker) -> Found:
    for path in history.rounds.misplaced:
        yield (
            path,
            "a call in a user message, or a result in an assistant message: move it to the other role, or remove it",
        )


@rule(
    "A0",
    "a block has the fields that its type requires",
    "SDK types",
    blocks=tuple(_WORDS),
    no_repair="an id or a name cannot be invented",
)
def fields_missing(block: Any, history: MessagesWalker) -> Found:
    for name in _WORDS[block["type"]]:
        if not isinstance(block.get(name), str):
            return [((), f"a {block['type']} block has no string in `{name}`: add one, or remove its round")]
    return ()


@rule(
    "A0",
    "images and documents have a source",
    "SDK types",
    blocks=("image", "document"),
    no_repair="its content is lost",
)
def source_missing(block: Any, history: MessagesWalker) -> Found:
    if isinstance(block.get("source"), dict):
        return ()
    return [((), f"a block of type {block['type']} has no `source`: add one, or replace it with a text")]


_REASONING = ("thinking", "redacted_thinking")


@rule("A50", "thinking is sent back with its signature or its data", "reported: codex2api #613", blocks=_REASONING)
def unsigned(block: Any, history: MessagesWalker) -> Found:
    name = "signature" if block["type"] == "thinking" else "data"
    if get_text(block.get(name)) or (name == "signature" and is_blank_text(get_text(block.get("thinking")))):
        return ()
    return [((), f"a block of type {block['type']} has no `{name}`: remove the block, it cannot be recreated")]


@rule(
    "A52",
    "with `thinking` enabled by a budget, the message that opens the last tool loop starts with thinking",
    "reported: opencode #3077",
    whole=True,
    no_repair="reasoning cannot be recreated",
)
def opener(history: MessagesWalker) -> Found:
    manual = get_fields(history.request.get("thinking")).get("type") == "enabled"
    if manual and history.turns.answering and history.turns.opener:
        path, first = history.turns.opener
        if first not in _REASONING:
            yield (
                path,
                "the last tool loop does not start with thinking: restore it, or disable `thinking` in this request",
            )


@rule("A53", "thinking has a text or a signature", "reported: litellm #41361, ccrelay #104", blocks=("thinking",))
def hollow(block: Any, history: MessagesWalker) -> Found:
    if is_blank_text(get_text(block.get("thinking"))) and not block.get("signature"):
        return [((), "a thinking block has neither a text nor a signature: remove it")]
    return ()
