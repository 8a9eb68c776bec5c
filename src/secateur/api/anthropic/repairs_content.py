"""Repairs the contents of messages: empty texts, unsigned reasoning, inputs that are not an object, and rejected media.

Rule: an empty block is removed if another block remains; otherwise it is replaced with a text that says so, so that no
message moves. Unsigned reasoning is removed, because its signature cannot be recreated. Images and documents that a
request cannot contain are replaced, the oldest first, each with a text that says what it was. Sizes are read from the
images themselves; an image that cannot be measured is assumed to fit.
"""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur.api.anthropic.models import is_prefill_rejected
from secateur.api.editable import Node
from secateur.api.image_size import read_image_size
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, RepairRun, register_repair
from secateur.api.replacements import describe_removed, parse_object
from secateur.formats.native import dump_canonical
from secateur.model import Path

_KNOWN = frozenset({"user", "assistant", "system"})

_MEDIA = ("image", "document")
_BODY = 32_000_000  # bytes; rule A25


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
    for block in void:
        thought = block.role == "thinking"
        rule, what = ("A50", "reasoning without a signature") if thought else ("A11", "an empty text block")
        repair.record(rule, block, f"{what} was removed" if kept or may_be_empty else f"{what} now reads {NO_CONTENT}")
    if void and (kept or may_be_empty):
        node.inner = kept
    elif void:
        node.inner = [_with_text(void[0])]


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


class _Medium(Struct, eq=False):
    """An image or document, and the block that contains it."""

    block: Node
    inside: Path  # () for the block itself
    value: dict[str, Any]

    @property
    def data(self) -> str:
        """Its base64; "" if the data is elsewhere."""
        source = self.value.get("source")
        data = source.get("data") if isinstance(source, dict) and source.get("type") == "base64" else None
        return data if isinstance(data, str) else ""

    @property
    def side(self) -> int:
        """The longer side of an image in pixels; 0 if unknown."""
        return max(read_image_size(self.data) or (0, 0)) if self.value.get("type") == "image" else 0


@register_repair("A9", "A25", "A26", "A27", "A28")
def repair_media(repair: RepairRun) -> None:
    """Replace media that are not accepted, then those that are too many or too large, oldest first."""
    _repair_errors(repair)
    found = [medium for _, block in repair.iterate_blocks() for medium in _find_media(block)]
    found = _without_huge(repair, found)
    pictures = [one for one in found if one.value.get("type") == "image"]
    pictures = _without_many(repair, pictures)
    limits = repair.options.limits
    for one in pictures[: max(0, len(pictures) - limits.images)]:
        _clear(repair, one, "A26", f"more than {limits.images} images")
    _fit_body(repair)


def _repair_errors(repair: RepairRun) -> None:
    """An error result contains only text (A9)."""
    for _, block in repair.iterate_blocks():
        content = block.get("content")
        if block.role != "tool_result" or block.get("is_error") is not True or not isinstance(content, list):
            continue
        for number, one in enumerate(content):
            if isinstance(one, dict) and one.get("type") != "text":
                medium = _Medium(block, ("content", number), one)
                if one.get("type") in _MEDIA:
                    _clear(repair, medium, "A9", "an error result holds text only")
                else:
                    block.put(medium.inside, {"type": "text", "text": json.dumps(one, ensure_ascii=False)})
                    repair.record("A9", block, "a block in an error result became the text of its JSON", medium.inside)


def _find_media(block: Node) -> Iterator[_Medium]:
    if block.role in _MEDIA:
        yield _Medium(block, (), block.value)
    content = block.get("content") if block.role == "tool_result" else None
    for number, one in enumerate(content if isinstance(content, list) else ()):
        if isinstance(one, dict) and one.get("type") in _MEDIA:
            yield _Medium(block, ("content", number), one)


def _without_huge(repair: RepairRun, found: list[_Medium]) -> list[_Medium]:
    """Replace images that no request may contain (A27)."""
    limits, kept = repair.options.limits, []
    for one in found:
        if one.value.get("type") == "image" and (one.side > limits.image_px or len(one.data) > limits.image_bytes):
            _clear(repair, one, "A27", "larger than an image may be")
        else:
            kept.append(one)
    return kept


def _without_many(repair: RepairRun, pictures: list[_Medium]) -> list[_Medium]:
    """With more than `many` images, replace the oldest large ones until all are small or few enough are left (A28)."""
    limits, kept = repair.options.limits, list(pictures)
    for one in pictures if len(pictures) > limits.many else ():
        if len(kept) > limits.many and one.side > limits.many_px:
            _clear(repair, one, "A28", f"more than {limits.many} images, and this one over {limits.many_px} px")
            kept = [other for other in kept if other is not one]
    return kept


def _fit_body(repair: RepairRun) -> None:
    """Replace the oldest media of a body that has too many bytes (A25)."""
    left = [medium for _, block in repair.iterate_blocks() for medium in _find_media(block)]
    gone = repair.bytes_removed
    most = repair.options.limits.body_bytes or _BODY
    whole = repair.bytes - gone if repair.bytes else sum(len(one.data) for one in left)
    for one in left:
        if whole <= most:
            return
        whole -= len(one.data)
        _clear(repair, one, "A25", "the request had too many bytes")


def _clear(repair: RepairRun, one: _Medium, rule: str, why: str) -> None:
    text = _describe(one.value, one.data, why)
    marked = {"cache_control": one.value["cache_control"]} if one.value.get("cache_control") else {}
    one.block.put(one.inside, {"type": "text", "text": text, **marked})
    repair.bytes_removed += len(one.data)
    repair.record(rule, one.block, f"{text[1:-1]}", one.inside)


def _describe(value: dict[str, Any], data: str, why: str) -> str:
    source = value.get("source")
    mime = source.get("media_type") if isinstance(source, dict) else None
    return describe_removed(mime or value.get("type"), data, why)
