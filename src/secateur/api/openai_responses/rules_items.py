"""Rules for a Responses request: items and their ids, calls and outputs, reasoning, approvals, and fields."""

import re
from typing import Any

from secateur.api.openai_responses.walk import OUTPUTS, ResponsesWalker
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_items, get_text

ARGUMENTS = 1_048_576  # characters
OUTPUT = 10_485_760  # characters
_PARTS = ("input_text", "input_image", "input_file")  # a tuple: a type may be unhashable
_TEXTS = ("function_call_output", "custom_tool_call_output")
_NAMED = ("function_call", "custom_tool_call", *(kind for kind in OUTPUTS if kind != "local_shell_call_output"))

_INPUTS = frozenset({*OUTPUTS, "mcp_approval_response", "tool_search_output", "item_reference", ""})


@rule("R0", "an item has a type or a role", "SDK types", no_repair="what was meant cannot be known")
def odd(history: ResponsesWalker) -> Found:
    return history.odd


@rule(
    "R0",
    "calls and outputs have a `call_id`",
    "SDK types",
    blocks=_NAMED,
    no_repair="which call was meant cannot be known",
)
def unnamed(item: Any, history: ResponsesWalker) -> Found:
    if get_text(item.get("call_id")):
        return ()
    return [((), f"an item of type {item['type']} has no `call_id`: add that of its call")]


@rule("R9", "reasoning is sent back without `content`", "reported: codex-proxy-rs #200", blocks=("reasoning",))
def reasoning_content(item: Any, history: ResponsesWalker) -> Found:
    if get_items(item.get("content")):
        return [(("content",), "reasoning has `content`: remove the field")]
    return ()


@rule("R12", "an output is a text or a list of input parts", "SDK types", blocks=_TEXTS)
def output(item: Any, history: ResponsesWalker) -> Found:
    said = item.get("output")
    if isinstance(said, str):
        return ()
    if isinstance(said, list) and all(get_fields(part).get("type") in _PARTS for part in said):
        return ()
    return [(("output",), "an output is neither a string nor a list of input parts: write it as a string")]


@rule(
    "R12",
    "a shell output is a list of objects",
    "SDK types",
    blocks=("shell_call_output",),
    no_repair="how the command ended is lost",
)
def shell(item: Any, history: ResponsesWalker) -> Found:
    said = item.get("output")
    if isinstance(said, list) and all(isinstance(one, dict) for one in said):
        return ()
    return [(("output",), "a shell output is not a list of objects with stdout, stderr and outcome: write it as one")]


@rule(
    "R12",
    "a local shell output is a string of JSON",
    "SDK types",
    blocks=("local_shell_call_output",),
    no_repair="how the command ended is lost",
)
def local_shell(item: Any, history: ResponsesWalker) -> Found:
    if isinstance(item.get("output"), str):
        return ()
    return [(("output",), "a local shell output is not a string: write it as a string of JSON")]


@rule(
    "R12",
    "a computer output is a screenshot",
    "SDK types",
    blocks=("computer_call_output",),
    no_repair="a screenshot cannot be made from anything else",
)
def computer(item: Any, history: ResponsesWalker) -> Found:
    if get_fields(item.get("output")).get("type") == "computer_screenshot":
        return ()
    return [(("output",), "a computer output is not a screenshot: remove its round instead of rewriting it")]


@rule(
    "R14",
    "outputs have at most 10,485,760 characters",
    "reported",
    blocks=_TEXTS,
    no_repair="what to cut is the decision of a policy",
)
def long_output(item: Any, history: ResponsesWalker) -> Found:
    size = len(get_text(item.get("output")))
    return (
        [(("output",), f"output has {size:,} characters, the limit is {OUTPUT:,}: shorten it")] if size > OUTPUT else ()
    )


@rule(
    "R14",
    "arguments have at most 1,048,576 characters",
    "reported",
    blocks=("function_call",),
    no_repair="cut arguments would be another call",
)
def long_arguments(item: Any, history: ResponsesWalker) -> Found:
    size = len(get_text(item.get("arguments")))
    if size <= ARGUMENTS:
        return ()
    return [
        (("arguments",), f"arguments have {size:,} characters, the limit is {ARGUMENTS:,}: shorten the texts in them")
    ]


@rule(
    "R10",
    "a compaction trigger is the last item, and the only one",
    "reported: CLIProxyAPI #5516, billion-context #249",
    no_repair="whether to compact is the caller's decision",
)
def trigger(history: ResponsesWalker) -> Found:
    for number, kind in enumerate(history.kinds):
        if kind == "compaction_trigger" and (number < len(history.kinds) - 1 or not history.ends):
            yield (history.array, number), "a compaction trigger is not the last item: remove what follows it"


@rule(
    "R13",
    "history comes from a response or from a conversation",
    "reported",
    no_repair="fields of the request belong to the caller",
)
def one_source(history: ResponsesWalker) -> Found:
    if history.request.get("previous_response_id") and history.request.get("conversation"):
        yield ("previous_response_id",), "`previous_response_id` and `conversation` exclude each other: remove one"


@rule(
    "R15",
    "with `json_object` a message contains the word json",
    "general knowledge",
    whole=True,
    no_repair="prompts belong to the caller",
)
def word_json(history: ResponsesWalker) -> Found:
    if history.wants_json and not history.says_json and not history.partial and history.messages:
        yield ("text", "format"), "`json_object` is requested and no message contains the word json: add it to one"


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
_NAMED_CALLS = ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output")


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
    blocks=_NAMED_CALLS,
    no_repair="an id of the API itself is never that long",
)
def long_id(item: Any, history: ResponsesWalker) -> Found:
    size = len(get_text(item.get("call_id")))
    if size <= ID:
        return ()
    return [
        (("call_id",), f"call id has {size:,} characters, the limit is {ID}: shorten it in the call and its output")
    ]
