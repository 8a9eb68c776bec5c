"""Thinking blocks, as far as one body shows what is wrong with them."""

from typing import Any

from secateur.api.accessors import blank, fields, word
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule

_REASONING = ("thinking", "redacted_thinking")


@rule("A50", "thinking comes back with its signature or its data", "reported: codex2api #613", blocks=_REASONING)
def unsigned(block: Any, history: Messages) -> Found:
    name = "signature" if block["type"] == "thinking" else "data"
    if word(block.get(name)) or (name == "signature" and blank(word(block.get("thinking")))):
        return ()
    return [((), f"a block of type {block['type']} has no `{name}`: take the block out, it cannot be made again")]


@rule(
    "A52",
    "with `thinking` enabled by a budget, the message that opens the last tool loop starts with thinking",
    "reported: opencode #3077",
    whole=True,
)
def opener(history: Messages) -> Found:
    manual = fields(history.request.get("thinking")).get("type") == "enabled"
    if manual and history.turns.answering and history.turns.opener:
        path, first = history.turns.opener
        if first not in _REASONING:
            yield path, "the last tool loop does not start with thinking: bring it back, or disable `thinking` here"


@rule("A53", "thinking has a text or a signature", "reported: litellm #41361, ccrelay #104", blocks=("thinking",))
def hollow(block: Any, history: Messages) -> Found:
    if blank(word(block.get("thinking"))) and not block.get("signature"):
        return [((), "a thinking block has neither text nor signature: take it out")]
    return ()
