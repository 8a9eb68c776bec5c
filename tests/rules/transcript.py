"""Vectors of the rules L: transcripts of any host."""

from typing import Any

from rules.case import Case
from secateur.model import Message, Part


def say(role: Any, *parts: Part) -> Message:
    return Message(role, (), parts)


def text(words: str) -> Part:
    return Part("text", (), words)


def call(id: str = "a", arguments: str = "{}") -> Part:
    return Part("tool_call", (), arguments, "read", id)


def result(id: str = "a", words: str = "ok") -> Message:
    return say("tool", Part("tool_result", (), words, "read", id))


GO, ON = say("user", text("go")), say("user", text("on"))
DONE = say("assistant", text("done"))

CASES = [
    Case(rule="L1", breaks=[GO, say("assistant", call()), ON], passes=[GO, say("assistant", call()), result()]),
    Case(
        rule="L1",
        breaks=[GO, say("assistant", call(), call("b")), result("b"), DONE],
        passes=[GO, say("assistant", call(), call("b")), result("b"), result("a"), DONE],
    ),
    Case(rule="L10", breaks=[GO, say("assistant", call())], passes=[GO, say("assistant", call()), result()]),
    Case(
        rule="L1",
        breaks=[GO, say("assistant", call("")), ON],
        passes=[GO, say("assistant", Part("tool_call", (0, "content"), "submit", "submit", pinned=True)), ON],
    ),
    Case(rule="L2", breaks=[GO, DONE, result()], passes=[GO, say("assistant", call("")), result("")]),
    Case(
        rule="L3",
        breaks=[GO, say("assistant", call()), result(), result()],
        passes=[GO, say("assistant", call()), result(), say("assistant", call()), result()],
    ),
    Case(
        rule="L4",
        breaks=[GO, say("assistant", call()), ON, result()],
        passes=[GO, say("assistant", call()), result(), ON],
    ),
    Case(rule="L5", breaks=[DONE, GO], passes=[say("system", text("be brief")), GO, DONE]),
    Case(rule="L6", breaks=[say("user", text(" "))], passes=[GO]),
    Case(
        rule="L7",
        breaks=[GO, say("assistant", call("a", '{"path": "READ')), result()],
        passes=[GO, say("assistant", call("a", "*** Begin Patch")), result()],
    ),
    Case(rule="L8", breaks=[GO, say("assistant", text("a\ud83d"))], passes=[GO, say("assistant", text("a\ufffd"))]),
    Case(rule="L9", breaks=[GO, say("assistant")], passes=[GO]),
]
