"""Rules of servers that accept less of Chat Completions, and of models that need their reasoning back.

Rule: these apply under a profile only.
"""

import re
from collections.abc import Iterator
from typing import Any

from secateur.api.openai_chat.walk import ChatWalker
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_items, get_text

_TEMPLATES = ("strict", "mistral")
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}\Z")


@rule("O13", "user and assistant alternate", "reported: the error of chat templates", profiles=_TEMPLATES)
def alternate(history: ChatWalker) -> Found:
    before = ""
    for number, role in enumerate(history.roles):
        if role == "assistant" and number in history.calling:
            continue  # templates count these with the results
        if role in ("user", "assistant"):
            if role == before:
                yield (history.array, number), f"two {role} messages in a row: merge them"
            before = role


@rule("O13", "no user message follows a result directly", "reported: the error of Mistral", profiles=("mistral",))
def after_tool(history: ChatWalker) -> Found:
    for number in range(1, len(history.roles)):
        if history.roles[number - 1 : number + 1] == ["tool", "user"]:
            yield (history.array, number), "a user message directly follows a result: append its text to the result"


@rule(
    "O13",
    "the last message is a user message or a result",
    "reported: the error of Mistral",
    profiles=("mistral",),
    whole=True,
    tail=True,
)
def last(history: ChatWalker) -> Found:
    if history.roles[-1:] == ["assistant"] and len(history.roles) - 1 not in history.calling:
        yield (history.array, len(history.roles) - 1), "the history ends with the assistant: end it with a user message"


@rule(
    "O14",
    "calls are sent back with their `reasoning_content`",
    "reported: DeepSeek, Moonshot",
    profiles=("deepseek", "moonshot"),
    no_repair="reasoning cannot be recreated",
)
def reasoning(history: ChatWalker) -> Found:
    said = [get_text(get_fields(message).get("reasoning_content")) for message in history.messages]
    if not any(said) and get_fields(history.request.get("thinking")).get("type") != "enabled":
        return
    for number in sorted(history.calling):
        if not said[number]:
            yield (history.array, number), "calls without `reasoning_content`: restore it, or remove the round"


@rule("O15", "call ids are nine letters or digits", "general knowledge", blocks=("@call",), profiles=("mistral",))
def mistral_id(call: Any, history: ChatWalker) -> Found:
    if _MISTRAL_ID.match(call["id"]):
        return ()
    return [
        (
            ("id",),
            f"call id {call['id'][:60]!r} is not nine characters of a-z A-Z 0-9: rename it here and in its result",
        )
    ]


@rule(
    "O15",
    "contents of results and system messages are strings",
    "reported: vLLM",
    blocks=("@tool", "@system"),
    profiles=_TEMPLATES,
)
def listed(message: Any, history: ChatWalker) -> Found:
    if isinstance(message.get("content"), list | tuple):
        return [(("content",), f"the content of a {message['role']} message is a list: join it to one string")]
    return ()


@rule(
    "O16",
    "the first call of each step keeps its thought signature",
    "docs of Gemini",
    profiles=("gemini",),
    no_repair="a signature cannot be recreated",
)
def signatures(history: ChatWalker) -> Found:
    for number in _find_last_turn(history):
        call = get_fields(next(iter(get_items(history.messages[number].get("tool_calls"))), None))
        google = get_fields(get_fields(call.get("extra_content")).get("google"))
        if number in history.calling and not google.get("thought_signature"):
            yield (history.array, number, "tool_calls", 0), "a call has lost its thought signature: restore it"


def _find_last_turn(history: ChatWalker) -> Iterator[int]:
    """Return the numbers of the assistant messages after the last user message."""
    start = max((n for n, role in enumerate(history.roles) if role == "user"), default=-1)
    return (n for n in range(start + 1, len(history.roles)) if history.roles[n] == "assistant")
