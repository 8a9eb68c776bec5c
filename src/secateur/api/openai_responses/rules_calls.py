"""Rules for calls and outputs, reasoning and what it led to, approvals, and the ids of items."""

import re
from typing import Any

from secateur.api.accessors import get_text
from secateur.api.openai_responses.walk import OUTPUTS, ResponsesWalker
from secateur.api.rule import Found, rule

_INPUTS = frozenset({*OUTPUTS, "mcp_approval_response", "tool_search_output", "item_reference", ""})


@rule("R1", "each call has its output", "reported: OmniRoute #8946")
def unanswered(history: ResponsesWalker) -> Found:
    for path, kind, id in history.calls.unanswered:
        yield path, f"{kind} {id[:60]!r} has no output: add one, or remove it with its reasoning"


@rule("R2", "each output has its call before it", "reported: oh-my-pi #106")
def orphans(history: ResponsesWalker) -> Found:
    for path, id in () if history.partial else history.calls.orphans:
        yield path, f"output {id[:60]!r} has no call before it: restore the call, or turn the output into a message"


@rule("R3", "reasoning is followed by the item that it led to", "reported: the error names the item")
def alone(history: ResponsesWalker) -> Found:
    for number, item in history.reasoning:
        after = next((n for n in range(number + 1, len(history.kinds)) if history.kinds[n] != "reasoning"), None)
        if get_text(item.get("id")) and not _is_model_output(history, after):
            yield (history.array, number), "reasoning without the item that it led to: remove it, or restore that item"


@rule(
    "R16",
    "an approval answers a request",
    "general knowledge",
    blocks=("mcp_approval_response",),
    no_repair="an approval cannot be invented",
)
def approval(item: Any, history: ResponsesWalker) -> Found:
    if history.partial or get_text(item.get("approval_request_id")) in history.approvals:
        return ()
    return [((), "an approval has no request before it: restore the request, or remove both")]


def _is_model_output(history: ResponsesWalker, number: int | None) -> bool:
    if number is None:
        return not history.ends
    if history.kinds[number] == "message":
        return history.get_role(number) == "assistant"
    return history.kinds[number] not in _INPUTS


ID = 64  # characters
_PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
_SIGNS = re.compile(r"[a-zA-Z0-9_-]+\Z")
_NAMED = ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output")


@rule("R5", "no id is used twice", "reported: vercel/ai #7883, hermes-agent #7939")
def twice(history: ResponsesWalker) -> Found:
    for path, id in history.twice:
        yield path, f"item id {id[:60]!r} is used twice: remove one of the items"


@rule("R5", "calls without an output so far have ids of their own", "general knowledge", severity="warning")
def shared(history: ResponsesWalker) -> Found:
    for path, id in history.shared:
        yield path, f"two calls without an output so far have the id {id[:60]!r}: give one another, and its output too"


@rule(
    "R6",
    "ids have the prefix of their type and at most 64 valid characters",
    "reported: pi #7883, codex #33176",
    blocks=tuple(_PREFIX),
)
def prefix(item: Any, history: ResponsesWalker) -> Found:
    id, wanted = item.get("id"), _PREFIX[item.get("type") or "message"]
    if id is None or (isinstance(id, str) and id.startswith(wanted) and len(id) <= ID and _SIGNS.match(id)):
        return ()
    return [
        (("id",), f"item id {str(id)[:60]!r} does not begin with {wanted} or has invalid characters: remove the id")
    ]


@rule(
    "R7",
    "without `store`, nothing refers to an item that only the provider has",
    "reported: the error names the item",
    no_repair="the item is at the provider",
)
def unresolved(history: ResponsesWalker) -> Found:
    if not history.stateless or history.held:
        return
    for number, kind in enumerate(history.kinds):
        if kind == "item_reference":
            yield (history.array, number), "an item is only a reference, and `store` is off: send the item itself"
    for number, item in history.reasoning:
        if get_text(item.get("id")) and not item.get("encrypted_content"):
            yield (history.array, number), "reasoning without `encrypted_content`, and `store` is off: remove it"


@rule(
    "R14",
    "call ids have at most 64 characters",
    "reported",
    blocks=_NAMED,
    no_repair="an id of the API itself is never that long",
)
def long_id(item: Any, history: ResponsesWalker) -> Found:
    size = len(get_text(item.get("call_id")))
    if size <= ID:
        return ()
    return [
        (("call_id",), f"call id has {size:,} characters, the limit is {ID}: shorten it in the call and its output")
    ]
