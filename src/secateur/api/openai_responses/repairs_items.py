"""A Responses request, mended item by item: outputs, their calls, ids that stand twice, reasoning that leads nowhere.

Rules R1-R3, R5, R6, R9, R12. Where the server holds a part of the history (`previous_response_id`, `conversation`) an
output without a call is no orphan: its call may be there. A call of the computer that has no output becomes a text:
only a screenshot would do.
"""

import json
from typing import Any

from secateur.api.call_arguments import arguments_of
from secateur.api.editable import Node
from secateur.api.fresh_ids import Names
from secateur.api.openai_responses.walk import OUTPUTS
from secateur.api.repair_run import NO_OUTPUT, NO_RESULT, Work, quoted
from secateur.api.replacement_texts import flat, heading
from secateur.formats.native import canonical
from secateur.pairing import Pairing

BLOCKS = ""  # items are mended whole
_CALLS = {call: output for output, call in OUTPUTS.items()}
_PARTS = ("input_text", "input_image", "input_file")  # a tuple: a type may be unhashable
_TEXTS = ("function_call_output", "custom_tool_call_output")
_PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
_RENAMED = frozenset(  # a copy of these gets an id of its own, and its output with it
    {"function_call", "custom_tool_call", "shell_call", "apply_patch_call", *OUTPUTS, "item_reference", ""}
)
_INPUTS = frozenset({*OUTPUTS, "mcp_approval_response", "tool_search_output", "item_reference", ""})


def mend(work: Work) -> None:
    """Mend all that is known to be refused (wire rules R) and can be."""
    for node in work.nodes:
        _mend_item(work, node)
    _drop_copies(work)
    _mend_ids(work)
    _mend_pairs(work)
    _drop_thoughts(work)


def _kind(node: Node) -> str:
    kind = node.get("type")
    return kind if isinstance(kind, str) else "message" if isinstance(node.get("role"), str) else ""


def _name(node: Node) -> str:
    """The id that pairs a call with its output."""
    found = node.get("call_id") or node.get("id")
    return found if isinstance(found, str) else ""


def _mend_item(work: Work, node: Node) -> None:
    """What stands inside one item."""
    kind, output = _kind(node), node.get("output")
    if kind == "function_call" and (mended := arguments_of(node.get("arguments"))) is not None:
        node.put(("arguments",), mended)
        work.say("L7", node, f"the arguments of call {quoted(_name(node))} were no JSON and became a string of it")
    elif kind == "reasoning" and node.get("content"):
        node.drop("content")
        work.say("R9", node, "the content of reasoning was taken out: the API does not take it back")
    elif kind in _TEXTS and not isinstance(output, str) and not _is_parts(output):
        node.put(("output",), canonical(output) if output is not None else NO_OUTPUT)
        work.say("R12", node, "an output that was no text became one")


def _is_parts(output: Any) -> bool:
    return isinstance(output, list) and all(isinstance(one, dict) and one.get("type") in _PARTS for one in output)


def _drop_copies(work: Work) -> None:
    """Items that stand there twice, all of them the same; of reasoning the id says enough (R5)."""
    seen: dict[str, Any] = {}
    kept: list[Node] = []
    for node in work.nodes:
        id_, kind = node.get("id"), _kind(node)
        if isinstance(id_, str) and kind not in _RENAMED and node.get("role") in ("assistant", None):
            first = seen.setdefault(id_, node.value)
            if first is not node.value and (kind == "reasoning" or first == node.value):
                work.say("R5", node, f"an item of type {kind} that stood there twice was taken out")
                continue
        kept.append(node)
    work.nodes = kept


def _mend_ids(work: Work) -> None:
    """Ids of items go where they stand twice or are not the API's; calls that share an open id get their own."""
    seen: set[str] = set()
    for node in work.nodes:
        id_, kind = node.get("id"), _kind(node)
        if kind in ("item_reference", "local_shell_call_output", "local_shell_call", "") or id_ is None:
            continue
        odd = not isinstance(id_, str) or not id_.startswith(_PREFIX.get(kind, "")) or len(id_) > 64
        if odd or id_ in seen:
            node.drop("id")
            work.say("R6" if odd else "R5", node, f"the item id {quoted(id_)} was left out")
        if isinstance(id_, str):
            seen.add(id_)
    _rename(work)


