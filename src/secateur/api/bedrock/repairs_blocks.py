"""Documents and cache points of a Converse request: names of their own, a text beside, and points where they may stand.

Rules B9, B12, B14. A cache point that may not stand where it does goes: it costs money, never the request.
"""

import re
from typing import Any

from secateur.api.accessors import fields, items
from secateur.api.bedrock.repairs_calls import kind_of
from secateur.api.bedrock.rules_caching import SLOTS
from secateur.api.editable import Node
from secateur.api.repair_run import Work

_ODD = re.compile(r"[^a-zA-Z0-9\s()\[\]-]")  # rule B9
_LONGEST = 200  # characters of a document's name


def mend_blocks(work: Work) -> None:
    """Mend what stands inside messages."""
    names: set[str] = set()
    for node in work.nodes:
        documents = [block for block in node.inner or () if kind_of(block) == "document"]
        for block in documents:
            _mend_name(work, block, names)
        if documents and not any("text" in fields(block.value) for block in node.inner or ()):
            node.inner = [*(node.inner or ()), Node({"text": "[a document]"})]
            work.say("B9", node, "a text was put beside a document")
    _mend_points(work)


def _mend_name(work: Work, block: Node, names: set[str]) -> None:
    value: Any = block.get("document")
    old = fields(value).get("name")
    stem = " ".join(_ODD.sub(" ", old).split())[: _LONGEST - 8] if isinstance(old, str) else ""
    sound = isinstance(old, str) and not _ODD.search(old) and not re.search(r"\s\s", old) and 0 < len(old) <= _LONGEST
    new, number = str(old) if sound else stem or "document", 2
    while new in names:
        new, number = f"{stem or 'document'} {number}", number + 1
    names.add(new)
    if new != old and isinstance(value, dict):
        block.put(("document", "name"), new)
        work.say("B9", block, f"a document's name, which stood twice or was not sound, is now {new!r}")


def _mend_points(work: Work) -> None:
    tools = items(fields(work.request.get("toolConfig")).get("tools"))
    fixed = sum("cachePoint" in fields(one) for one in (*items(work.request.get("system")), *tools))
    found = []
    for node in work.nodes:
        before: Node | None = None  # the last block that stays
        for block in node.inner or ():
            rule = _refused_behind(before) if kind_of(block) == "cachePoint" else ""
            if kind_of(block) == "cachePoint":
                found.append((node, block, rule))
            before = before if rule else block
    allowed = [block for _, block, rule in found if not rule]
    many = {id(block) for block in allowed[: max(0, len(allowed) + fixed - SLOTS)]}
    for node, block, rule in found:
        if rule or id(block) in many:
            node.inner = [one for one in node.inner or () if one is not block]
            work.say(rule or "B14", block, "a cache point that may not stand there was taken out")


def _refused_behind(before: Node | None) -> str:
    """The rule that lets no cache point follow this block; "" if none does."""
    kind = kind_of(before) if before is not None else ""
    if before is not None and kind == "document":
        return "" if fields(before.get("document")).get("format") == "pdf" else "B14"
    return "B12" if kind == "reasoningContent" else ""
