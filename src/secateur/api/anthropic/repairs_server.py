"""Server tools of the Messages API that lost their other half: a use without its result, a result without its use.

Rules A40 and A41. What is left becomes a text of the assistant; what only the provider can read (encrypted content)
goes with the block. A use at the end of a turn that still runs stays: the provider paused there. Whole pairs are the
provider's own and stay as they are.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.repair_run import Work, quoted
from secateur.api.replacement_texts import flat, heading
from secateur.formats.native import canonical

_USES = ("server_tool_use", "mcp_tool_use")


def mend_server(work: Work) -> None:
    """Let no half of a server tool stand alone."""
    used: set[str] = set()
    open_: dict[str, list[Node]] = {}  # uses of this turn that wait for their result
    for node in work.nodes:
        if node.role == "assistant":
            for block in node.inner or ():
                _look(work, block, used, open_)
        elif node.role == "user" and _opens(node):
            for use in (one for uses in open_.values() for one in uses):
                _tell_use(work, use)
            used, open_ = set(), {}


def _look(work: Work, block: Node, used: set[str], open_: dict[str, list[Node]]) -> None:
    if block.role in _USES:
        used.add(_word(block.get("id")))
        open_.setdefault(_word(block.get("id")), []).append(block)
    elif block.role.endswith("_tool_result"):
        name = _word(block.get("tool_use_id"))
        open_.pop(name, None)
        if name not in used:
            said = flat(_readable(block.get("content")))
            block.put((), {"type": "text", "text": "\n".join(filter(None, (heading(name), said)))})
            work.say("A40", block, f"the result of server tool use {quoted(name)}, which is not there, became text")


def _opens(node: Node) -> bool:
    """Whether a message of the user begins a turn."""
    if node.inner is None:
        return bool(node.get("content"))
    return bool(node.inner) and all(block.role != "tool_result" for block in node.inner)


def _tell_use(work: Work, use: Node) -> None:
    name = use.get("id")
    use.put((), {"type": "text", "text": f"[call of {use.get('name')}: {canonical(use.get('input'))}]"})
    work.say("A41", use, f"server tool use {quoted(name)}, whose result is not there, became text")


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _readable(one) for name, one in value.items() if not name.startswith("encrypted")}
    return [_readable(one) for one in value] if isinstance(value, list) else value


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""
