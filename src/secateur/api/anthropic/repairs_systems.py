"""System messages inside a conversation of the Messages API: behind a user message, and before an assistant or last.

Rules A10 and A31. One that stands elsewhere waits for the next message of the user and goes behind it; it is never made
a part of the system prompt, which would void every cache and all signed reasoning.
"""

from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, GO_ON, Work


def mend_systems(work: Work) -> None:
    """Move system messages to where they may stand."""
    nodes: list[Node] = []
    held: list[Node] = []
    for number, node in enumerate(work.nodes):
        if node.role == "system":
            (nodes if not held and _may_stand(work.nodes, number) else held).append(node)
            continue
        if held and node.role != "user" and nodes and nodes[-1].role == "user":
            nodes += _moved(work, held)
        nodes.append(node)
    if held and (not nodes or nodes[-1].role != "user"):
        nodes.append(Node({"role": "user", "content": GO_ON if nodes else BEGINNING}))
    work.nodes = nodes + _moved(work, held)


def _moved(work: Work, held: list[Node]) -> list[Node]:
    for node in held:
        work.say("A31", node, "a system message moved behind a message of the user")
    moved = list(held)
    held.clear()
    return moved


def _may_stand(nodes: list[Node], number: int) -> bool:
    """Whether the messages around it, other system messages aside, let it stand."""
    before = next((one for one in reversed(nodes[:number]) if one.role != "system"), None)
    after = next((one for one in nodes[number + 1 :] if one.role != "system"), None)
    if before is None or (after is not None and after.role == "user"):
        return False
    ended = before.inner[-1].role if before.inner else ""
    return before.role == "user" or (ended != "tool_result" and ended.endswith("_tool_result"))
