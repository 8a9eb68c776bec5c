"""Repairs the contents of messages: empty texts, unsigned reasoning, inputs that are not an object.

Rule: an empty block is removed if another block remains; otherwise it is replaced with a text that says so, so that no
message moves. Unsigned reasoning is removed, because its signature cannot be recreated.
"""

from typing import Any

from secateur.api.anthropic.models import is_prefill_rejected
from secateur.api.call_arguments import parse_object
from secateur.api.editable import Node
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, RepairRun, register_repair
from secateur.formats.native import dump_canonical

_KNOWN = frozenset({"user", "assistant", "system"})


@register_repair("A0", "A6", "A11", "A50", "A53")
def repair_content(repair: RepairRun) -> None:
    """Remove empty texts and reasoning that cannot be sent, and make the input of each call an object.

    A last assistant message may be left empty (A12), unless the model then needs words of the user behind it.
    """
    ending_may_be_empty = not is_prefill_rejected(repair.options.model)
    for node in repair.nodes:
        if isinstance(node.value, dict) and node.role in _KNOWN:
            last = node is repair.nodes[-1] and node.role == "assistant" and ending_may_be_empty
            _repair_blocks(repair, node, last)


def _repair_blocks(repair: RepairRun, node: Node, may_be_empty: bool) -> None:
    blocks = node.inner or []
    for block in blocks:
        if block.role == "tool_use" and node.role != "assistant":
            block.put(
                (), {"type": "text", "text": f"[call of {block.get('name')}: {dump_canonical(block.get('input'))}]"}
            )
            repair.record("A0", block, f"a call in a {node.role} message became text")
        if block.role == "tool_use" and not isinstance(block.get("input"), dict):
            block.put(("input",), parse_object(block.get("input")))
            repair.record("A6", block, "the input of a call was not an object and became one")
        elif block.role == "tool_result" and isinstance(block.get("content"), list):
            _repair_result(repair, block)
    void = [block for block in blocks if _is_void(block)]
    kept = [block for block in blocks if not _is_void(block)]
    if void and (kept or may_be_empty):
        node.inner = kept
    elif void:
        node.inner = [_with_text(void[0])]
    for block in void:
        thought = block.role == "thinking"
        rule, what = ("A50", "reasoning without a signature") if thought else ("A11", "an empty text block")
        repair.record(rule, block, f"{what} was removed" if kept or may_be_empty else f"{what} now reads {NO_CONTENT}")


def _repair_result(repair: RepairRun, block: Node) -> None:
    """The same inside a result, whose list may be empty but may not hold empty texts (A16)."""
    content = block.get("content")
    kept = [one for one in content if not _is_empty_text(one)]
    if len(kept) < len(content):
        block.put(("content",), kept or [{"type": "text", "text": NO_OUTPUT}])
        repair.record("A11", block, "empty text blocks were removed from a result")


def _with_text(block: Node) -> Node:
    """Replace an empty block with a text that says so."""
    if block.role == "text":
        block.put(("text",), NO_CONTENT)
    else:
        block.put((), {"type": "text", "text": NO_CONTENT})
    return block


def _is_void(block: Node) -> bool:
    if block.role == "thinking":
        return not block.get("signature")
    return _is_empty_text(block.value)


def _is_empty_text(block: Any) -> bool:
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    return text is None or (isinstance(text, str) and not text.strip())
