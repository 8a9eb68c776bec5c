"""Vectors of the rules B: Converse."""

from typing import Any

from rules.case import Case

TOOLS = {"toolConfig": {"tools": [{"toolSpec": {"name": "read"}}]}}
POINT = {"cachePoint": {"type": "default"}}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": one} if isinstance(one, str) else one for one in blocks]}


def assistant(*blocks: Any) -> dict[str, Any]:
    return user(*blocks) | {"role": "assistant"}


def use(id: str = "a", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "read", "input": {}} | more}


def result(id: str = "a", *blocks: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": list(blocks) or [{"text": "ok"}]} | more}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages)} | TOOLS | more


def paper(name: str = "report", **more: Any) -> dict[str, Any]:
    return {"document": {"name": name, "format": "pdf", "source": {"bytes": "AA=="}} | more}


def picture(data: Any = "AA==") -> dict[str, Any]:
    return {"image": {"format": "png", "source": {"bytes": data}}}


ROUND = (user("go"), assistant(use()), user(result()))
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
WIDE = "iVBORw0KGgoAAAANSUhEUgAAH0EAAAAB"  # the head of a PNG of 8001 by 1

CASES = [
    Case(rule="B0", breaks=[user("a"), {"role": "tool", "content": []}], passes=[user("a")], at="messages.1"),
    Case(rule="B0", breaks=[user({"text": "a", "image": {}})], passes=[user("a")], at="messages.0.content.0"),
    Case(
        rule="B1",
        breaks=body(user("go"), assistant(use(), use("b")), user(result())),
        passes=body(user("go"), assistant(use(), use("b")), user(result(), result("b"))),
        at="messages.1.content.1.toolUse",
    ),
    Case(
        rule="B1",
        breaks=body(user("go"), assistant(use(type="server_tool_use"), "so"), user("on")),
        passes=body(user("go"), assistant(use(type="server_tool_use"), result(type="found"), "so"), user("on")),
        at="messages.1.content.0.toolUse",
    ),
    Case(
        rule="B2",
        breaks=body(user("go"), assistant(result(), use()), user(result())),
        passes=body(user("go"), assistant(use("b"), result("b"), use()), user(result())),
        at="messages.1.content.0.toolResult",
    ),
    Case(
        rule="B2",
        breaks=body(user("go"), assistant("hm"), user(result())),
        passes=body(*ROUND),
        at="messages.2.content.0.toolResult",
    ),
    Case(rule="B2", breaks=body(*ROUND[:2], user(result(), result())), passes=body(*ROUND)),
    Case(rule="B3", breaks=[user("a"), user("b")], passes=[user("a", "b")], at="messages.1"),
    Case(rule="B4", breaks=[assistant("a"), user("b")], passes=[user("b")], at="messages.0"),
    Case(rule="B5", breaks=[*ROUND], passes=body(*ROUND), at="messages.1.content.0"),
    Case(
        rule="B7",
        breaks=body(*ROUND[:2], user({"toolResult": {"toolUseId": "a", "content": [], "status": "error"}})),
        passes=body(*ROUND[:2], user(result(status="error"))),
    ),
    Case(rule="B8", breaks=[user("a"), assistant(), user("b")], passes=[user("a"), assistant("c"), user("b")]),
    Case(rule="B8", breaks=[user("a", " ")], passes=[user("a", "b")], at="messages.0.content.1.text"),
    Case(rule="B9", breaks=[user(paper())], passes=[user(paper(), "read this")]),
    Case(rule="B9", breaks=[user(paper(), paper(), "a")], passes=[user(paper(), paper("report 2"), "a")]),
    Case(
        rule="B9",
        breaks=[user(*(paper(f"report {n}") for n in range(6)), "a")],
        passes=[user(*(paper(f"report {n}") for n in range(5)), "a")],
    ),
    Case(rule="B10", breaks=[user("a"), assistant(picture())], passes=[user("a", picture())]),
    Case(rule="B10", breaks=[user(*[picture()] * 21)], passes=[user(*[picture()] * 20)]),
    Case(rule="B10", breaks=[user(picture(WIDE))], passes=[user(picture(b"\x89PNG"))]),
    Case(
        rule="B11",
        breaks=body(user("go"), assistant(use("a" * 65)), user(result("a" * 65))),
        passes=body(user("go"), assistant(use("a" * 64)), user(result("a" * 64))),
    ),
    Case(rule="B11", breaks=body(ROUND[0], assistant(use(input="{}")), ROUND[2]), passes=body(*ROUND)),
    Case(
        rule="B11",
        breaks=body(user("go"), assistant(use("a"), use("a")), user(result("a"))),
        passes=body(user("go"), assistant(use("a"), use("b")), user(result("a"), result("b"))),
    ),
    Case(
        rule="B12",
        breaks=[user("a"), assistant(THOUGHT, POINT, "b")],
        passes=[user("a"), assistant(THOUGHT, "b", POINT)],
    ),
    Case(
        rule="B13",
        breaks=body(*ROUND[:2], user(result("a", {"text": "ok"}, POINT))),
        passes=body(*ROUND[:2], user(result(), POINT)),
        at="messages.2.content.0.toolResult.content.1",
    ),
    Case(
        rule="B14",
        breaks=[user("a", paper(format="txt"), POINT)],
        passes=[user("a", paper(format="pdf"), POINT)],
    ),
    Case(
        rule="B14",
        breaks=body(user("a", POINT, "b", POINT, "c", POINT), system=[{"text": "x"}, POINT, POINT]),
        passes=body(user("a", POINT, "b", POINT, "c", POINT), system=[{"text": "x"}, POINT]),
    ),
    Case(rule="B16", breaks=body(user("a"), system=[{"text": ""}]), passes=body(user("a"), system=[{"text": "x"}])),
    Case(rule="B16", breaks=body(user("a"), toolConfig={"tools": []}), passes=body(user("a"))),
    Case(rule="A71", breaks=[user("a\ud83d")], passes=[user("a\ufffd")]),
    Case(rule="B10", breaks=[user(picture("A" * 5_000_004))], passes=[user(picture("A" * 5_000_000))]),
    Case(rule="B11", breaks=body(ROUND[0], assistant(use(name="read me")), ROUND[2]), passes=body(*ROUND)),
]
