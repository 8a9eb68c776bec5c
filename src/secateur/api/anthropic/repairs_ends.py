"""Repairs how a history begins and ends, and how its assistant messages end.

Rule: a history that begins in the middle gets a user message that says so. If the model does not continue its own
message, the user asks it to continue. Reasoning that nothing follows is removed: it belongs to an answer cut off.
"""

from secateur.api.anthropic.models import is_prefill_rejected
from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, GO_ON, NO_CONTENT, RepairRun, register_repair

_KNOWN = frozenset({"user", "assistant", "system"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


@register_repair("A7")
def repair_beginning(repair: RepairRun) -> None:
    """Put a user message before an assistant message that comes first, unless it begins with a compaction."""
    first = repair.nodes[0] if repair.nodes else None
    if repair.partial or first is None or first.role != "assistant":
        return
    if first.role == "assistant" and first.inner and first.inner[0].role == "compaction":
        return
    repair.nodes.insert(0, Node({"role": "user", "content": BEGINNING}))
    repair.record("A7", first, "a user message was put before the first message")


@register_repair("A15")
def repair_thoughts(repair: RepairRun) -> None:
    """Remove reasoning at the end of an assistant message: text or a call must follow it."""
    for role, run in repair.iterate_runs():
        spoken = [node for node in run if node.inner or str(node.get("content") or "").strip()]
        ends = spoken[-1] if spoken and role == "assistant" else None
        while ends is not None and ends.inner and ends.inner[-1].role in _THOUGHTS:
            last = ends.inner.pop()
            repair.record("A15", last, "reasoning that nothing followed was removed")
            if not ends.inner:
                ends.inner = [Node({"type": "text", "text": NO_CONTENT})]


@register_repair("A13", "A14")
def repair_ending(repair: RepairRun) -> None:
    """Add a user message if the model does not continue its own, or else remove white space at the end."""
    last = repair.nodes[-1] if repair.nodes else None
    if last is None or last.role != "assistant" or (last.inner and "_tool_" in last.inner[-1].role):
        return  # a server's tool at the end: the provider paused there and continues it
    if is_prefill_rejected(repair.options.model):
        repair.nodes.append(Node({"role": "user", "content": GO_ON}))
        repair.record("A14", last, f"this model does not continue its own message: the user now says {GO_ON!r}")
        return
    holder, name = (last.inner[-1], "text") if last.inner else (last, "content")
    said = holder.get(name)
    if isinstance(said, str) and said != said.rstrip():
        holder.put((name,), said.rstrip())
        repair.record("A13", holder, "white space at the end of the last assistant text was removed")


@register_repair("A12")
def repair_empty(repair: RepairRun) -> None:
    """Give each empty message a text, except an assistant message at the end."""
    for node in repair.nodes:
        last = node is repair.nodes[-1] and node.role == "assistant"
        if isinstance(node.value, dict) and node.role in _KNOWN and not last:
            _repair_nothing(repair, node)


def _repair_nothing(repair: RepairRun, node: Node) -> None:
    content = node.get("content")
    if node.inner is None and content is not None and not isinstance(content, str):
        return  # neither a text nor a list of blocks: what it is cannot be known
    nothing = not node.inner if node.inner is not None else not (content or "").strip()
    if nothing and not _is_effort_setting(node):
        node.inner = None
        node.put(("content",), NO_CONTENT)
        repair.record("A12", node, f"a message without content now reads {NO_CONTENT}")


def _is_effort_setting(node: Node) -> bool:
    """Return whether this is a system message that only sets the effort, which may be empty."""
    return node.role == "system" and "output_config" in node.value
