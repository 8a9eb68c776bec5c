"""The shape of items: what each output may be, and lengths."""

from typing import Any

from secateur.api.accessors import fields, items, word
from secateur.api.openai_responses.walk import OUTPUTS, Responses
from secateur.api.rule import Found, rule

ARGUMENTS = 1_048_576  # characters
OUTPUT = 10_485_760  # characters
_PARTS = ("input_text", "input_image", "input_file")  # a tuple: a type may be unhashable
_TEXTS = ("function_call_output", "custom_tool_call_output")
_NAMED = ("function_call", "custom_tool_call", *(kind for kind in OUTPUTS if kind != "local_shell_call_output"))


@rule("R0", "an item has a type or a role", "SDK types")
def odd(history: Responses) -> Found:
    return history.odd


@rule("R0", "calls and outputs have a `call_id`", "SDK types", blocks=_NAMED)
def unnamed(item: Any, history: Responses) -> Found:
    if word(item.get("call_id")):
        return ()
    return [((), f"an item of type {item['type']} has no `call_id`: give it the one of its call")]


@rule("R9", "reasoning comes back without `content`", "reported: codex-proxy-rs #200", blocks=("reasoning",))
def reasoning_content(item: Any, history: Responses) -> Found:
    if items(item.get("content")):
        return [(("content",), "reasoning carries `content`: leave that field out")]
    return ()


@rule("R12", "an output is a text or a list of input parts", "SDK types", blocks=_TEXTS)
def output(item: Any, history: Responses) -> Found:
    said = item.get("output")
    if isinstance(said, str):
        return ()
    if isinstance(said, list) and all(fields(part).get("type") in _PARTS for part in said):
        return ()
    return [(("output",), "an output is neither a text nor a list of input parts: make it a text")]


@rule("R12", "a shell output is a list of objects", "SDK types", blocks=("shell_call_output",))
def shell(item: Any, history: Responses) -> Found:
    said = item.get("output")
    if isinstance(said, list) and all(isinstance(one, dict) for one in said):
        return ()
    return [(("output",), "a shell output is no list of objects with stdout, stderr and outcome: make it one")]


@rule("R12", "a local shell output is a text that holds JSON", "SDK types", blocks=("local_shell_call_output",))
def local_shell(item: Any, history: Responses) -> Found:
    if isinstance(item.get("output"), str):
        return ()
    return [(("output",), "a local shell output is no text: write it as JSON text")]


@rule("R12", "a computer output is a screenshot", "SDK types", blocks=("computer_call_output",))
def computer(item: Any, history: Responses) -> Found:
    if fields(item.get("output")).get("type") == "computer_screenshot":
        return ()
    return [(("output",), "a computer output is no screenshot: take its round out instead of rewriting it")]


@rule("R14", "outputs have at most 10,485,760 characters", "reported", blocks=_TEXTS)
def long_output(item: Any, history: Responses) -> Found:
    size = len(word(item.get("output")))
    return [(("output",), f"an output has {size:,} characters, {OUTPUT:,} may be: cut it")] if size > OUTPUT else ()


@rule("R14", "arguments have at most 1,048,576 characters", "reported", blocks=("function_call",))
def long_arguments(item: Any, history: Responses) -> Found:
    size = len(word(item.get("arguments")))
    if size <= ARGUMENTS:
        return ()
    return [(("arguments",), f"arguments have {size:,} characters, {ARGUMENTS:,} may be: shorten their texts")]
