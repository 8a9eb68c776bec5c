"""Repairs the messages themselves: content that is a list, alternating roles, inputs that are an object.

Rule: consecutive messages of one role are merged first, because a result must be in the very next message; blocks move
with the bytes that they have. System texts between two turns stay behind the turn that they followed, or behind the
results that this turn needs. Names of tools and limits of media are not repaired.
"""

from secateur.api.bedrock.repairs_calls import get_kind
from secateur.api.call_arguments import parse_object
from secateur.api.editable import Node
from secateur.api.repair_run import RepairRun, register_repair
from secateur.api.surrogates import replace_surrogates
from secateur.formats.native import dump_canonical
from secateur.patch import apply

_SPEAKERS = ("user", "assistant")


@register_repair("B0")
def open_contents(repair: RepairRun) -> None:
    """Turn a content that is a string or missing into a list of blocks."""
    for node in repair.nodes:
        _open(repair, node)


def _open(repair: RepairRun, node: Node) -> None:
    content = node.get("content")
    if node.role not in (*_SPEAKERS, "system") or node.inner is not None:
        return
    if content is None or isinstance(content, str):
        node.inner, node.size = ([Node({"text": content})] if content else []), -1
        repair.record("B0", node, "content that was not a list became one")


@register_repair("B3")
def merge_neighbors(repair: RepairRun) -> None:
    """Merge consecutive messages of one role."""
    nodes: list[Node] = []
    last: Node | None = None  # the last message of user or assistant
    for node in repair.nodes:
        speaks = node.role in _SPEAKERS and node.inner is not None
        if speaks and last is not None and last.role == node.role:
            last.inner = [*(last.inner or ()), *(node.inner or ())]
            repair.record("B3", node, f"two {node.role} messages in a row were merged")
            continue
        last = node if speaks else last
        nodes.append(node)
    repair.nodes = nodes


@register_repair("B0", "B11")
def repair_inputs(repair: RepairRun) -> None:
    """Make the input of each call an object, and turn calls that the assistant did not make into text."""
    for node in repair.nodes:
        _repair_calls(repair, node)


def _repair_calls(repair: RepairRun, node: Node) -> None:
    for block in node.inner or ():
        call = block.get("toolUse") if get_kind(block) == "toolUse" else None
        if not isinstance(call, dict):
            continue
        if node.role != "assistant":
            block.put((), {"text": f"[call of {call.get('name')}: {dump_canonical(call.get('input'))}]"})
            repair.record("B0", block, f"a call in a {node.role} message became text")
        elif not isinstance(call.get("input"), dict):
            given = parse_object(call.get("input"))
            block.put(("toolUse", "input"), apply(given, list(replace_surrogates(given))))
            repair.record("B11", block, "the input of a call was not an object and became one")
