"""Servers that speak Chat Completions but take less of it, and models that want their reasoning back.

Rule: these hold under a profile only.
"""

import re
from collections.abc import Iterator
from typing import Any

from secateur.api.accessors import fields, items, word
from secateur.api.openai_chat.walk import Chat
from secateur.api.rule import Found, rule

_TEMPLATES = ("strict", "mistral")
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}\Z")


@rule("O13", "user and assistant alternate", "reported: the error of chat templates", profiles=_TEMPLATES)
def alternate(history: Chat) -> Found:
    before = ""
    for number, role in enumerate(history.roles):
        if role == "assistant" and number in history.calling:
            continue  # templates count those with the results
        if role in ("user", "assistant"):
            if role == before:
                yield (history.array, number), f"two {role} messages follow one another: make them one"
            before = role


@rule("O13", "no user message follows a result directly", "reported: the error of Mistral", profiles=("mistral",))
def after_tool(history: Chat) -> Found:
    for number in range(1, len(history.roles)):
        if history.roles[number - 1 : number + 1] == ["tool", "user"]:
            yield (history.array, number), "a user message follows a result: append its text to the last result"


@rule(
    "O13",
    "the last message is the user's or a result",
    "reported: the error of Mistral",
    profiles=("mistral",),
    whole=True,
    tail=True,
)
def last(history: Chat) -> Found:
    if history.roles[-1:] == ["assistant"] and len(history.roles) - 1 not in history.calling:
        yield (history.array, len(history.roles) - 1), "the assistant has the last word: end with a user message"


@rule(
    "O14",
    "calls come back with their `reasoning_content`",
    "reported: DeepSeek, Moonshot",
    profiles=("deepseek", "moonshot"),
)
def reasoning(history: Chat) -> Found:
    said = [word(fields(message).get("reasoning_content")) for message in history.messages]
    if not any(said) and fields(history.request.get("thinking")).get("type") != "enabled":
        return
    for number in sorted(history.calling):
        if not said[number]:
            yield (history.array, number), "calls without `reasoning_content`: bring it back, or take the round out"


@rule("O15", "call ids are nine letters or digits", "general knowledge", blocks=("@call",), profiles=("mistral",))
def mistral_id(call: Any, history: Chat) -> Found:
    if _MISTRAL_ID.match(call["id"]):
        return ()
    return [(("id",), f"call id {call['id'][:60]!r} is not nine of a-z A-Z 0-9: change it here and in its result")]


@rule(
    "O15",
    "contents of results and system messages are strings",
    "reported: vLLM",
    blocks=("@tool", "@system"),
    profiles=_TEMPLATES,
)
def listed(message: Any, history: Chat) -> Found:
    if isinstance(message.get("content"), list | tuple):
        return [(("content",), f"the content of a {message['role']} message is a list: make it one string")]
    return ()


@rule("O16", "the first call of each step keeps its thought signature", "docs of Gemini", profiles=("gemini",))
def signatures(history: Chat) -> Found:
    for number in _last_turn(history):
        call = fields(next(iter(items(history.messages[number].get("tool_calls"))), None))
        google = fields(fields(call.get("extra_content")).get("google"))
        if number in history.calling and not google.get("thought_signature"):
            yield (history.array, number, "tool_calls", 0), "a call has lost its thought signature: bring it back"


def _last_turn(history: Chat) -> Iterator[int]:
    """Numbers of the assistant messages behind the last user message."""
    start = max((n for n, role in enumerate(history.roles) if role == "user"), default=-1)
    return (n for n in range(start + 1, len(history.roles)) if history.roles[n] == "assistant")
