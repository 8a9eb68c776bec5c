"""Rules for messages: roles, ids, arguments, lengths, media, and results directly behind their calls."""

from typing import Any

from secateur.api.json_checks import is_json
from secateur.api.openai_chat.walk import ChatWalker
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_text

ID = 64  # characters; reported: 40 on older deployments
CONTENT = 10_485_760  # characters
ARGUMENTS = 1_048_576  # characters


@rule(
    "O0",
    "a message has a known role, a part has a type, a call has an id",
    "SDK types",
    no_repair="what was meant cannot be known",
)
def odd(history: ChatWalker) -> Found:
    return history.odd


@rule(
    "O0",
    "user and system messages have a content",
    "SDK types",
    blocks=("@user", "@system", "@developer"),
    no_repair="the content is lost",
)
def no_content(message: Any, history: ChatWalker) -> Found:
    if isinstance(message.get("content"), str | list | tuple):
        return ()
    return [((), f"a {message['role']} message's content is neither text nor a list: add one, or remove it")]


@rule("O3", "a result names its call, a legacy result its function", "reported", blocks=("@tool", "@function"))
def unnamed(message: Any, history: ChatWalker) -> Found:
    name = "tool_call_id" if message["role"] == "tool" else "name"
    if get_text(message.get(name)):
        return ()
    return [
        ((), f"a {message['role']} message has no `{name}`: add that of its call, or turn the message into a user text")
    ]


@rule(
    "O3",
    "ids have at most 64 characters",
    "reported",
    blocks=("@call",),
    no_repair="ids are renamed for the servers that require it only",
)
def long_id(call: Any, history: ChatWalker) -> Found:
    if len(call["id"]) <= ID:
        return ()
    return [
        (("id",), f"call id has {len(call['id']):,} characters, the limit is {ID}: shorten it here and in its result")
    ]


@rule("O8", "`function.arguments` is a string of JSON", "SDK types", blocks=("@call",))
def arguments(call: Any, history: ChatWalker) -> Found:
    function = call.get("function")
    if not isinstance(function, dict):
        return ()
    said = function.get("arguments")
    if not isinstance(said, str):
        return [
            (
                ("function", "arguments"),
                f"arguments of {call['id'][:60]!r} are not a string: write them as a string of JSON",
            )
        ]
    if said and not is_json(said):
        return [
            (
                ("function", "arguments"),
                f"arguments of {call['id'][:60]!r} are not JSON: correct them, or replace them with {{}}",
            )
        ]
    return ()


@rule("O8", "arguments are not empty", "some servers read them as JSON", blocks=("@call",), severity="warning")
def no_arguments(call: Any, history: ChatWalker) -> Found:
    function = call.get("function")
    if not isinstance(function, dict) or function.get("arguments") != "":
        return ()
    return [(("function", "arguments"), f"arguments of {call['id'][:60]!r} are empty: write {{}}")]


@rule(
    "O10",
    "a content has at most 10,485,760 characters",
    "reported",
    blocks=("@user", "@tool", "@assistant", "@system"),
    no_repair="what to cut is the decision of a policy",
)
def long_content(message: Any, history: ChatWalker) -> Found:
    content = message.get("content")
    if not isinstance(content, str) or len(content) <= CONTENT:
        return ()
    return [(("content",), f"content has {len(content):,} characters, the limit is {CONTENT:,}: shorten it")]


@rule(
    "O10",
    "arguments have at most 1,048,576 characters",
    "reported",
    blocks=("@call",),
    no_repair="cut arguments would be another call",
)
def long_arguments(call: Any, history: ChatWalker) -> Found:
    size = len(get_text(get_fields(call.get("function")).get("arguments")))
    if size <= ARGUMENTS:
        return ()
    return [
        (
            ("function", "arguments"),
            f"arguments have {size:,} characters, the limit is {ARGUMENTS:,}: shorten the texts in them",
        )
    ]


@rule("O12", "there are messages", "SDK types", whole=True, no_repair="there is nothing to send")
def none(history: ChatWalker) -> Found:
    if not history.messages:
        yield (history.array,), "there are no messages: send at least one user message"


@rule("O1", "each result answers a call of the assistant message before it", "reported: the error names its role")
def orphans(history: ChatWalker) -> Found:
    for path, id in history.calls.orphans:
        yield (
            path,
            f"result {id[:60]!r} has no call in the assistant message before: restore the call, or turn it into text",
        )


@rule("O2", "each call has its result before any other message", "reported: the error lists the ids")
def unanswered(history: ChatWalker) -> Found:
    for path, id in history.calls.unanswered:
        yield path, f"call {id[:60]!r} has no result: add one directly after it, or remove its round"


@rule("O4", "an id belongs to one call and one result", "general knowledge")
def doubles(history: ChatWalker) -> Found:
    for path, id in (*history.calls.doubles, *history.repeated):
        yield path, f"id {id[:60]!r} is used twice in a round: keep one, or give each call an id of its own"


@rule("O5", "`tool_calls` is not empty", "general knowledge", blocks=("@assistant",))
def no_calls(message: Any, history: ChatWalker) -> Found:
    if message.get("tool_calls", True) in ([], ()):
        return [(("tool_calls",), "`tool_calls` is an empty list: remove the field")]
    return ()


_INSTEAD = ("tool_calls", "function_call", "refusal", "audio")


@rule(
    "O6",
    "an assistant message without content has calls, a refusal or audio",
    "general knowledge",
    blocks=("@assistant",),
)
def silent(message: Any, history: ChatWalker) -> Found:
    if message.get("content") is not None or any(message.get(name) is not None for name in _INSTEAD):
        return ()
    return [((), "an assistant message has neither content nor calls: give it a text, or remove it")]


@rule("O7", "images, audio and files are in user messages only", "SDK types")
def media(history: ChatWalker) -> Found:
    for path, kind, role in history.media:
        if role != "user" and kind in ("image_url", "input_audio", "file"):
            yield path, f"a part of type {kind} is in a {role} message: replace it with a text"


@rule(
    "O9",
    "with `json_object` a message contains the word json",
    "general knowledge",
    whole=True,
    no_repair="prompts belong to the caller",
)
def word_json(history: ChatWalker) -> Found:
    if history.wants_json and not history.says_json:
        yield ("response_format",), "`json_object` is requested and no message contains the word json: add it to one"
