"""A Converse request, mended rule by rule: turns that alternate, calls and results in pairs, nothing empty.

Rule: neighbours of one role become one message first, since a result is wanted in the very next one; blocks move with
the bytes they have. What stands between the turns (system texts) stays behind the turn it followed, or behind the
results that this turn wants. Names of tools and limits of media are not mended.
"""

from typing import Any

from secateur.api.bedrock.repairs_blocks import mend_blocks
from secateur.api.bedrock.repairs_calls import kind_of, mend_pairs
from secateur.api.call_arguments import object_of
from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, NO_CONTENT, NO_OUTPUT, Work
from secateur.api.surrogates import halves
from secateur.formats.native import canonical
from secateur.patch import apply

BLOCKS = "content"  # the member of a message that holds its blocks

_SPEAKERS = ("user", "assistant")


def mend(work: Work) -> None:
    """Mend all that is known to be refused and can be mended (wire rules B)."""
    for node in work.nodes:
        _open(work, node)
    _alternate(work)
    for node in work.nodes:
        _mend_calls(work, node)
    mend_pairs(work)
    for node in work.nodes:
        _mend_nothing(work, node)
    mend_blocks(work)
    first = work.nodes[0] if work.nodes else None
    if first is not None and first.role == "assistant":
        work.nodes.insert(0, Node({"role": "user", "content": [{"text": BEGINNING}]}))
        work.say("B4", first, "a message of the user was put before the first one")


def _open(work: Work, node: Node) -> None:
    """Let content be a list: a string becomes a text, nothing a list without blocks."""
    content = node.get("content")
    if node.role not in (*_SPEAKERS, "system") or node.inner is not None:
        return
    if content is None or isinstance(content, str):
        node.inner, node.size = ([Node({"text": content})] if content else []), -1
        work.say("B0", node, "content that was no list became one")


def _alternate(work: Work) -> None:
    """Merge neighbours of one role (B3)."""
    nodes: list[Node] = []
    last: Node | None = None  # who spoke last
    for node in work.nodes:
        speaks = node.role in _SPEAKERS and node.inner is not None
        if speaks and last is not None and last.role == node.role:
            last.inner = [*(last.inner or ()), *(node.inner or ())]
            work.say("B3", node, f"two messages of the {node.role} in a row became one")
            continue
        last = node if speaks else last
        nodes.append(node)
    work.nodes = nodes


def _mend_calls(work: Work, node: Node) -> None:
    for block in node.inner or ():
        call = block.get("toolUse") if kind_of(block) == "toolUse" else None
        if not isinstance(call, dict):
            continue
        if node.role != "assistant":
            block.put((), {"text": f"[call of {call.get('name')}: {canonical(call.get('input'))}]"})
            work.say("B0", block, f"a call in a message of the {node.role} became text")
        elif not isinstance(call.get("input"), dict):
            given = object_of(call.get("input"))
            block.put(("toolUse", "input"), apply(given, list(halves(given))))
            work.say("B11", block, "the input of a call was no object and became one")


def _mend_nothing(work: Work, node: Node) -> None:
    """Blank texts go where something else is said, else one says that there is nothing (B7, B8)."""
    if node.inner is None or node.role not in (*_SPEAKERS, "system"):
        return
    for block in node.inner:
        _mend_result(work, block)
    blank = [block for block in node.inner if _is_blank(block)]
    says = any(kind_of(block) != "cachePoint" and not _is_blank(block) for block in node.inner)
    if blank:
        spared = [] if says else blank[:1]
        for block in blank:
            work.say("B8", block, f"a blank text now reads {NO_CONTENT}" if block in spared else "a blank text went")
        for block in spared:
            block.put(("text",), NO_CONTENT)
        gone = {id(block) for block in blank if block not in spared}
        node.inner = [block for block in node.inner if id(block) not in gone]
    elif not says:
        node.inner = [Node({"text": NO_CONTENT}), *node.inner]
        work.say("B8", node, f"a message without content now reads {NO_CONTENT}")


def _mend_result(work: Work, block: Node) -> None:
    result: Any = block.get("toolResult")
    if kind_of(block) != "toolResult" or not isinstance(result, dict) or result.get("status") != "error":
        return
    if not (isinstance(result.get("content"), list) and result["content"]):
        block.put(("toolResult", "content"), [{"text": NO_OUTPUT}])
        work.say("B7", block, f"the result of an error held nothing: it now reads {NO_OUTPUT}")


def _is_blank(block: Node) -> bool:
    if kind_of(block) != "text":
        return False
    text = block.get("text")
    return text is None or (isinstance(text, str) and not text.strip())