def _rename(work: Work) -> None:
    names = Names(_name(node) for node in work.nodes)
    new_ids: Pairing[str, None] = Pairing()
    for node in work.nodes:
        kind, old = _kind(node), node.get("call_id")
        if not isinstance(old, str):
            continue
        if kind in _CALLS:
            new = names.fresh(old) if new_ids.is_waiting((kind, old)) else old
            new_ids.add_call((kind, old), new)
            if new != old:
                work.say("R5", node, f"the id {quoted(old)} was taken: this call and its output are now {quoted(new)}")
        else:
            taken = new_ids.take((OUTPUTS.get(kind, ""), old))
            new = old if taken is None else taken
        if new != old:
            node.put(("call_id",), new)


def _mend_pairs(work: Work) -> None:
    """Outputs without a call become messages; calls without an output get one behind the calls made with them."""
    answered = _answered(work)
    known: set[tuple[str, str]] = set()
    nodes: list[Node] = []
    waiting: list[Node] = []
    for node in work.nodes:
        kind = _kind(node)
        if kind not in _CALLS:
            nodes, waiting = nodes + waiting, []
        if kind in OUTPUTS and (OUTPUTS[kind], _name(node)) not in known and not work.partial:
            nodes.append(_told(work, node))
            continue
        nodes.append(node)
        if kind in _CALLS:
            known.add((kind, _name(node)))
            waiting += _no_output(work, node) if id(node) not in answered else []
    work.nodes = nodes + waiting


def _answered(work: Work) -> set[int]:
    """The calls that have an output behind them, by identity; an output answers the first open call with its id."""
    calls: Pairing[Node, Node] = Pairing()
    for node in work.nodes:
        kind = _kind(node)
        if kind in _CALLS:
            calls.add_call((kind, _name(node)), node)
        else:
            calls.add_result((OUTPUTS.get(kind, ""), _name(node)), node)
    return {id(call) for call, _ in calls.matched}


def _no_output(work: Work, call: Node) -> list[Node]:
    kind, name = _kind(call), _name(call)
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
            called = canonical(call.get("actions") or call.get("action"))
            said = f"[call of the computer: {called}; its screenshot is not in this conversation]"
            call.put((), {"type": "message", "role": "assistant", "content": said})
            work.say("R1", call, f"call {quoted(name)} of the computer had no screenshot and became text")
            return []
    work.say("R1", call, f"call {quoted(name)} had no output: it now has one that says so")
    return [Node(item)]


def _told(work: Work, node: Node) -> Node:
    """An orphan output as a message of the user; its pictures and files stay parts."""
    output, name = node.get("output"), _name(node)
    work.say("R2", node, f"the output of call {quoted(name)}, which is not there, became a message of the user")
    parts = output if _is_parts(output) else []
    texts = [one for one in parts if one["type"] == "input_text"] if parts else output
    said = "\n".join(filter(None, (heading(name), flat(texts))))
    path = (*(node.path or ()), "output")
    media = [Node(one, (*path, at)) for at, one in enumerate(parts) if one["type"] != "input_text"]
    head = Node({"type": "input_text", "text": said})
    return Node({"type": "message", "role": "user"}, inner=[head, *media], name="content", size=-1)


def _drop_thoughts(work: Work) -> None:
    """Reasoning under an id that leads to nothing the model said (R3)."""
    kept: list[Node] = []
    leads = False
    for node in reversed(work.nodes):
        kind = _kind(node)
        if kind == "reasoning":
            if not leads and node.get("id"):
                work.say("R3", node, "reasoning without the item it led to was taken out")
                continue
        else:
            leads = node.get("role") == "assistant" if kind == "message" else kind not in _INPUTS
        kept.append(node)
    work.nodes = kept[::-1]
