"""Rules for documents, images and cache points: where, how many, how large, under which names."""

import re
from typing import Any

from secateur.api.accessors import get_fields, get_text
from secateur.api.bedrock.walk import ConverseWalker
from secateur.api.image_size import read_image_size
from secateur.api.rule import Found, rule

IMAGES, SIDE = 20, 8000  # docs
DOCUMENTS = 5  # docs
_NAME = re.compile(r"(?!.*\s\s)[a-zA-Z0-9\s()\[\]-]{1,200}\Z")
_BYTES = {"image": 3_750_000, "document": 4_500_000}  # docs


@rule("B9", "a message with a document has a text, too", "reported")
def text_beside(history: ConverseWalker) -> Found:
    for path, _, texts in history.documents:
        if not texts:
            yield path, "a document is in a message without text: add a text block"


@rule(
    "B9",
    "there are at most 5 documents, each with a valid name of its own",
    "general knowledge",
    partly="only names, not the number of documents",
)
def names(history: ConverseWalker) -> Found:
    seen: set[str] = set()
    for number, (path, value, _) in enumerate(history.documents):
        name = get_text(get_fields(value).get("name"))
        if not _NAME.match(name) or name in seen:
            yield (
                path,
                f"document name {name[:40]!r} is invalid or used twice: rename the document with letters and digits",
            )
        elif number >= DOCUMENTS:
            yield path, f"{len(history.documents)} documents, the limit is {DOCUMENTS}: replace the oldest with a text"
        seen.add(name)


@rule(
    "B10",
    "images and documents are in user messages",
    "docs",
    no_repair="media of the assistant cannot be attributed to the user",
)
def side(history: ConverseWalker) -> Found:
    for path, kind, role in history.media:
        if role != "user":
            yield path, f"a {kind} is in a message of role {role}: replace it with a text"


@rule(
    "B10",
    "there are at most 20 images",
    "docs",
    whole=True,
    no_repair="which images to clear is the decision of a policy",
)
def many(history: ConverseWalker) -> Found:
    pictures = [path for path, kind, _ in history.media if kind == "image"]
    if len(pictures) > IMAGES:
        yield pictures[0], f"{len(pictures)} images, the limit is {IMAGES}: replace the oldest with a text"


@rule(
    "B10",
    "an image has at most 3.75 MB and 8000 pixels a side",
    "docs",
    blocks=("image", "document"),
    no_repair="media cannot be made smaller here",
)
def large(value: Any, history: ConverseWalker) -> Found:
    data = get_fields(get_fields(value).get("source")).get("bytes")
    size = len(data) * 3 // 4 if isinstance(data, str) else len(data) if isinstance(data, bytes) else 0
    most = _BYTES["document" if get_text(get_fields(value).get("name")) else "image"]
    if size > most:
        return [((), f"a medium has {size:,} bytes, the limit is {most:,}: make it smaller")]
    pixels = read_image_size(data)
    if pixels and max(pixels) > SIDE:
        return [((), f"an image has {pixels[0]} by {pixels[1]} pixels, the limit is {SIDE} per side: make it smaller")]
    return ()


SLOTS = 4  # docs


@rule("B12", "no cache point follows reasoning", "reported: opencode #36517, #49859, strands #1820, rig #1673")
def after_reasoning(history: ConverseWalker) -> Found:
    for path, before, _ in history.points:
        if before == "reasoningContent":
            yield path, "a cache point follows reasoning: move it before the reasoning, or into a user message"


@rule("B14", "no cache point follows a document that is not a PDF", "reported: strands #2001")
def after_document(history: ConverseWalker) -> Found:
    for path, before, value in history.points:
        if before == "document" and get_fields(value).get("format") != "pdf":
            yield path, "a cache point follows a document that is not a PDF: move it before the document"


@rule("B14", "there are at most 4 cache points", "docs")
def too_many(history: ConverseWalker) -> Found:
    for path, _, _ in history.points[SLOTS:]:
        yield path, f"{len(history.points)} cache points, the limit is {SLOTS}: remove this one"
