"""Sizes: of the body, of pictures and how many of them, and what documents must agree on."""

from typing import Any

from secateur.api.accessors import fields
from secateur.api.anthropic.walk import Messages
from secateur.api.image_size import sides
from secateur.api.rule import Found, rule

BODY = 32_000_000  # bytes; docs: request size limits
IMAGES = 600  # pictures and PDF pages, a document counted as one page
SIDE = 8000  # pixels
MANY, MANY_SIDE = 20, 2000  # more pictures than this: each side at most that
BASE64 = 10 * 1024 * 1024  # characters of one picture


@rule("A25", "a body has at most 32 MB", "docs", whole=True)
def body(history: Messages) -> Found:
    if history.size > BODY:
        yield (), f"the body has {history.size:,} bytes, {BODY:,} may be: clear pictures and old results"


@rule("A26", "at most 600 pictures and PDF pages in a request", "docs", whole=True)
def count(history: Messages) -> Found:
    media = len(history.images) + len(history.documents)
    if media > IMAGES:
        yield (
            history.images[-1][0] if history.images else (),
            f"{media} pictures and documents, {IMAGES} may be: clear old ones",
        )


@rule("A27", "a picture has at most 8000 pixels a side and 10 MB", "docs; reported: oh-my-pi #10633", blocks=("image",))
def image(block: Any, history: Messages) -> Found:
    data = _data(block)
    if isinstance(data, str) and len(data) > BASE64:
        return [((), f"a picture has {len(data):,} characters of base64, {BASE64:,} may be: make it smaller")]
    size = sides(data)
    if size and max(size) > SIDE:
        return [((), f"a picture has {size[0]} by {size[1]} pixels, {SIDE} a side may be: make it smaller")]
    return ()


@rule(
    "A28",
    "with more than 20 pictures, each has at most 2000 pixels a side",
    "docs; reported: claude-code #9375, crush #3810",
    whole=True,
)
def many(history: Messages) -> Found:
    if len(history.images) <= MANY:
        return
    cure = f"make it smaller, or clear old ones of the {len(history.images)} pictures down to {MANY}"
    for path, block in history.images:
        size = sides(_data(block))
        if size and MANY_SIDE < max(size) <= SIDE:
            yield path, f"{size[0]} by {size[1]} pixels, {MANY_SIDE} a side may be with so many pictures: {cure}"


@rule("A29", "citations are on for all documents or for none", "docs")
def citations(history: Messages) -> Found:
    cited = [fields(block.get("citations")).get("enabled") is True for _, block in history.documents]
    for on, (path, _) in zip(cited, history.documents, strict=True):
        if on != cited[0]:
            yield path, "citations are on for some documents and off for others: set all alike"


def _data(block: Any) -> Any:
    return fields(block.get("source")).get("data")
