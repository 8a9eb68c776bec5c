"""Blocks that the Messages API refuses for what they hold: empty texts, unsigned reasoning, inputs that are no object.

Rules A6, A11, A12, A50. An empty block goes where another block remains; else it says that there is nothing, in its
place, so that no message moves. Reasoning without its signature is refused, and the signature cannot be made again.
"""

from typing import Any

from secateur.api.call_arguments import object_of
from secateur.api.editable import Node
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, Work
from secateur.formats.native import canonical

_KNOWN = frozenset({"user", "assistant", "system"})


def mend_content(work: Work, ending_may_be_empty: bool) -> None:
    """Mend what stands inside messages. `ending_may_be_empty`: a last assistant message may hold nothing (A12)."""
    for node in work.nodes:
        if isinstance(node.value, dict) and node.role in _KNOWN:
            last = node is work.nodes[-1] and node.role == "assistant" and ending_may_be_empty
            _mend_blocks(work, node, last)


def mend_empty(work: Work) -> None:
    """Let each message say something, a last one of the assistant aside (A12)."""
    for node in work.nodes:
        last = node is work.nodes[-1] and node.role == "assistant"
        if isinstance(node.value, dict) and node.role in _KNOWN and not last:
            _mend_nothing(work, node)


def _mend_blocks(work: Work, node: Node, may_be_empty: bool) -> None:
    blocks = node.inner or []
    for block in blocks:
        if block.role == "tool_use" and node.role != "assistant":
            block.put((), {"type": "text", "text": f"[call of {block.get('name')}: {canonical(block.get('input'))}]"})
            work.say("A0", block, f"a call in a message of the {node.role} became text")
        if block.role == "tool_use" and not isinstance(block.get("input"), dict):
            block.put(("input",), object_of(block.get("input")))
            work.say("A6", block, "the input of a call was no object and became one")
        elif block.role == "tool_result" and isinstance(block.get("content"), list):
            _mend_result(work, block)
    void = [block for block in blocks if _is_void(block)]
    kept = [block for block in blocks if not _is_void(block)]
    if void and (kept or may_be_empty):
        node.inner = kept
    elif void:
        node.inner = [_said(void[0])]
    for block in void:
        thought = block.role == "thinking"
        rule, what = ("A50", "reasoning without a signature") if thought else ("A11", "an empty text block")
        work.say(rule, block, f"{what} was taken out" if kept or may_be_empty else f"{what} now reads {NO_CONTENT}")


def _mend_result(work: Work, block: Node) -> None:
    """The same inside a result, whose list may be empty but may not hold empty texts (A16)."""
    content = block.get("content")
    kept = [one for one in content if not _is_empty_text(one)]
    if len(kept) < len(content):
        block.put(("content",), kept or [{"type": "text", "text": NO_OUTPUT}])
        work.say("A11", block, "empty text blocks were taken out of a result")


def _mend_nothing(work: Work, node: Node) -> None:
    content = node.get("content")
    if node.inner is None and content is not None and not isinstance(content, str):
        return  # neither text nor a list of blocks: nobody knows what it is
    nothing = not node.inner if node.inner is not None else not (content or "").strip()
    if nothing and not _sets_effort(node):
        node.inner = None
        node.put(("content",), NO_CONTENT)
        work.say("A12", node, f"a message without content now reads {NO_CONTENT}")


def _sets_effort(node: Node) -> bool:
    """A system message that only sets the effort may hold nothing."""
    return node.role == "system" and "output_config" in node.value


def _said(block: Node) -> Node:
    """The place of a block that held nothing, with a text."""
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
