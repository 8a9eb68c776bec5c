"""The shape of chat messages: roles, ids, arguments, lengths."""

from typing import Any

from secateur.api.accessors import fields, word
from secateur.api.json_checks import is_json
from secateur.api.openai_chat.walk import Chat
from secateur.api.rule import Found, rule

ID = 64  # characters; reported: 40 on older deployments
CONTENT = 10_485_760  # characters
ARGUMENTS = 1_048_576  # characters


@rule("O0", "a message has a known role, a part a type, a call an id", "SDK types")
def odd(history: Chat) -> Found:
    return history.odd


@rule("O0", "user and system messages have a content", "SDK types", blocks=("@user", "@system", "@developer"))
def no_content(message: Any, history: Chat) -> Found:
    if isinstance(message.get("content"), str | list | tuple):
        return ()
    return [((), f"a {message['role']} message's content is neither text nor a list: give it one, or take it out")]


@rule("O3", "a result names its call, a legacy result its function", "reported", blocks=("@tool", "@function"))
def unnamed(message: Any, history: Chat) -> Found:
    name = "tool_call_id" if message["role"] == "tool" else "name"
    if word(message.get(name)):
        return ()
    return [((), f"a {message['role']} message has no `{name}`: give it that of its call, or make it a user text")]


@rule("O3", "ids have at most 64 characters", "reported", blocks=("@call",))
def long_id(call: Any, history: Chat) -> Found:
    if len(call["id"]) <= ID:
        return ()
    return [(("id",), f"a call id has {len(call['id']):,} characters, {ID} may be: shorten it here and in its result")]


@rule("O8", "`function.arguments` is a string that holds JSON", "SDK types", blocks=("@call",))
def arguments(call: Any, history: Chat) -> Found:
    function = call.get("function")
    if not isinstance(function, dict):
        return ()
    said = function.get("arguments")
    if not isinstance(said, str):
        return [(("function", "arguments"), f"arguments of {call['id'][:60]!r} are no string: write them as JSON text")]
    if said and not is_json(said):
        return [
            (("function", "arguments"), f"arguments of {call['id'][:60]!r} are no JSON: mend or empty them to {{}}")
        ]
    return ()


@rule("O8", "arguments are not empty", "some servers read them as JSON", blocks=("@call",), severity="warning")
def no_arguments(call: Any, history: Chat) -> Found:
    function = call.get("function")
    if not isinstance(function, dict) or function.get("arguments") != "":
        return ()
    return [(("function", "arguments"), f"arguments of {call['id'][:60]!r} are empty: write {{}}, which is JSON")]


@rule(
    "O10", "a content has at most 10,485,760 characters", "reported", blocks=("@user", "@tool", "@assistant", "@system")
)
def long_content(message: Any, history: Chat) -> Found:
    content = message.get("content")
    if not isinstance(content, str) or len(content) <= CONTENT:
        return ()
    return [(("content",), f"a content has {len(content):,} characters, {CONTENT:,} may be: cut it")]


@rule("O10", "arguments have at most 1,048,576 characters", "reported", blocks=("@call",))
def long_arguments(call: Any, history: Chat) -> Found:
    size = len(word(fields(call.get("function")).get("arguments")))
    if size <= ARGUMENTS:
        return ()
    return [
        (("function", "arguments"), f"arguments have {size:,} characters, {ARGUMENTS:,} may be: shorten their texts")
    ]


@rule("O12", "there are messages", "SDK types", whole=True)
def none(history: Chat) -> Found:
    if not history.messages:
        yield (history.array,), "there are no messages: send at least the user's"
