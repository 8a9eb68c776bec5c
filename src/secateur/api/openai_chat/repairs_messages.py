"""Repairs single messages: missing content, empty lists of calls, arguments that are not JSON, missing ids.

Rule: missing content is replaced with a text that says so.
"""

from typing import Any

from secateur.api.call_arguments import fix_arguments
from secateur.api.editable import Node
from secateur.api.fresh_ids import FreshIds
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, RepairRun, quote, register_repair
from secateur.pairing import Pairing

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SAYS = ("refusal", "audio", "function_call")  # what an assistant may have instead of content


def get_calls(node: Node) -> list[dict[str, Any]]:
    """The calls of an assistant message that can be paired."""
    found = node.get("tool_calls") if node.role == "assistant" else None
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []


@register_repair("O5", "O6", "O8")
def repair_content(repair: RepairRun) -> None:
    """Give empty messages a text, and make arguments a string of JSON."""
    for node in repair.nodes:
        if not isinstance(node.value, dict) or node.role not in _ROLES:
            continue  # what it is cannot be known
        if "tool_calls" in node.value and node.get("tool_calls") in (None, []):
            node.drop("tool_calls")
            repair.record("O5", node, "an empty `tool_calls` was removed")
        for number, call in enumerate(get_calls(node) and node.get("tool_calls")):
            _repair_arguments(repair, node, number, call)
        _repair_nothing(repair, node)


def _repair_arguments(repair: RepairRun, node: Node, number: int, call: Any) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return  # a custom tool's call: its input is any text
    mended = fix_arguments(function.get("arguments"))
    if mended is not None:
        path = ("tool_calls", number, "function", "arguments")
        node.put(path, mended)
        kept = "are now under `_raw`" if "_raw" in mended else "became a string of JSON"
        repair.record("O8", node, f"the arguments of call {quote(call.get('id'))} were not JSON and {kept}", path)


def _repair_nothing(repair: RepairRun, node: Node) -> None:
    """Content that is null, missing or an empty list where this is rejected (O6)."""
    content = node.get("content")
    silent = node.role == "assistant" and (get_calls(node) or any(node.get(name) for name in _SAYS))
    if content in (None, []) and not silent:
        said = NO_OUTPUT if node.role in ("tool", "function") else NO_CONTENT
        node.put(("content",), said)
        repair.record("O6", node, f"a message without content now reads {said}")


@register_repair("O3", "O4")
def repair_ids(repair: RepairRun) -> None:
    """Give each call of a message an id of its own, and each result the id of its call."""
    fresh_ids = FreshIds(
        name
        for node in repair.nodes
        for name in (node.get("tool_call_id"), *(call.get("id") for call in get_calls(node)))
    )
    for number, node in enumerate(repair.nodes):
        if get_calls(node):
            answers = []
            for other in repair.nodes[number + 1 :]:
                if other.role != "tool":
                    break
                answers.append(other)
            _repair_round(repair, node, answers, fresh_ids)


def _repair_round(repair: RepairRun, node: Node, answers: list[Node], fresh_ids: FreshIds) -> None:
    new_ids: Pairing[str, None] = Pairing()
    seen: set[str] = set()
    for number, call in enumerate(node.get("tool_calls")):
        if not isinstance(call, dict):
            continue
        old = call.get("id")
        new = old if isinstance(old, str) and old and old not in seen else fresh_ids.make(old)
        if new != old:
            path = ("tool_calls", number, "id")
            node.put(path, new)
            rule, why = ("O4", "is already used") if old else ("O3", "is none")
            repair.record(rule, node, f"the id {quote(old)} {why}: this call and its result are now {new!r}", path)
        seen.add(new)
        new_ids.add_call(repr(old), new)
    for answer in answers:
        _follow(repair, answer, new_ids)


def _follow(repair: RepairRun, answer: Node, new_ids: Pairing[str, None]) -> None:
    """A result takes the next call that had its id; one without an id takes the next call of all."""
    old = answer.get("tool_call_id")
    new = new_ids.take(repr(old))
    if new is None and not isinstance(old, str):
        new = new_ids.take_any()
        if new is not None:
            repair.record("O3", answer, f"a result without an id was given that of call {quote(new)}")
    if new is not None and new != old:
        answer.put(("tool_call_id",), new)
