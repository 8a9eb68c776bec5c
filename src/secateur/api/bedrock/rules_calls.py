"""Calls and results in neighbouring messages."""

from secateur.api.bedrock.walk import Converse
from secateur.api.rule import Found, rule


@rule("B1", "each call has its result in the next message, a server's own in the same one", "reported")
def unanswered(history: Converse) -> Found:
    for path, id in history.calls.unanswered:
        text = f"call {id[:60]!r} has no result in the next message: give it one, or take its round out"
        yield (*path, "toolUse"), text


@rule("B11", "each call of a message has an id of its own", "general knowledge (rule A4)", severity="warning")
def shared(history: Converse) -> Found:
    for path, id in history.shared:
        yield path, f"two calls of this message have the id {id[:60]!r}: give one another id, here and in its result"


@rule("B2", "there is no result without a call in the message before", "reported")
def excess(history: Converse) -> Found:
    for path, id in (*history.calls.orphans, *history.calls.doubles):
        text = f"result {id[:60]!r} has no call left in the message before: take it out, or make it a text"
        yield (*path, "toolResult"), text
