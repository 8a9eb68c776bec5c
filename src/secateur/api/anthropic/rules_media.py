"""Rules for sizes: of the body, of images and their number; and for citations."""

from typing import Any

from secateur.api.accessors import get_fields
from secateur.api.anthropic.walk import MessagesWalker
from secateur.api.image_size import read_image_size
from secateur.api.rule import Found, rule

BODY = 32_000_000  # bytes; docs: request size limits
IMAGES = 600  # images and PDF pages; a document counts as one page
SIDE = 8000  # pixels
MANY, MANY_SIDE = 20, 2000  # with more images than this, each side is limited
BASE64 = 10 * 1024 * 1024  # characters of one image


@rule("A25", "a body has at most 32 MB", "docs", whole=True, partly="only media are removed, texts stay")
def body(history: MessagesWalker) -> Found:
    if history.size > BODY:
        yield (), f"the body has {history.size:,} bytes, the limit is {BODY:,}: clear images and old results"


@rule("A26", "a request has at most 600 images and PDF pages", "docs", whole=True)
def count(history: MessagesWalker) -> Found:
    media = len(history.images) + len(history.documents)
    if media > IMAGES:
        yield (
            history.images[-1][0] if history.images else (),
            f"{media} images and documents, the limit is {IMAGES}: clear the oldest",
        )


@rule("A27", "an image has at most 8000 pixels a side and 10 MB", "docs; reported: oh-my-pi #10633", blocks=("image",))
def image(block: Any, history: MessagesWalker) -> Found:
    data = _get_data(block)
    if isinstance(data, str) and len(data) > BASE64:
        return [((), f"an image has {len(data):,} characters of base64, the limit is {BASE64:,}: make it smaller")]
    size = read_image_size(data)
    if size and max(size) > SIDE:
        return [((), f"an image has {size[0]} by {size[1]} pixels, the limit is {SIDE} per side: make it smaller")]
    return ()


@rule(
    "A28",
    "with more than 20 images, each has at most 2000 pixels a side",
    "docs; reported: claude-code #9375, crush #3810",
    whole=True,
)
def many(history: MessagesWalker) -> Found:
    if len(history.images) <= MANY:
        return
    cure = f"make it smaller, or clear the oldest of the {len(history.images)} images down to {MANY}"
    for path, block in history.images:
        size = read_image_size(_get_data(block))
        if size and MANY_SIDE < max(size) <= SIDE:
            yield (
                path,
                f"{size[0]} by {size[1]} pixels, the limit with this many images is {MANY_SIDE} per side: {cure}",
            )


@rule(
    "A29",
    "citations are enabled for all documents or for none",
    "docs",
    no_repair="whether to cite is the caller's decision",
)
def citations(history: MessagesWalker) -> Found:
    cited = [get_fields(block.get("citations")).get("enabled") is True for _, block in history.documents]
    for on, (path, _) in zip(cited, history.documents, strict=True):
        if on != cited[0]:
            yield path, "citations are enabled for some documents and not for others: set all alike"


def _get_data(block: Any) -> Any:
    return get_fields(block.get("source")).get("data")
