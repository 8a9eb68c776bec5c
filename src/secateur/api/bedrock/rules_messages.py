"""Rules for messages: roles, ids, nothing empty, and each call with its result in the next message."""

import re
from typing import Any

from secateur.api.accessors import get_fields, get_items, get_text, is_blank_text
from secateur.api.bedrock.walk import ConverseWalker
from secateur.api.rule import Found, rule

_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}\Z")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_IN_RESULT = frozenset({"json", "text", "image", "document", "video", "searchResult"})


@rule(
    "B0",
    "a message has a known role, a block has one member",
    "botocore model",
    partly="only content that is not a list",
)
def odd(history: ConverseWalker) -> Found:
    return history.odd


@rule("B3", "user and assistant alternate", "reported")
def alternate(history: ConverseWalker) -> Found:
    spoken = [(number, role) for number, role in enumerate(history.roles) if role in ("user", "assistant")]
    for (_, before), (number, role) in zip(spoken, spoken[1:], strict=False):
        if role == before:
            yield (history.array, number), f"two {role} messages in a row: merge them"


@rule("B4", "the first message is a user message", "reported", whole=True)
def first(history: ConverseWalker) -> Found:
    if history.roles[:1] == ["assistant"]:
        yield (history.array, 0), "the conversation begins with the assistant: add a user message before it"


@rule("B5", "a request with calls or results has `toolConfig`", "reported", no_repair="tools belong to the caller")
def tool_config(history: ConverseWalker) -> Found:
    if history.given and history.tools_used and not history.request.get("toolConfig"):
        yield history.tools_used, "calls or results without `toolConfig`: send the tools"


@rule("B7", "an error result is not empty", "reported", blocks=("toolResult",))
def empty_error(value: Any, history: ConverseWalker) -> Found:
    result = get_fields(value)
    if result.get("status") != "error" or get_items(result.get("content")):
        return ()
    return [(("content",), "an error result has no content: give it a text")]


@rule("B8", "a message has content", "reported", blocks=("@message",))
def empty_message(message: Any, history: ConverseWalker) -> Found:
    return () if get_items(message.get("content")) else [((), "a message has no content: remove it, or give it a text")]


@rule("B8", "no text is blank", "reported", blocks=("text",))
def blank_text(value: Any, history: ConverseWalker) -> Found:
    return [((), "a text is blank: remove its block, or give it a text")] if is_blank_text(get_text(value)) else ()


@rule("B11", "ids are 1 to 64 letters, digits, _ . : and -, inputs are objects", "botocore model", blocks=("toolUse",))
def use(value: Any, history: ConverseWalker) -> Found:
    call = get_fields(value)
    if not _ID.match(get_text(call.get("toolUseId"))):
        text = "call id is not 1 to 64 characters of a-z A-Z 0-9 _ . : -: rename it here and in its result"
        return [(("toolUseId",), text)]
    if not isinstance(call.get("input"), dict) and _NAME.match(get_text(call.get("name"))):
        return [(("input",), "the input of a call is not an object: write it as one")]
    return ()


@rule(
    "B11",
    "tool names are 1 to 64 letters, digits, _ and -",
    "botocore model",
    blocks=("toolUse",),
    no_repair="the name must stay that of a tool of the request",
)
def tool_name(value: Any, history: ConverseWalker) -> Found:
    call = get_fields(value)
    if _NAME.match(get_text(call.get("name"))) or not _ID.match(get_text(call.get("toolUseId"))):
        return ()
    text = "tool name is not 1 to 64 characters of a-z A-Z 0-9 _ -: rename it here and in the tools"
    return [(("name",), text)]


@rule(
    "B13",
    "a result contains no cache point",
    "reported: gateway #1762; botocore model",
    blocks=("toolResult",),
    no_repair="where it was meant to be cannot be known",
)
def nested(value: Any, history: ConverseWalker) -> Found:
    blocks = get_items(get_fields(value).get("content"))
    names = [(at, name) for at, block in enumerate(blocks) if isinstance(block, dict) for name in block]
    return [
        (("content", at), f"a result contains a {str(name)[:40]}: move it behind the result")
        for at, name in names
        if name not in _IN_RESULT
    ]


@rule(
    "B16",
    "system texts are not empty, and there is at least one tool",
    "botocore model",
    no_repair="fields of the request belong to the caller",
)
def fixed(history: ConverseWalker) -> Found:
    for at, block in enumerate(get_items(history.request.get("system"))):
        if get_fields(block).get("text") == "":
            yield ("system", at), "a system text is empty: remove it"
    if get_fields(history.request.get("toolConfig")).get("tools") == []:
        yield ("toolConfig", "tools"), "`toolConfig` has no tools: add one, or remove the field"


@rule("B1", "each call has its result in the next message; the server's own tools in the same message", "reported")
def unanswered(history: ConverseWalker) -> Found:
    for path, id in history.calls.unanswered:
        text = f"call {id[:60]!r} has no result in the next message: add one, or remove its round"
        yield (*path, "toolUse"), text


@rule("B11", "each call of a message has an id of its own", "general knowledge (rule A4)", severity="warning")
def shared(history: ConverseWalker) -> Found:
    for path, id in history.shared:
        yield path, f"two calls of this message have the id {id[:60]!r}: give one another id, here and in its result"


@rule("B2", "each result answers a call of the message before", "reported")
def excess(history: ConverseWalker) -> Found:
    for path, id in (*history.calls.orphans, *history.calls.doubles):
        text = f"result {id[:60]!r} has no open call in the message before: remove it, or turn it into text"
        yield (*path, "toolResult"), text
