"""What repairs put in place of what an API rejects: new ids, arguments as objects, and texts.

Rule: nothing is lost and nothing is said twice. A new id is close to the old one, of characters that every API accepts;
the same ids in the same order give the same new ids. Arguments that are cut off are never completed, because a path
that was cut is the path of another file; the original is kept under `_raw`. What is neither text nor media is written
as JSON. Recorded documents contain these texts, so they never change.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from secateur.api.editable import Node
from secateur.api.image_size import read_image_size
from secateur.errors import FormatError
from secateur.formats.native import dump_canonical
from secateur.jsontext import loads

_ODD = re.compile(r"[^a-zA-Z0-9_-]")  # rule A5; no other API takes less
_LONGEST = 64  # characters of an id made here; Bedrock and Responses take no more

_MEDIA = frozenset({"image", "document", "search_result"})  # blocks that a user message may hold as they are


class FreshIds:
    """The ids that are in use, and new ones."""

    def __init__(self, taken: Iterable[Any]) -> None:
        self.taken = {name for name in taken if isinstance(name, str)}

    def make(self, name: Any) -> str:
        """An id that is not in use, close to this one."""
        stem = _ODD.sub("_", name if isinstance(name, str) else "")[: _LONGEST - 8] or "call"
        number, found = 2, stem
        while found in self.taken:
            found, number = f"{stem}_{number}", number + 1
        self.taken.add(found)
        return found


def parse_object(given: Any) -> dict[str, Any]:
    """Arguments as an object: parsed from a string, empty for nothing, and otherwise all of it under `_raw`."""
    if given is None or given == "":
        return {}
    if isinstance(given, str):
        try:
            found = loads(given.encode("utf-8", "surrogatepass"))
        except FormatError:
            found = None
        if isinstance(found, dict) and _is_strict(found):
            return found
    return {"_raw": given}


def fix_arguments(given: Any) -> str | None:
    """The string that arguments must be, or None if they already are one. Nothing becomes `{}`."""
    if not isinstance(given, str):
        return "{}" if given is None else dump_canonical(given)
    if not given.strip():
        return "{}"
    try:
        loads(given.encode("utf-8", "surrogatepass"))
    except FormatError:
        return dump_canonical({"_raw": given})
    return None


def _is_strict(value: Any) -> bool:
    """Whether a value can be written as strict JSON, without NaN and infinities."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


def write_heading(call: Any, tool: str = "") -> str:
    """The line above the text of a result without a call."""
    named = f"{tool} call" if tool else "call"
    short = str(call or "")
    short = short if len(short) <= 64 else f"{short[:48]}…{short[-15:]}"
    return f"[result of {named} {short or 'without an id'}, which is not in this conversation]"


def convert_orphan(result: Node, media_stay: bool = True) -> list[Node]:
    """The blocks that replace a result of the Messages API; its media stay blocks if the user may send them."""
    content = result.get("content")
    texts = [write_heading(result.get("tool_use_id"))]
    media: list[Node] = []
    for number, block in enumerate(content if isinstance(content, list) else [content]):
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(kind, str) and kind in _MEDIA and media_stay:
            stays = result.path is not None and not any(op.path[:1] in ((), ("content",)) for op in result.ops)
            media.append(Node(block, (*result.path, "content", number) if stays and result.path else None))
        else:
            texts += _extract_texts(block)
    marked = {"cache_control": result.get("cache_control")} if result.get("cache_control") else {}
    return [Node({"type": "text", "text": "\n".join(texts), **marked}), *media]


def _extract_texts(block: Any) -> Iterator[str]:
    if isinstance(block, str):
        yield from [block] if block else []
    elif isinstance(block, dict) and isinstance(block.get("text"), str):
        yield block["text"]
    elif block is not None:
        yield dump_canonical(block)


def flatten_text(content: Any) -> str:
    """Everything that a result's content says, as one text."""
    return "\n".join(
        text for block in (content if isinstance(content, list) else [content]) for text in _extract_texts(block)
    )


def describe_removed(what: Any, data: str, why: str) -> str:
    """The text that replaces a medium: what it was, its size if `data` (base64) is known, and why it was removed."""
    size = read_image_size(data) if data else None
    shape = f" {size[0]}x{size[1]}" if size else ""
    weight = f" {len(data) * 3 // 4:,} bytes" if data else ""
    return f"[{what}{shape}{weight} removed: {why}]"
