"""Repairs items: outputs, calls without an output, ids used twice, and reasoning that leads nowhere.

Rule: if the provider has a part of the history (`previous_response_id`, `conversation`), an output without a call
stays, because its call may be there. A computer call without an output becomes a
text, because only a screenshot would do.
"""

import json
from typing import Any

from secateur.api.editable import Node
from secateur.api.openai_responses.walk import OUTPUTS
from secateur.api.repair_run import NO_OUTPUT, NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacements import FreshIds, fix_arguments, flatten_text, write_heading
from secateur.formats.native import dump_canonical
from secateur.pairing import Pairing

_CALLS = {call: output for output, call in OUTPUTS.items()}
_PARTS = ("input_text", "input_image", "input_file")  # a tuple: a type may be unhashable
_TEXTS = ("function_call_output", "custom_tool_call_output")
_PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
_RENAMED = frozenset(  # a copy of these gets an id of its own, and its output with it
    {"function_call", "custom_tool_call", "shell_call", "apply_patch_call", *OUTPUTS, "item_reference", ""}
)
_INPUTS = frozenset({*OUTPUTS, "mcp_approval_response", "tool_search_output", "item_reference", ""})


def _get_kind(node: Node) -> str:
    kind = node.get("type")
    return kind if isinstance(kind, str) else "message" if isinstance(node.get("role"), str) else ""


def _name(node: Node) -> str:
    """The id that pairs a call with its output."""
    found = node.get("call_id") or node.get("id")
    return found if isinstance(found, str) else ""


@register_repair("L7", "R9", "R12")
def repair_items(repair: RepairRun) -> None:
    """Make arguments a string of JSON and outputs a text, and remove the content of reasoning."""
    for node in repair.nodes:
        _repair_item(repair, node)


def _repair_item(repair: RepairRun, node: Node) -> None:
    """Repair what is inside one item."""
    kind, output = _get_kind(node), node.get("output")
    if kind == "function_call" and (mended := fix_arguments(node.get("arguments"))) is not None:
        node.put(("arguments",), mended)
        repair.record(
            "L7", node, f"the arguments of call {quote(_name(node))} were not JSON and became a string of JSON"
        )
    elif kind == "reasoning" and node.get("content"):
        node.drop("content")
        repair.record("R9", node, "the content of reasoning was removed: the API does not accept it back")
    elif kind in _TEXTS and not isinstance(output, str) and not _is_parts(output):
        node.put(("output",), dump_canonical(output) if output is not None else NO_OUTPUT)
        repair.record("R12", node, "an output that was not a text became one")


def _is_parts(output: Any) -> bool:
    return isinstance(output, list) and all(isinstance(one, dict) and one.get("type") in _PARTS for one in output)


@register_repair("R5")
def remove_copies(repair: RepairRun) -> None:
    """Remove identical copies of items; for reasoning the same id is enough."""
    seen: dict[str, Any] = {}
    kept: list[Node] = []
    for node in repair.nodes:
        id_, kind = node.get("id"), _get_kind(node)
        if isinstance(id_, str) and kind not in _RENAMED and node.get("role") in ("assistant", None):
            first = seen.setdefault(id_, node.value)
            if first is not node.value and (kind == "reasoning" or first == node.value):
                repair.record("R5", node, f"an item of type {kind} that was a copy was removed")
                continue
        kept.append(node)
    repair.nodes = kept


@register_repair("R5", "R6")
def repair_ids(repair: RepairRun) -> None:
    """Remove item ids that are used twice or invalid, and give calls that share an open id their own."""
    seen: set[str] = set()
    for node in repair.nodes:
        id_, kind = node.get("id"), _get_kind(node)
        if kind in ("item_reference", "local_shell_call_output", "local_shell_call", "") or id_ is None:
            continue
        odd = not isinstance(id_, str) or not id_.startswith(_PREFIX.get(kind, "")) or len(id_) > 64
        if odd or id_ in seen:
            node.drop("id")
            repair.record("R6" if odd else "R5", node, f"the item id {quote(id_)} was removed")
        if isinstance(id_, str):
            seen.add(id_)
    _rename(repair)


