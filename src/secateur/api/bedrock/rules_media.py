"""Documents and pictures: where, how many, how large, under which name."""

import re
from typing import Any

from secateur.api.accessors import fields, word
from secateur.api.bedrock.walk import Converse
from secateur.api.image_size import sides
from secateur.api.rule import Found, rule

IMAGES, SIDE = 20, 8000  # docs
DOCUMENTS = 5  # docs
_NAME = re.compile(r"(?!.*\s\s)[a-zA-Z0-9\s()\[\]-]{1,200}\Z")
_BYTES = {"image": 3_750_000, "document": 4_500_000}  # docs


@rule("B9", "a document has a text beside it", "reported")
def text_beside(history: Converse) -> Found:
    for path, _, texts in history.documents:
        if not texts:
            yield path, "a document stands in a message without text: put a text block beside it"


@rule("B9", "documents are 5 at most, under sound names, none twice", "general knowledge")
def names(history: Converse) -> Found:
    seen: set[str] = set()
    for number, (path, value, _) in enumerate(history.documents):
        name = word(fields(value).get("name"))
        if not _NAME.match(name) or name in seen:
            yield path, f"document name {name[:40]!r} is not sound or stands twice: give it one of letters and digits"
        elif number >= DOCUMENTS:
            yield path, f"{len(history.documents)} documents, {DOCUMENTS} may be: put a text in the place of old ones"
        seen.add(name)


@rule("B10", "pictures and documents stand in user messages", "docs")
def side(history: Converse) -> Found:
    for path, kind, role in history.media:
        if role != "user":
            yield path, f"a {kind} stands in a message of role {role}: put a text in its place"


@rule("B10", "pictures are 20 at most", "docs", whole=True)
def many(history: Converse) -> Found:
    pictures = [path for path, kind, _ in history.media if kind == "image"]
    if len(pictures) > IMAGES:
        yield pictures[0], f"{len(pictures)} pictures, {IMAGES} may be: put a text in the place of old ones"


@rule("B10", "a picture has at most 3.75 MB and 8000 pixels a side", "docs", blocks=("image", "document"))
def large(value: Any, history: Converse) -> Found:
    data = fields(fields(value).get("source")).get("bytes")
    size = len(data) * 3 // 4 if isinstance(data, str) else len(data) if isinstance(data, bytes) else 0
    most = _BYTES["document" if word(fields(value).get("name")) else "image"]
    if size > most:
        return [((), f"a medium has {size:,} bytes, {most:,} may be: make it smaller")]
    pixels = sides(data)
    if pixels and max(pixels) > SIDE:
        return [((), f"a picture has {pixels[0]} by {pixels[1]} pixels, {SIDE} a side may be: make it smaller")]
    return ()
