"""Ids of items: none twice, each of its kind, and none that only a server could resolve."""

import re
from typing import Any

from secateur.api.accessors import word
from secateur.api.openai_responses.walk import Responses
from secateur.api.rule import Found, rule

ID = 64  # characters
_PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
_SIGNS = re.compile(r"[a-zA-Z0-9_-]+\Z")
_NAMED = ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output")


@rule("R5", "no id stands twice", "reported: vercel/ai #7883, hermes-agent #7939")
def twice(history: Responses) -> Found:
    for path, id in history.twice:
        yield path, f"item id {id[:60]!r} stands twice: take one of the items out"


@rule("R5", "calls that wait for their outputs have ids of their own", "general knowledge", severity="warning")
def shared(history: Responses) -> Found:
    for path, id in history.shared:
        yield path, f"two calls without an output so far have the id {id[:60]!r}: give one another, and its output too"


@rule(
    "R6",
    "ids begin as their type wants and have at most 64 sound signs",
    "reported: pi #7883, codex #33176",
    blocks=tuple(_PREFIX),
)
def prefix(item: Any, history: Responses) -> Found:
    id, wanted = item.get("id"), _PREFIX[item.get("type") or "message"]
    if id is None or (isinstance(id, str) and id.startswith(wanted) and len(id) <= ID and _SIGNS.match(id)):
        return ()
    return [(("id",), f"item id {str(id)[:60]!r} does not begin with {wanted} or is not sound: leave the id out")]


@rule("R7", "without `store`, nothing refers to what a server holds", "reported: the error names the item")
def unresolved(history: Responses) -> Found:
    if not history.stateless or history.held:
        return
    for number, kind in enumerate(history.kinds):
        if kind == "item_reference":
            yield (history.array, number), "an item is only referred to, and `store` is off: send the item itself"
    for number, item in history.reasoning:
        if word(item.get("id")) and not item.get("encrypted_content"):
            yield (history.array, number), "reasoning without `encrypted_content`, and `store` is off: take it out"


@rule("R14", "call ids have at most 64 characters", "reported", blocks=_NAMED)
def long_id(item: Any, history: Responses) -> Found:
    size = len(word(item.get("call_id")))
    if size <= ID:
        return ()
    return [(("call_id",), f"a call id has {size:,} characters, {ID} may be: shorten it here and at its other half")]
