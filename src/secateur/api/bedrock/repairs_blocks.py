"""Repairs the blocks of messages: blank texts, documents, cache points; and the beginning of the history.

Rule: a cache point in a wrong place is removed. That costs money, never the request.
"""

import re
from typing import Any

from secateur.api.bedrock.repairs_messages import get_kind
from secateur.api.bedrock.rules_messages import SLOTS
from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, NO_CONTENT, NO_OUTPUT, RepairRun, register_repair
from secateur.api.walker import get_fields, get_items

_ODD = re.compile(r"[^a-zA-Z0-9\s()\[\]-]")  # rule B9
_SPEAKERS = ("user", "assistant", "system")
_LONGEST = 200  # characters of a document's name


@register_repair("B7", "B8")
def repair_empty(repair: RepairRun) -> None:
    """Remove blank texts, and give a text to messages and error results that hold nothing."""
    for node in repair.nodes:
        _repair_nothing(repair, node)


@register_repair("B9", "B12", "B14")
def repair_blocks(repair: RepairRun) -> None:
    """Give documents valid names and a text beside them, and remove cache points in wrong places."""
    names: set[str] = set()
    for node in repair.nodes:
        documents = [block for block in node.inner or () if get_kind(block) == "document"]
        for block in documents:
            _repair_name(repair, block, names)
        if documents and not any("text" in get_fields(block.value) for block in node.inner or ()):
            node.inner = [*(node.inner or ()), Node({"text": "[a document]"})]
            repair.record("B9", node, "a text was added beside a document")
    _repair_points(repair)


def _repair_name(repair: RepairRun, block: Node, names: set[str]) -> None:
    value: Any = block.get("document")
    old = get_fields(value).get("name")
    stem = " ".join(_ODD.sub(" ", old).split())[: _LONGEST - 8] if isinstance(old, str) else ""
    sound = isinstance(old, str) and not _ODD.search(old) and not re.search(r"\s\s", old) and 0 < len(old) <= _LONGEST
    new, number = str(old) if sound else stem or "document", 2
    while new in names:
        new, number = f"{stem or 'document'} {number}", number + 1
    names.add(new)
    if new != old and isinstance(value, dict):
        block.put(("document", "name"), new)
        repair.record("B9", block, f"the name of a document was invalid or used twice: it is now {new!r}")


def _repair_points(repair: RepairRun) -> None:
    tools = get_items(get_fields(repair.request.get("toolConfig")).get("tools"))
    fixed = sum("cachePoint" in get_fields(one) for one in (*get_items(repair.request.get("system")), *tools))
    found = []
    for node in repair.nodes:
        before: Node | None = None  # the last block that stays
        for block in node.inner or ():
            rule = _find_forbidding_rule(before) if get_kind(block) == "cachePoint" else ""
            if get_kind(block) == "cachePoint":
                found.append((node, block, rule))
            before = before if rule else block
    allowed = [block for _, block, rule in found if not rule]
    many = {id(block) for block in allowed[: max(0, len(allowed) + fixed - SLOTS)]}
    for node, block, rule in found:
        if rule or id(block) in many:
            node.inner = [one for one in node.inner or () if one is not block]
            repair.record(rule or "B14", block, "a cache point in a wrong place was removed")


def _find_forbidding_rule(before: Node | None) -> str:
    """Return the rule that forbids a cache point after this block; "" if none does."""
    kind = get_kind(before) if before is not None else ""
    if before is not None and kind == "document":
        return "" if get_fields(before.get("document")).get("format") == "pdf" else "B14"
    return "B12" if kind == "reasoningContent" else ""


@register_repair("B4")
def repair_beginning(repair: RepairRun) -> None:
    """Put a user message before an assistant message that comes first."""
    first = repair.nodes[0] if repair.nodes else None
    if first is not None and first.role == "assistant":
        repair.nodes.insert(0, Node({"role": "user", "content": [{"text": BEGINNING}]}))
        repair.record("B4", first, "a user message was put before the first message")


def _repair_nothing(repair: RepairRun, node: Node) -> None:
    """Remove blank texts if something else remains; otherwise let one say so (B7, B8)."""
    if node.inner is None or node.role not in _SPEAKERS:
        return
    for block in node.inner:
        _repair_result(repair, block)
    blank = [block for block in node.inner if _is_blank(block)]
    says = any(get_kind(block) != "cachePoint" and not _is_blank(block) for block in node.inner)
    if blank:
        spared = [] if says else blank[:1]
        for block in blank:
            repair.record(
                "B8", block, f"a blank text now reads {NO_CONTENT}" if block in spared else "a blank text was removed"
            )
        for block in spared:
            block.put(("text",), NO_CONTENT)
        gone = {id(block) for block in blank if block not in spared}
        node.inner = [block for block in node.inner if id(block) not in gone]
    elif not says:
        node.inner = [Node({"text": NO_CONTENT}), *node.inner]
        repair.record("B8", node, f"a message without content now reads {NO_CONTENT}")


def _repair_result(repair: RepairRun, block: Node) -> None:
    result: Any = block.get("toolResult")
    if get_kind(block) != "toolResult" or not isinstance(result, dict) or result.get("status") != "error":
        return
    if not (isinstance(result.get("content"), list) and result["content"]):
        block.put(("toolResult", "content"), [{"text": NO_OUTPUT}])
        repair.record("B7", block, f"an error result was empty: it now reads {NO_OUTPUT}")


def _is_blank(block: Node) -> bool:
    if get_kind(block) != "text":
        return False
    text = block.get("text")
    return text is None or (isinstance(text, str) and not text.strip())
