"""Pictures and documents that a request of the Messages API cannot carry.

Rules A9 and A25-A28: the oldest go first, and each leaves a text in its place that says what stood there. Sizes are
read from the pictures themselves; one that cannot be measured is taken to fit.
"""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur.api.editable import Node
from secateur.api.image_size import sides
from secateur.api.repair_run import Work
from secateur.api.replacement_texts import removed
from secateur.model import Path

_MEDIA = ("image", "document")
_BODY = 32_000_000  # bytes; rule A25


class _Medium(Struct, eq=False):
    """A picture or document, and the block it stands in."""

    block: Node
    inside: Path  # () for the block itself
    value: dict[str, Any]

    @property
    def data(self) -> str:
        """Its base64; "" for one that stands elsewhere."""
        source = self.value.get("source")
        data = source.get("data") if isinstance(source, dict) and source.get("type") == "base64" else None
        return data if isinstance(data, str) else ""

    @property
    def side(self) -> int:
        """The longer side of a picture in pixels; 0 if unknown."""
        return max(sides(self.data) or (0, 0)) if self.value.get("type") == "image" else 0


def mend_media(work: Work) -> None:
    """Take out what may not be there, then what is too much, oldest first."""
    _mend_errors(work)
    found = [medium for _, block in work.blocks() for medium in _within(block)]
    found = _without_huge(work, found)
    pictures = [one for one in found if one.value.get("type") == "image"]
    pictures = _without_many(work, pictures)
    limits = work.settings.limits
    for one in pictures[: max(0, len(pictures) - limits.images)]:
        _clear(work, one, "A26", f"more than {limits.images} images")
    _fit_body(work)


def _mend_errors(work: Work) -> None:
    """A result that reports an error holds text only (A9)."""
    for _, block in work.blocks():
        content = block.get("content")
        if block.role != "tool_result" or block.get("is_error") is not True or not isinstance(content, list):
            continue
        for number, one in enumerate(content):
            if isinstance(one, dict) and one.get("type") != "text":
                medium = _Medium(block, ("content", number), one)
                if one.get("type") in _MEDIA:
                    _clear(work, medium, "A9", "an error result holds text only")
                else:
                    block.put(medium.inside, {"type": "text", "text": json.dumps(one, ensure_ascii=False)})
                    work.say("A9", block, "an error result holds text only: its JSON stands as text", medium.inside)


def _within(block: Node) -> Iterator[_Medium]:
    if block.role in _MEDIA:
        yield _Medium(block, (), block.value)
    content = block.get("content") if block.role == "tool_result" else None
    for number, one in enumerate(content if isinstance(content, list) else ()):
        if isinstance(one, dict) and one.get("type") in _MEDIA:
            yield _Medium(block, ("content", number), one)


def _without_huge(work: Work, found: list[_Medium]) -> list[_Medium]:
    """Pictures that no request may hold (A27)."""
    limits, kept = work.settings.limits, []
    for one in found:
        if one.value.get("type") == "image" and (one.side > limits.image_px or len(one.data) > limits.image_bytes):
            _clear(work, one, "A27", "larger than an image may be")
        else:
            kept.append(one)
    return kept


def _without_many(work: Work, pictures: list[_Medium]) -> list[_Medium]:
    """Beyond `many` pictures each must be small (A28): the oldest large ones go until all fit or few are left."""
    limits, kept = work.settings.limits, list(pictures)
    for one in pictures if len(pictures) > limits.many else ():
        if len(kept) > limits.many and one.side > limits.many_px:
            _clear(work, one, "A28", f"more than {limits.many} images, and this one over {limits.many_px} px")
            kept = [other for other in kept if other is not one]
    return kept


def _fit_body(work: Work) -> None:
    """A body of too many bytes (A25) loses its oldest media."""
    left = [medium for _, block in work.blocks() for medium in _within(block)]
    gone = work.spared
    most = work.settings.limits.body_bytes or _BODY
    whole = work.bytes - gone if work.bytes else sum(len(one.data) for one in left)
    for one in left:
        if whole <= most:
            return
        whole -= len(one.data)
        _clear(work, one, "A25", "the request had too many bytes")


def _clear(work: Work, one: _Medium, rule: str, why: str) -> None:
    text = _told(one.value, one.data, why)
    marked = {"cache_control": one.value["cache_control"]} if one.value.get("cache_control") else {}
    one.block.put(one.inside, {"type": "text", "text": text, **marked})
    work.spared += len(one.data)
    work.say(rule, one.block, f"{text[1:-1]}", one.inside)


def _told(value: dict[str, Any], data: str, why: str) -> str:
    source = value.get("source")
    mime = source.get("media_type") if isinstance(source, dict) else None
    return removed(mime or value.get("type"), data, why)
