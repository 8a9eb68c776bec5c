"""Rules for single items and their lengths, and for fields of the request."""

from typing import Any

from secateur.api.accessors import get_fields, get_items, get_text
from secateur.api.openai_responses.walk import OUTPUTS, ResponsesWalker
from secateur.api.rule import Found, rule

ARGUMENTS = 1_048_576  # characters
OUTPUT = 10_485_760  # characters
_PARTS = ("input_text", "input_image", "input_file")  # a tuple: a type may be unhashable
_TEXTS = ("function_call_output", "custom_tool_call_output")
_NAMED = ("function_call", "custom_tool_call", *(kind for kind in OUTPUTS if kind != "local_shell_call_output"))


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
