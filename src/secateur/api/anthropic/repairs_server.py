"""Turns halves of server tools into text: a use without its result, a result without its use.

Rule: content that only the provider can read is removed with its block. A use at the end of a turn that is still
running stays, because the provider paused there. Complete pairs stay as they are.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.repair_run import RepairRun, quote, register_repair
from secateur.api.replacement_texts import flatten_text, write_heading
from secateur.formats.native import dump_canonical

_USES = ("server_tool_use", "mcp_tool_use")


@register_repair("A40", "A41")
def repair_server(repair: RepairRun) -> None:
    """Turn server tool uses without a result, and results without a use, into text."""
    if repair.partial:
        return  # what is missing here may be at the provider
    used: set[str] = set()
    open_: dict[str, list[Node]] = {}  # uses of this turn that wait for their result
    for node in repair.nodes:
        if node.role == "assistant":
            for block in node.inner or ():
                _look(repair, block, used, open_)
        elif node.role == "user" and _is_turn_start(node):
            for use in (one for uses in open_.values() for one in uses):
                _convert_use(repair, use)
            used, open_ = set(), {}


def _look(repair: RepairRun, block: Node, used: set[str], open_: dict[str, list[Node]]) -> None:
    if block.role in _USES:
        used.add(_get_string(block.get("id")))
        open_.setdefault(_get_string(block.get("id")), []).append(block)
    elif block.role.endswith("_tool_result"):
        name = _get_string(block.get("tool_use_id"))
        open_.pop(name, None)
        if name not in used:
            said = flatten_text(_strip_encrypted(block.get("content")))
            block.put((), {"type": "text", "text": "\n".join(filter(None, (write_heading(name), said)))})
            repair.record("A40", block, f"the result of server tool use {quote(name)} has no use and became text")


def _is_turn_start(node: Node) -> bool:
    """Return whether a user message begins a turn."""
    if node.inner is None:
        return bool(node.get("content"))
    return bool(node.inner) and all(block.role != "tool_result" for block in node.inner)


def _convert_use(repair: RepairRun, use: Node) -> None:
    name = use.get("id")
    use.put((), {"type": "text", "text": f"[call of {use.get('name')}: {dump_canonical(use.get('input'))}]"})
    repair.record("A41", use, f"server tool use {quote(name)} has no result and became text")


def _strip_encrypted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strip_encrypted(one) for name, one in value.items() if not name.startswith("encrypted")}
    return [_strip_encrypted(one) for one in value] if isinstance(value, list) else value


def _get_string(value: Any) -> str:
    return value if isinstance(value, str) else ""
