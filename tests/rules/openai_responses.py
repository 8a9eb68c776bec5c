"""Vectors of the rules R: Responses."""

from typing import Any

from rules.case import Case

JSON = {"text": {"format": {"type": "json_object"}}}


def said(words: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": words} | more


def call(id: str = "a", /, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"} | more


def output(id: str = "a", /, text: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": text} | more


def reasoning(id: str = "rs_1", **more: Any) -> dict[str, Any]:
    return {"type": "reasoning", "id": id, "summary": []} | more


def shell(kind: str, result: Any) -> list[dict[str, Any]]:
    return [said("go"), {"type": kind, "call_id": "a"}, {"type": f"{kind}_output", "call_id": "a", "output": result}]


def stored(*items: Any, **more: Any) -> dict[str, Any]:
    return {"input": list(items)} | more


SHOT = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AA=="}
ASKED = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "x", "arguments": "{}", "server_label": "y"}
GRANTED = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
TRIGGER = {"type": "compaction_trigger"}

CASES = [
    Case(rule="R0", breaks=[said("a"), {"content": "b"}], passes=[said("a"), said("b")], at="input.1"),
    Case(
        rule="R0",
        breaks=[said("a"), call(call_id=None), output(call_id=None)],
        passes=[said("a"), call(), output()],
    ),
    Case(
        rule="R1", breaks=[said("a"), call(), said("b")], passes=[said("a"), call(), output(), said("b")], at="input.1"
    ),
    Case(rule="R2", breaks=[said("a"), output()], passes=stored(output(), previous_response_id="resp_1"), at="input.1"),
    Case(
        rule="R3",
        breaks=[said("a"), reasoning(), said("b")],
        passes=[said("a"), reasoning(), said("ok", "assistant"), said("b")],
        at="input.1",
    ),
    Case(rule="R3", breaks=[said("a"), reasoning()], passes=[said("a"), reasoning(), call(), output()], at="input.1"),
    Case(
        rule="R5",
        breaks=[said("a"), call("a", id="fc_1"), output("a"), call("b", id="fc_1"), output("b")],
        passes=[said("a"), call("a", id="fc_1"), output("a"), call("b", id="fc_2"), output("b")],
        at="input.3",
    ),
    Case(
        rule="R5",
        breaks=[said("a"), call("a"), call("a"), output("a")],
        passes=[said("a"), call("a"), output("a"), call("a"), output("a")],
        at="input.2",
    ),
    Case(
        rule="R6",
        breaks=[said("a"), call(id="item_1"), output()],
        passes=[said("a"), call(id="fc_1"), output()],
        at="input.1.id",
    ),
    Case(
        rule="R6",
        breaks=[said("a", id="msg_" + "a" * 61)],
        passes=[said("a", id="msg_" + "a" * 60)],
    ),
    Case(
        rule="R7",
        breaks=stored(said("a"), {"type": "item_reference", "id": "msg_1"}, store=False),
        passes=stored(said("a"), {"type": "item_reference", "id": "msg_1"}, store=True),
    ),
    Case(
        rule="R7",
        breaks=stored(said("a"), reasoning(), call(), output(), store=False),
        passes=stored(said("a"), reasoning(encrypted_content="c2ln"), call(), output(), store=False),
    ),
    Case(
        rule="R9",
        breaks=[reasoning(content=[{"type": "reasoning_text", "text": "hm"}]), said("b", "assistant"), said("c")],
        passes=[reasoning(content=[]), said("b", "assistant"), said("c")],
    ),
    Case(rule="R10", breaks=[said("a"), TRIGGER, said("b")], passes=[said("a"), said("b"), TRIGGER], at="input.1"),
    Case(rule="R12", breaks=[said("a"), call(), output(text=None)], passes=[said("a"), call(), output(text="")]),
    Case(
        rule="R12",
        breaks=[said("a"), call(), output(text=[{"type": "text", "text": "ok"}])],
        passes=[said("a"), call(), output(text=[{"type": "input_text", "text": "ok"}])],
        at="input.2.output",
    ),
    Case(
        rule="R12",
        breaks=shell("shell_call", "ok"),
        passes=shell("shell_call", [{"stdout": "ok", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]),
    ),
    Case(
        rule="R12",
        breaks=shell("local_shell_call", {"output": "ok"}),
        passes=shell("local_shell_call", '{"output": "ok"}'),
    ),
    Case(rule="R12", breaks=shell("computer_call", "[cleared]"), passes=shell("computer_call", SHOT)),
    Case(
        rule="R13",
        breaks=stored(said("a"), previous_response_id="resp_1", conversation="conv_1"),
        passes=stored(said("a"), conversation="conv_1"),
    ),
    Case(
        rule="R14",
        breaks=[said("a"), call(), output(text="x" * 10_485_761)],
        passes=[said("a"), call(), output(text="x" * 10_485_760)],
    ),
    Case(
        rule="R14",
        breaks=[said("a"), call(arguments="x" * 1_048_577), output()],
        passes=[said("a"), call(arguments="x" * 1_048_576), output()],
    ),
    Case(
        rule="R14",
        breaks=[said("a"), call("a" * 65), output("a" * 65)],
        passes=[said("a"), call("a" * 64), output("a" * 64)],
    ),
    Case(
        rule="R15",
        breaks=stored(said("list them"), **JSON),
        passes=stored(said("list them as json"), **JSON),
        at="text.format",
    ),
    Case(rule="R16", breaks=[said("a"), GRANTED], passes=[said("a"), ASKED, GRANTED], at="input.1"),
    Case(rule="A71", breaks=[said("a\ud83d")], passes=[said("a\ufffd")], at="input.0.content"),
]
