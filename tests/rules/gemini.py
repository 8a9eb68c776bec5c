"""Vectors of the rules G: generateContent."""

from typing import Any

from rules.case import Case


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": one} if isinstance(one, str) else one for one in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return user(*parts) | {"role": "model"}


def call(name: str = "read", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}}} | more


def response(name: str = "read", said: Any = None) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "ok"} if said is None else said}}


def named(name: str, id: str, kind: str = "Call") -> dict[str, Any]:
    more = {"args": {}} if kind == "Call" else {"response": {}}
    return {f"function{kind}": {"id": id, "name": name} | more}


def body(*contents: Any, **more: Any) -> dict[str, Any]:
    return {"contents": list(contents)} | more


SIGNED = {"thoughtSignature": "c2ln"}
CODE = {"executableCode": {"language": "PYTHON", "code": "1"}}
RAN = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
GEMINI_3 = {"model": "gemini-3-pro-preview"}

CASES = [
    Case(rule="G0", breaks=[user("a"), "b"], passes=[user("a"), model("b")], at="contents.1"),
    Case(
        rule="G1",
        breaks=[model(call()), user(response())],
        passes=[user("a"), model(call()), user(response())],
        at="contents.0",
    ),
    Case(
        rule="G2",
        breaks=[user("a"), model("b"), user(response())],
        passes=[user("a"), model(call()), user(response())],
        at="contents.2.parts.0",
    ),
    Case(
        rule="G3",
        breaks=[user("a"), model(call(), call("list")), user(response())],
        passes=[user("a"), model(call(), call("list")), user(response(), response("list"))],
        at="contents.1.parts.0",
    ),
    Case(rule="G3", breaks=[user("a"), model(call()), user("b")], passes=[user("a"), model("c"), user("b")]),
    Case(
        rule="G4",
        breaks=[user("a"), model(call()), user(response(said="[cleared]"))],
        passes=[user("a"), model(call()), user(response(said={"output": "[cleared]"}))],
        at="contents.2.parts.0.functionResponse",
    ),
    Case(rule="G5", breaks=[user("a"), model(), user("b")], passes=[user("a"), model("c"), user("b")], at="contents.1"),
    Case(rule="G5", breaks=[], passes=[user("a")], at="contents"),
    *(
        Case(
            rule="G5",
            breaks=[user("a"), model(""), user("b")],
            passes=[user("a"), model({"text": "", "thought_signature": "c2ln"}), user("b")],
            at="contents.1.parts.0",
            profile=profile,
        )
        for profile in (None, "vertex")
    ),
    Case(rule="G6", breaks=[user("a"), user("b") | {"role": "assistant"}], passes=[user("a"), model("b")]),
    Case(rule="G6", breaks=[user("a"), model(call())], passes=[user("a"), model("b")], at="contents.1"),
    Case(rule="G7", breaks=[user({"text": "a", "inlineData": {}})], passes=[user("a", {"inlineData": {}})]),
    Case(
        rule="G10",
        breaks=body(user("a"), model(call(**SIGNED)), user(response()), model(call()), user(response()), **GEMINI_3),
        passes=body(
            user("a"), model(call()), user(response()), user("b"), model(call(**SIGNED)), user(response()), **GEMINI_3
        ),
        at="contents.3.parts.0",
    ),
    Case(
        rule="G12",
        breaks=body(user("a"), cachedContent="cachedContents/1", tools=[{"functionDeclarations": []}]),
        passes=body(user("a"), cachedContent="cachedContents/1"),
    ),
    Case(
        rule="G12",
        breaks=body(user("a"), cached_content="cachedContents/1", system_instruction={"parts": []}),
        passes=body(user("a"), system_instruction={"parts": []}),
    ),
    Case(
        rule="G13",
        breaks=[user("a"), model(RAN, "b")],
        passes=[user("a"), model(CODE, RAN, "b")],
        at="contents.1.parts.0",
    ),
    Case(rule="G14", breaks=[user("x" * 100_000_000)], passes=[user("x" * 99_900_000)]),
    Case(rule="A71", breaks=[user("a\ud83d")], passes=[user("a\ufffd")], at="contents.0.parts.0.text"),
    Case(
        rule="G7",
        breaks=[user("a", {"text": "b", "fileData": {"fileUri": "u"}})],
        passes=[user("a", {"fileData": {"fileUri": "u"}}), model("b")],
        at="contents.0.parts.1",
    ),
    Case(
        rule="G7",
        breaks=[user("a", {"text": "b"} | {"function_response": {"name": "read", "response": {}}})],
        passes=[user("a", {"text": "b", "function_response": None})],
        at="contents.0.parts.1",
    ),
    Case(
        rule="G7",
        breaks=[user("a", {"thought": True, "text": None})],
        passes=[user("a"), model({"thoughtSignature": "c2ln"}, {"newer": {}})],
        at="contents.0.parts.1",
    ),
    Case(
        rule="G0",
        breaks=[user("a"), model(call() | {"functionCall": {"name": "read", "args": "{}"}}), user(response())],
        passes=[user("a"), model(call() | {"functionCall": {"name": "read"}}), user(response())],
        at="contents.1.parts.0.functionCall",
    ),
    Case(rule="G0", breaks=[user({"text": 3})], passes=[user("3")], at="contents.0.parts.0"),
    Case(rule="G1", breaks=[user("a", call())], passes=[user("a", "[call of read]")], at="contents.0.parts.1"),
    Case(
        rule="G3",
        breaks=[user("a"), model(call()), user(response(""))],
        passes=[user("a"), model(call()), user(response())],
    ),
    Case(
        rule="G3",
        breaks=[user("a"), model(call(), call("list")), user(response("list"), response("grep"))],
        passes=[user("a"), model(call(), call("list")), user(response("list"), response())],
        at="contents.2.parts.1",
    ),
    Case(
        rule="G3",
        breaks=[user("a"), model(named("read", "1")), user(named("list", "1", "Response"))],
        passes=[user("a"), model(named("read", "1"), call()), user(response(), named("read", "1", "Response"))],
        at="contents.2.parts.0",
    ),
    Case(
        rule="G3",
        breaks=[user("a"), model(call(), call("list")), user(response()), user(response("list"))],
        passes=[user("a"), model(call(), call("list")), user(response(), response("list")), user("b")],
        at="contents.3.parts.0",
    ),
    Case(rule="G6", breaks=[model("a")], passes=[user("a"), model("a")], at="contents.0"),
    Case(rule="G0", breaks=[user("a", 3)], passes=[user("a", "b")], at="contents.0.parts.1"),
]
