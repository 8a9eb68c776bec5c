"""Vectors of the rules O: Chat Completions."""

from typing import Any

from rules.case import Case, assistant, user

JSON = {"response_format": {"type": "json_object"}}


def call(id: str = "a", arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "read", "arguments": arguments}} | more


def calls(*made: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(made)} | more


def result(id: str = "a", content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content} | more


def system(content: Any = "be brief") -> dict[str, Any]:
    return {"role": "system", "content": content}


def signed(id: str) -> dict[str, Any]:
    return call(id, extra_content={"google": {"thought_signature": "c2ln"}})


PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
NINE = "abcdefgh1"
ROUND = (user("go"), calls(call()), result())

CASES = [
    Case(rule="O0", breaks=[user("a"), {"role": "narrator", "content": "b"}], passes=[user("a"), user("b")]),
    Case(rule="O0", breaks=[user({"text": "a"})], passes=[user("a")], at="messages.0.content.0"),
    Case(rule="O0", breaks=[user("go"), calls({"function": {}})], passes=[*ROUND], at="messages.1.tool_calls.0"),
    Case(rule="O0", breaks=[{"role": "user", "content": None}], passes=[user("a")], at="messages.0"),
    Case(rule="O1", breaks=[user("go"), assistant("hm"), result()], passes=[*ROUND], at="messages.2"),
    Case(
        rule="O2",
        breaks=[user("go"), calls(call("a"), call("b")), result("a"), user("and?")],
        passes=[user("go"), calls(call("a"), call("b")), result("a"), result("b"), user("and?")],
        at="messages.1.tool_calls.1",
    ),
    Case(rule="O2", breaks=[user("go"), calls(call())], passes=[*ROUND]),
    Case(
        rule="O3",
        breaks=[user("go"), {"role": "tool", "content": "ok"}],
        passes=[*ROUND],
        at="messages.1",
    ),
    Case(
        rule="O3",
        breaks=[user("go"), calls(call("a" * 65)), result("a" * 65)],
        passes=[user("go"), calls(call("a" * 64)), result("a" * 64)],
    ),
    Case(rule="O4", breaks=[*ROUND, result()], passes=[*ROUND, calls(call()), result()], at="messages.3"),
    Case(
        rule="O4", breaks=[user("go"), calls(call(), call()), result()], passes=[*ROUND], at="messages.1.tool_calls.1"
    ),
    Case(rule="O5", breaks=[user("a"), calls(content="b")], passes=[user("a"), assistant("b")]),
    Case(rule="O6", breaks=[user("a"), {"role": "assistant", "content": None}], passes=[*ROUND]),
    Case(rule="O7", breaks=[*ROUND[:2], result(content=[PICTURE])], passes=[*ROUND, user(PICTURE)]),
    Case(rule="O8", breaks=[user("go"), calls(call(arguments={})), result()], passes=[*ROUND]),
    Case(
        rule="O8",
        breaks=[user("go"), calls(call(arguments='{"text": "abc...[truncated]')), result()],
        passes=[user("go"), calls(call(arguments='{"text": "abc...[truncated]"}')), result()],
        at="messages.1.tool_calls.0.function.arguments",
    ),
    Case(
        rule="O8",
        breaks=[user("go"), calls(call(arguments="")), result()],
        passes=[*ROUND],
        at="messages.1.tool_calls.0.function.arguments",
    ),
    Case(
        rule="O9",
        breaks={"messages": [user("list them")], **JSON},
        passes={"messages": [system([{"type": "text", "text": "answer in JSON"}]), user("list them")], **JSON},
        at="response_format",
    ),
    Case(rule="O10", breaks=[user("x" * 10_485_761)], passes=[user("x" * 10_485_760)]),
    Case(
        rule="O10",
        breaks=[user("go"), calls(call(arguments=f'"{"x" * 1_048_575}"')), result()],
        passes=[user("go"), calls(call(arguments=f'"{"x" * 1_048_574}"')), result()],
    ),
    Case(rule="O12", breaks=[], passes=[user("a")], at="messages"),
    Case(
        rule="O13",
        profile="strict",
        breaks=[user("a"), assistant("b"), user("c"), user("d")],
        passes=[user("a"), calls(call()), result(), assistant("b"), user("c")],
        at="messages.3",
    ),
    Case(
        rule="O13",
        profile="mistral",
        breaks=[user("a"), calls(call(NINE)), result(NINE), user("b")],
        passes=[user("a"), calls(call(NINE)), result(NINE), assistant("ok"), user("b")],
    ),
    Case(
        rule="O13", profile="mistral", breaks=[user("a"), assistant("b")], passes=[user("a"), assistant("b"), user("c")]
    ),
    Case(
        rule="O14",
        profile="deepseek",
        breaks={"messages": [*ROUND], "thinking": {"type": "enabled"}},
        passes={
            "messages": [user("go"), calls(call(), reasoning_content="hm"), result()],
            "thinking": {"type": "enabled"},
        },
        at="messages.1",
    ),
    Case(
        rule="O15",
        profile="mistral",
        breaks=[user("go"), calls(call("call_1")), result("call_1")],
        passes=[user("go"), calls(call(NINE)), result(NINE)],
    ),
    Case(
        rule="O15",
        profile="strict",
        breaks=[system([{"type": "text", "text": "be brief"}]), user("a")],
        passes=[system("be brief"), user("a")],
    ),
    Case(
        rule="O16",
        profile="gemini",
        breaks=[*ROUND, user("on"), calls(call("b")), result("b")],
        passes=[*ROUND, user("on"), calls(signed("b"), call("c")), result("b"), result("c")],
        at="messages.4.tool_calls.0",
    ),
    Case(rule="A71", breaks=[user("a\udc00")], passes=[user("a\ufffd")]),
]
