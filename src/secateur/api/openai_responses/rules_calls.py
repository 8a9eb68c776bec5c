"""Calls and outputs, reasoning and what it led to, approvals and requests."""

from typing import Any

from secateur.api.accessors import word
from secateur.api.openai_responses.walk import OUTPUTS, Responses
from secateur.api.rule import Found, rule

_INPUTS = frozenset({*OUTPUTS, "mcp_approval_response", "tool_search_output", "item_reference", ""})


@rule("R1", "each call has its output", "reported: OmniRoute #8946")
def unanswered(history: Responses) -> Found:
    for path, kind, id in history.calls.unanswered:
        yield path, f"{kind} {id[:60]!r} has no output: give it one, or take it out with its reasoning"


@rule("R2", "each output has its call before it", "reported: oh-my-pi #106")
def orphans(history: Responses) -> Found:
    for path, id in () if history.partial else history.calls.orphans:
        yield path, f"output {id[:60]!r} has no call before it: bring its call back, or make it a message"


@rule("R3", "reasoning is followed by the item it led to", "reported: the error names the item")
def alone(history: Responses) -> Found:
    for number, item in history.reasoning:
        after = next((n for n in range(number + 1, len(history.kinds)) if history.kinds[n] != "reasoning"), None)
        if word(item.get("id")) and not _said_by_model(history, after):
            yield (history.array, number), "reasoning without the item it led to: take it out, or bring that back"


@rule("R16", "an approval answers a request", "general knowledge", blocks=("mcp_approval_response",))
def approval(item: Any, history: Responses) -> Found:
    if history.partial or word(item.get("approval_request_id")) in history.approvals:
        return ()
    return [((), "an approval has no request before it: bring the request back, or take both out")]


def _said_by_model(history: Responses, number: int | None) -> bool:
    if number is None:
        return not history.ends
    if history.kinds[number] == "message":
        return history.role(number) == "assistant"
    return history.kinds[number] not in _INPUTS