def _rename(repair: RepairRun) -> None:
    fresh_ids = FreshIds(_name(node) for node in repair.nodes)
    new_ids: Pairing[str, None] = Pairing()
    for node in repair.nodes:
        kind, old = _get_kind(node), node.get("call_id")
        if not isinstance(old, str):
            continue
        if kind in _CALLS:
            new = fresh_ids.make(old) if new_ids.is_waiting((kind, old)) else old
            new_ids.add_call((kind, old), new)
            if new != old:
                repair.record(
                    "R5", node, f"the id {quote(old)} is already used: this call and its output are now {quote(new)}"
                )
        else:
            taken = new_ids.take((OUTPUTS.get(kind, ""), old))
            new = old if taken is None else taken
        if new != old:
            node.put(("call_id",), new)


@register_repair("R1", "R2")
def repair_pairs(repair: RepairRun) -> None:
    """Turn outputs without a call into messages, and add an output behind calls that have none."""
    answered = _find_answered(repair)
    known: set[tuple[str, str]] = set()
    nodes: list[Node] = []
    waiting: list[Node] = []
    for node in repair.nodes:
        kind = _get_kind(node)
        if kind not in _CALLS:
            nodes, waiting = nodes + waiting, []
        if kind in OUTPUTS and (OUTPUTS[kind], _name(node)) not in known and not repair.partial:
            nodes.append(_convert_orphan(repair, node))
            continue
        nodes.append(node)
        if kind in _CALLS:
            known.add((kind, _name(node)))
            waiting += _make_output(repair, node) if id(node) not in answered else []
    repair.nodes = nodes + waiting


def _find_answered(repair: RepairRun) -> set[int]:
    """The identities of the calls that have an output; an output answers the first open call with its id."""
    calls: Pairing[Node, Node] = Pairing()
    for node in repair.nodes:
        kind = _get_kind(node)
        if kind in _CALLS:
            calls.add_call((kind, _name(node)), node)
        else:
            calls.add_result((OUTPUTS.get(kind, ""), _name(node)), node)
    return {id(call) for call, _ in calls.matched}


def _make_output(repair: RepairRun, call: Node) -> list[Node]:
    kind, name = _get_kind(call), _name(call)
    head: dict[str, Any] = {"type": _CALLS[kind], "call_id": name}
    match kind:
        case "function_call" | "custom_tool_call":
            item = {**head, "output": NO_RESULT}
        case "shell_call":
            ended = {"stdout": "", "stderr": NO_RESULT, "outcome": {"type": "exit", "exit_code": 1}}
            item = {**head, "output": [ended]}
        case "local_shell_call":
            item = {"type": _CALLS[kind], "id": name, "output": json.dumps({"output": NO_RESULT})}
        case "apply_patch_call":
            item = {**head, "status": "failed", "output": NO_RESULT}
        case _:
            called = dump_canonical(call.get("actions") or call.get("action"))
            said = f"[call of the computer: {called}; its screenshot is not in this conversation]"
            call.put((), {"type": "message", "role": "assistant", "content": said})
            repair.record("R1", call, f"call {quote(name)} of the computer had no screenshot and became text")
            return []
    repair.record("R1", call, f"call {quote(name)} had no output: it now has one that says so")
    return [Node(item)]


def _convert_orphan(repair: RepairRun, node: Node) -> Node:
    """A user message that replaces an output without a call; its images and files stay parts."""
    output, name = node.get("output"), _name(node)
    repair.record("R2", node, f"the output of call {quote(name)} has no call and became a user message")
    parts = output if _is_parts(output) else []
    texts = [one for one in parts if one["type"] == "input_text"] if parts else output
    said = "\n".join(filter(None, (write_heading(name), flatten_text(texts))))
    path = (*(node.path or ()), "output")
    media = [Node(one, (*path, at)) for at, one in enumerate(parts) if one["type"] != "input_text"]
    head = Node({"type": "input_text", "text": said})
    return Node({"type": "message", "role": "user"}, inner=[head, *media], name="content", size=-1)


@register_repair("R3")
def remove_thoughts(repair: RepairRun) -> None:
    """Remove reasoning with an id that is not followed by an item of the model."""
    kept: list[Node] = []
    leads = False
    for node in reversed(repair.nodes):
        kind = _get_kind(node)
        if kind == "reasoning":
            if not leads and node.get("id"):
                repair.record("R3", node, "reasoning without the item that it led to was removed")
                continue
        else:
            leads = node.get("role") == "assistant" if kind == "message" else kind not in _INPUTS
        kept.append(node)
    repair.nodes = kept[::-1]
