"""The texts that replace what cannot be sent: a result without a call, with its media beside it, and media.

Rule: nothing that a result said is lost, and nothing is said twice. What is neither text nor media is written as JSON.
Recorded documents contain these texts, so they never change.
"""

from collections.abc import Iterator
from typing import Any

from secateur.api.editable import Node
from secateur.api.image_size import read_image_size
from secateur.formats.native import dump_canonical

_MEDIA = frozenset({"image", "document", "search_result"})  # blocks that a user message may hold as they are


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
