"""Calls and results: results stand directly behind their calls, one each."""

from typing import Any

from secateur.api.openai_chat.walk import Chat
from secateur.api.rule import Found, rule


@rule("O1", "each result answers a call of the assistant message before it", "reported: the error names its role")
def orphans(history: Chat) -> Found:
    for path, id in history.calls.orphans:
        yield path, f"result {id[:60]!r} has no call in the assistant message before: bring it back, or make it a text"


@rule("O2", "each call has its result before anybody else speaks", "reported: the error lists the ids")
def unanswered(history: Chat) -> Found:
    for path, id in history.calls.unanswered:
        yield path, f"call {id[:60]!r} has no result behind it: give it one, or take its round out"


@rule("O4", "one call and one result under an id", "general knowledge")
def doubles(history: Chat) -> Found:
    for path, id in (*history.calls.doubles, *history.repeated):
        yield path, f"id {id[:60]!r} stands twice in a round: keep one, or give each call an id of its own"


@rule("O5", "`tool_calls` is not empty", "general knowledge", blocks=("@assistant",))
def no_calls(message: Any, history: Chat) -> Found:
    if message.get("tool_calls", True) in ([], ()):
        return [(("tool_calls",), "`tool_calls` is an empty list: take the field out")]
    return ()
