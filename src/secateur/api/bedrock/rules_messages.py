"""The shape of Converse messages: unions, roles, ids, nothing empty."""

import re
from typing import Any

from secateur.api.accessors import blank, fields, items, word
from secateur.api.bedrock.walk import Converse
from secateur.api.rule import Found, rule

_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}\Z")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_IN_RESULT = frozenset({"json", "text", "image", "document", "video", "searchResult"})


@rule("B0", "a message has a known role, a block one member", "botocore model")
def odd(history: Converse) -> Found:
    return history.odd


@rule("B3", "user and assistant alternate", "reported")
def alternate(history: Converse) -> Found:
    spoken = [(number, role) for number, role in enumerate(history.roles) if role in ("user", "assistant")]
    for (_, before), (number, role) in zip(spoken, spoken[1:], strict=False):
        if role == before:
            yield (history.array, number), f"two {role} messages follow one another: make them one"


@rule("B4", "the first message is the user's", "reported", whole=True)
def first(history: Converse) -> Found:
    if history.roles[:1] == ["assistant"]:
        yield (history.array, 0), "the conversation begins with the assistant: begin it with a user message"


@rule("B5", "`toolConfig` stands in a request with calls or results", "reported")
def tool_config(history: Converse) -> Found:
    if history.given and history.tools_used and not history.request.get("toolConfig"):
        yield history.tools_used, "calls or results without `toolConfig`: send the tools with it"


@rule("B7", "the result of an error is not empty", "reported", blocks=("toolResult",))
def empty_error(value: Any, history: Converse) -> Found:
    if fields(value).get("status") == "error" and not items(fields(value).get("content")):
        return [(("content",), "the result of an error has no content: give it a text")]
    return ()


@rule("B8", "a message has content", "reported", blocks=("@message",))
def empty_message(message: Any, history: Converse) -> Found:
    return () if items(message.get("content")) else [((), "a message has no content: take it out, or give it a text")]


@rule("B8", "no text is blank", "reported", blocks=("text",))
def blank_text(value: Any, history: Converse) -> Found:
    return [((), "a text is blank: take its block out, or give it a text")] if blank(word(value)) else ()


@rule("B11", "ids and names have at most 64 sound signs, inputs are objects", "botocore model", blocks=("toolUse",))
def use(value: Any, history: Converse) -> Found:
    said = fields(value)
    if not _ID.match(word(said.get("toolUseId"))):
        return [(("toolUseId",), "a call id is not 1 to 64 of a-z A-Z 0-9 _ . : -: change it here and in its result")]
    if not _NAME.match(word(said.get("name"))):
        return [(("name",), "a tool name is not 1 to 64 of a-z A-Z 0-9 _ -: change it here and in the tools")]
    if not isinstance(said.get("input"), dict):
        return [(("input",), "a call's input is no object: write it as one")]
    return ()


@rule("B13", "a result holds no cache point", "reported: gateway #1762; botocore model", blocks=("toolResult",))
def nested(value: Any, history: Converse) -> Found:
    inner = enumerate(items(fields(value).get("content")))
    strange = [(at, name) for at, block in inner for name in fields(block) if name not in _IN_RESULT]
    return [(("content", at), f"a result holds a {str(name)[:40]}: put it behind the result") for at, name in strange]


@rule("B16", "system texts are not empty, tools are one at least", "botocore model")
def fixed(history: Converse) -> Found:
    for at, block in enumerate(items(history.request.get("system"))):
        if fields(block).get("text") == "":
            yield ("system", at), "a system text is empty: take it out"
    if fields(history.request.get("toolConfig")).get("tools") == []:
        yield ("toolConfig", "tools"), "`toolConfig` has no tools: name one, or leave the field out"
