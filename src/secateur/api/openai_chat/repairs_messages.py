"""Chat messages that are refused for what they hold: no content, empty lists of calls, arguments that are not JSON.

Rules O3-O6 and O8. Content that is none is named as such; arguments become what `arguments` makes of them.
"""

from typing import Any

from secateur.api.call_arguments import arguments_of
from secateur.api.editable import Node
from secateur.api.fresh_ids import Names
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, Work, quoted
from secateur.pairing import Pairing

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SAYS = ("refusal", "audio", "function_call")  # what an assistant may have instead of content


def calls_of(node: Node) -> list[dict[str, Any]]:
    """The calls of an assistant message that can be paired."""
    found = node.get("tool_calls") if node.role == "assistant" else None
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []


def mend_content(work: Work) -> None:
    """Mend content and arguments."""
    for node in work.nodes:
        if not isinstance(node.value, dict) or node.role not in _ROLES:
            continue  # nobody knows what it is
        if "tool_calls" in node.value and node.get("tool_calls") in (None, []):
            node.drop("tool_calls")
            work.say("O5", node, "an empty `tool_calls` was taken out")
        for number, call in enumerate(calls_of(node) and node.get("tool_calls")):
            _mend_arguments(work, node, number, call)
        _mend_nothing(work, node)


def _mend_arguments(work: Work, node: Node, number: int, call: Any) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return  # a custom tool's call: its input is any text
    mended = arguments_of(function.get("arguments"))
    if mended is not None:
        path = ("tool_calls", number, "function", "arguments")
        node.put(path, mended)
        kept = "now stand under `_raw`" if "_raw" in mended else "became a string of JSON"
        work.say("O8", node, f"the arguments of call {quoted(call.get('id'))} were no JSON and {kept}", path)


def _mend_nothing(work: Work, node: Node) -> None:
    """Content that is null, missing or an empty list, where that is refused (O6)."""
    content = node.get("content")
    silent = node.role == "assistant" and (calls_of(node) or any(node.get(name) for name in _SAYS))
    if content in (None, []) and not silent:
        said = NO_OUTPUT if node.role in ("tool", "function") else NO_CONTENT
        node.put(("content",), said)
        work.say("O6", node, f"a message without content now reads {said}")


def mend_calls(work: Work) -> None:
    """Ids: one for each call of a message (O4), and none missing from a result (O3)."""
    names = Names(
        name for node in work.nodes for name in (node.get("tool_call_id"), *(call.get("id") for call in calls_of(node)))
    )
    for number, node in enumerate(work.nodes):
        if calls_of(node):
            answers = []
            for other in work.nodes[number + 1 :]:
                if other.role != "tool":
                    break
                answers.append(other)
            _mend_round(work, node, answers, names)


def _mend_round(work: Work, node: Node, answers: list[Node], names: Names) -> None:
    new_ids: Pairing[str, None] = Pairing()
    seen: set[str] = set()
    for number, call in enumerate(node.get("tool_calls")):
        if not isinstance(call, dict):
            continue
        old = call.get("id")
        new = old if isinstance(old, str) and old and old not in seen else names.fresh(old)
        if new != old:
            path = ("tool_calls", number, "id")
            node.put(path, new)
            rule, why = ("O4", "was taken") if old else ("O3", "is none")
            work.say(rule, node, f"the id {quoted(old)} {why}: this call and its result are now {new!r}", path)
        seen.add(new)
        new_ids.add_call(repr(old), new)
    for answer in answers:
        _follow(work, answer, new_ids)


def _follow(work: Work, answer: Node, new_ids: Pairing[str, None]) -> None:
    """A result takes the next call that had its id; one without an id takes the next call of all."""
    old = answer.get("tool_call_id")
    new = new_ids.take(repr(old))
    if new is None and not isinstance(old, str):
        new = new_ids.take_any()
        if new is not None:
            work.say("O3", answer, f"a result without an id was given that of call {quoted(new)}")
    if new is not None and new != old:
        answer.put(("tool_call_id",), new)
