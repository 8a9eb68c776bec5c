"""Vectors of the rules A: Messages."""

from base64 import b64encode
from struct import pack
from typing import Any

from rules.case import Case, assistant, user

SHORT, LONG = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
MODEL = "claude-opus-4-5"


def use(id: str = "a", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "read", "input": {}} | more


def result(id: str = "a", content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content} | more


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words} | more


def thought(words: str = "hm", signature: str = "c2ln") -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": signature}


def picture(width: int = 10, height: int = 10) -> dict[str, Any]:
    head = b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", width, height)
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": b64encode(head).decode()}}


def paper(cited: bool) -> dict[str, Any]:
    source = {"type": "text", "media_type": "text/plain", "data": "x"}
    return {"type": "document", "source": source, "citations": {"enabled": cited}}


def search(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}


def found(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": list(messages)} | more


def system(words: str = "be brief") -> dict[str, Any]:
    return {"role": "system", "content": words}


def compacted(**more: Any) -> dict[str, Any]:
    return {"type": "compaction", "content": "so far"} | more


READ = [{"name": "read", "input_schema": {}}]
ROUND = (user("go"), assistant(use()), user(result()))

CASES = [
    Case(rule="A0", breaks=[user("a"), {"role": "narrator", "content": "b"}], passes=[user("a"), user("b")]),
    Case(rule="A0", breaks=[user("a"), {"role": "user"}], passes=[user("a"), user("b")], at="messages.1"),
    Case(rule="A0", breaks=[user("a", {"text": "b"})], passes=[user("a", "b")], at="messages.0.content.1"),
    Case(rule="A0", breaks=[user("a", {"type": "text"})], passes=[user("a", "b")], at="messages.0.content.1"),
    Case(rule="A0", breaks=[user("a", {"type": "image", "url": "x"})], passes=[user("a", picture())]),
    Case(
        rule="A1",
        breaks=[*ROUND[:2], user("stop"), assistant("ok")],
        passes=[*ROUND[:2], user(result(), "stop"), assistant("ok")],
        at="messages.1.content.0",
    ),
    Case(rule="A1", breaks=[user("go"), assistant(use("a"), use("b")), user(result("b"))], passes=[*ROUND]),
    Case(
        rule="A2",
        breaks=[user("go"), assistant("hm"), user(result())],
        passes=[user("go"), assistant("hm"), assistant(use()), user(result())],
        at="messages.2.content.0",
    ),
    Case(
        rule="A3",
        breaks=[*ROUND[:2], user("look", result())],
        passes=[*ROUND[:2], user(result(), "look")],
        at="messages.2.content.1",
    ),
    Case(
        rule="A4",
        breaks=[*ROUND[:2], user(result(), result())],
        passes=[*ROUND[:2], user(result())],
        at="messages.2.content.1",
    ),
    Case(
        rule="A4",
        breaks=[*ROUND, assistant(use()), user(result())],
        passes=[*ROUND, assistant(use("b")), user(result("b"))],
        at="messages.3.content.0",
    ),
    Case(rule="A5", breaks=[user("go"), assistant(use("a.1")), user(result("a.1"))], passes=[*ROUND]),
    Case(rule="A5", breaks=[user("go"), assistant(use(name="r" * 201)), user(result())], passes=[*ROUND]),
    Case(
        rule="A5", breaks=body(*ROUND, tools=[{"name": "read me"}]), passes=body(*ROUND, tools=READ), at="tools.0.name"
    ),
    Case(rule="A6", breaks=[user("go"), assistant(use(input="{}")), user(result())], passes=[*ROUND]),
    Case(rule="A7", breaks=[assistant("hello"), user("hi")], passes=[assistant(compacted()), user("hi")]),
    Case(
        rule="A8",
        breaks=[user("go"), assistant(use(toolset_name="web")), user(result())],
        passes=[user("go"), assistant(use(toolset_name="web")), user(result(toolset_name="web"))],
    ),
    Case(
        rule="A9",
        breaks=[*ROUND[:2], user(result(content=[text("no"), picture()], is_error=True))],
        passes=[*ROUND[:2], user(result(content=[text("no"), picture()]))],
        at="messages.2.content.0.content.1",
    ),
    Case(
        rule="A10",
        breaks=[*ROUND[:2], system(), *ROUND[2:], assistant("ok")],
        passes=[*ROUND, system(), assistant("ok")],
    ),
    Case(rule="A11", breaks=[user("a", " \n")], passes=[user("a", "b")], at="messages.0.content.1"),
    Case(rule="A11", breaks=[user("\t"), assistant("a")], passes=[user("b"), assistant("a")]),
    Case(
        rule="A11", breaks=[*ROUND[:2], user(result(content=[text("")]))], passes=[*ROUND[:2], user(result(content=""))]
    ),
    Case(rule="A11", breaks=body(user("a"), system=[text("")]), passes=body(user("a"), system=[text("b")])),
    Case(rule="A12", breaks=[user("a"), user()], passes=[user("a"), assistant()], at="messages.1"),
    Case(rule="A13", breaks=[user("a"), assistant("b\n")], passes=[user("a"), assistant("b")]),
    Case(
        rule="A14",
        breaks=body(user("a"), assistant("b"), model="claude-opus-4-6"),
        passes=body(user("a"), assistant("b"), model="claude-opus-4-5"),
    ),
    Case(
        rule="A15", breaks=[user("a"), assistant(thought())], passes=[user("a"), assistant(thought()), assistant("b")]
    ),
    Case(
        rule="A15",
        breaks=[user("a"), assistant("b", thought()), user("c")],
        passes=[user("a"), assistant(thought(), "b"), user("c")],
        at="messages.1.content.1",
    ),
    Case(
        rule="A20",
        breaks=[user(*(text(str(n), cache_control=SHORT) for n in range(5)))],
        passes=[user(*(text(str(n), cache_control=SHORT) for n in range(4)))],
        at="messages.0.content.4",
    ),
    Case(
        rule="A21",
        breaks=body(user(text("a", cache_control=LONG)), tools=[{**READ[0], "cache_control": SHORT}]),
        passes=body(user(text("a", cache_control=SHORT)), tools=[{**READ[0], "cache_control": LONG}]),
        at="messages.0.content.0",
    ),
    Case(
        rule="A22",
        breaks=[user("a"), assistant(thought() | {"cache_control": SHORT}, "b")],
        passes=[user("a"), assistant(thought(), text("b", cache_control=SHORT))],
    ),
    Case(
        rule="A23",
        breaks=body(user(text("a", cache_control=LONG)), cache_control=SHORT),
        passes=body(user(text("a", cache_control=LONG)), cache_control=LONG),
    ),
    Case(
        rule="A23",
        breaks=body(user(*(text(str(n), cache_control=SHORT) for n in range(4))), cache_control=SHORT),
        passes=body(user(*(text(str(n), cache_control=SHORT) for n in range(3))), cache_control=SHORT),
        at="cache_control",
    ),
    Case(rule="A25", breaks=[user("x" * 32_000_000)], passes=[user("x" * 31_900_000)]),
    Case(
        rule="A26",
        breaks=[user(*[{"type": "image", "source": {"type": "url", "url": "u"}}] * 601)],
        passes=[user(*[{"type": "image", "source": {"type": "url", "url": "u"}}] * 600)],
    ),
    Case(rule="A27", breaks=[user(picture(8001))], passes=[user(picture(8000))]),
    Case(
        rule="A27",
        breaks=[user({"type": "image", "source": {"type": "base64", "data": "A" * 10_485_764}})],
        passes=[user({"type": "image", "source": {"type": "base64", "data": "A" * 10_485_760}})],
    ),
    Case(
        rule="A28",
        breaks=[*ROUND[:2], user(result(content=[picture(1, 2001)]), *[picture()] * 20)],
        passes=[*ROUND[:2], user(result(content=[picture(1, 2001)]), *[picture()] * 19)],
        at="messages.2.content.0.content.0",
    ),
    Case(rule="A29", breaks=[user(paper(True), paper(False))], passes=[user(paper(True), paper(True))]),
    Case(rule="A31", breaks=[system(), user("a")], passes=[user("a"), system()]),
    Case(
        rule="A31",
        breaks=[user("a"), assistant("b"), system()],
        passes=[user("a"), assistant(search(), found()), system()],
    ),
    Case(
        rule="A31",
        breaks=[user("a"), system(), user("b")],
        passes=[user("a"), system(), assistant("b")],
        at="messages.1",
    ),
    Case(
        rule="A32",
        breaks=body(*ROUND[:2], user(result(content=[{"type": "tool_reference", "tool_name": "edit"}])), tools=READ),
        passes=body(*ROUND[:2], user(result(content=[{"type": "tool_reference", "tool_name": "read"}])), tools=READ),
    ),
    Case(
        rule="A33",
        breaks=body(user("a"), tools=[READ[0] | {"defer_loading": True}]),
        passes=body(user("a"), tools=[READ[0] | {"defer_loading": True}, {"name": "find"}]),
    ),
    Case(
        rule="A33",
        breaks=body(user("a"), tools=READ, tool_choice={"type": "tool", "name": "edit"}),
        passes=body(user("a"), tools=READ, tool_choice={"type": "tool", "name": "read"}),
    ),
    Case(
        rule="A33",
        breaks=body(user("a"), tools=READ, tool_choice={"type": "any"}, model="claude-fable-5-1"),
        passes=body(user("a"), tools=READ, tool_choice={"type": "any"}, model="claude-fable-5"),
    ),
    Case(
        rule="A34", breaks=body(user("a"), assistant(search())), passes=body(user("a"), assistant(search()), tools=READ)
    ),
    Case(
        rule="A40",
        breaks=[user("a"), assistant(search(), found()), user("b"), assistant(found(), "c")],
        passes=[user("a"), assistant(search(), found()), user("b"), assistant("c")],
        at="messages.3.content.0",
    ),
    Case(
        rule="A41",
        breaks=[user("a"), assistant("b", search()), user("c")],
        passes=[user("a"), assistant("b", search(), found()), user("c")],
        at="messages.1.content.1",
    ),
    Case(
        rule="A50",
        breaks=[user("a"), assistant(thought("hm", ""), "b")],
        passes=[user("a"), assistant(thought("", "c2ln"), "b")],
    ),
    Case(
        rule="A52",
        breaks=body(*ROUND, thinking={"type": "enabled", "budget_tokens": 1024}),
        passes=body(
            ROUND[0], assistant(thought(), use()), ROUND[2], thinking={"type": "enabled", "budget_tokens": 1024}
        ),
        at="messages.1",
    ),
    Case(
        rule="A53", breaks=[user("a"), assistant(thought("", ""), "b")], passes=[user("a"), assistant(thought(), "b")]
    ),
    Case(
        rule="A57",
        breaks=body(user("a"), thinking={"type": "adaptive", "block_binding": {}}),
        passes=body(user("a"), thinking={"type": "adaptive", "block_binding": {}}),
        headers={"anthropic-beta": "compact-2026-01-12"},
        good_headers={"Anthropic-Beta": "compact-2026-01-12, thinking-binding-controls-2026-08-01"},
    ),
    Case(
        rule="A65",
        breaks=body(user("a"), context_management={"edits": []}),
        passes=body(user("a"), context_management={"edits": []}),
        headers={"anthropic-version": "2023-06-01"},
        good_headers={"anthropic-beta": "context-management-2025-06-27"},
    ),
    Case(
        rule="A66",
        breaks=body(user("a"), context_management={"edits": [{"type": "clear_thinking_20251015"}]}),
        passes=body(
            user("a"),
            context_management={"edits": [{"type": "clear_thinking_20251015"}]},
            thinking={"type": "adaptive"},
        ),
    ),
    Case(
        rule="A67",
        breaks=body(user("a"), compaction={"type": "summarize"}, stop_sequences=["x"]),
        passes=body(user("a"), compaction={"type": "summarize"}),
    ),
    Case(
        rule="A68",
        breaks=[user("a"), assistant(compacted(signature="c2ln"), "b")],
        passes=[assistant(compacted(signature="c2ln"), "b")],
    ),
    Case(
        rule="A69",
        breaks=[assistant(compacted(content="")), user("a")],
        passes=[assistant(compacted(content=None)), user("a")],
    ),
    Case(
        rule="A71",
        breaks=[user("a\ud83d")],
        passes=[user("a\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"))],
    ),
    Case(
        rule="A8",
        breaks=[
            user("go"),
            assistant(use(toolset_name="web")),
            user(result(content=[paper(False)], toolset_name="web")),
        ],
        passes=[user("go"), assistant(use(toolset_name="web")), user(result(content=[picture()], toolset_name="web"))],
    ),
    Case(
        rule="A66",
        breaks=body(
            user("a"),
            context_management={"edits": [{"type": "clear_tool_uses_20250919"}, {"type": "clear_thinking_20251015"}]},
            thinking={"type": "adaptive"},
        ),
        passes=body(
            user("a"),
            context_management={"edits": [{"type": "clear_thinking_20251015"}, {"type": "clear_tool_uses_20250919"}]},
            thinking={"type": "adaptive"},
        ),
        at="context_management.edits.1",
    ),
    Case(
        rule="A67",
        breaks=body(user("a"), compaction={"type": "summarize"}, tools=READ, tool_choice={"type": "any"}),
        passes=body(user("a"), compaction={"type": "summarize"}, tools=READ, tool_choice={"type": "auto"}),
        at="tool_choice",
    ),
    Case(
        rule="A68",
        breaks=[assistant(compacted(signature="c2ln", encrypted_content=None), "b")],
        passes=[assistant(compacted(signature="c2ln"), "b")],
    ),
    Case(rule="A0", breaks=[user("go"), assistant(use(id=3)), user(result(""))], passes=[*ROUND]),
    Case(rule="A20", breaks=[*ROUND[:2], user(result(content=[text("a", cache_control=SHORT)] * 5))], passes=[*ROUND]),
    Case(rule="A0", breaks=[user(use()), assistant("b")], passes=[*ROUND], at="messages.0.content.0"),
]
