"""Rules for a Converse request: roles, ids, calls with their results, documents, images and cache points."""

import re
from typing import Any

from secateur.api.bedrock.walk import ConverseWalker
from secateur.api.image_size import read_image_size
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_items, get_text

_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}\Z")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_IN_RESULT = frozenset({"json", "text", "image", "document", "video", "searchResult"})

IMAGES, SIDE = 20, 8000  # docs
DOCUMENTS = 5  # docs
_NAME_OF_BLOCK = re.compile(r"(?!.*\s\s)[a-zA-Z0-9\s()\[\]-]{1,200}\Z")
_BYTES = {"image": 3_750_000, "document": 4_500_000}  # docs


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and _ID.match(value) is not None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NAME.match(value) is not None


@rule(
    "B0",
    "a message has a known role, a block has one member",
    "botocore model",
    partly="only content that is not a list",
)
def odd(history: ConverseWalker) -> Found:
    return history.odd


@rule("B3", "user and assistant alternate", "reported")
def alternate(history: ConverseWalker) -> Found:
    before = ""
    for number, role in enumerate(history.roles) if not history.alternates else ():
        if role == before:
            yield (history.array, number), f"two {role} messages in a row: merge them"
        before = role if role in ("user", "assistant") else before


@rule("B4", "the first message is a user message", "reported", whole=True)
def first(history: ConverseWalker) -> Found:
    if history.roles[:1] == ["assistant"]:
        yield (history.array, 0), "the conversation begins with the assistant: add a user message before it"


@rule("B5", "a request with calls or results has `toolConfig`", "reported", no_repair="tools belong to the caller")
def tool_config(history: ConverseWalker) -> Found:
    if history.given and history.tools_used and not history.request.get("toolConfig"):
        yield history.tools_used, "calls or results without `toolConfig`: send the tools"


@rule("B7", "an error result is not empty", "reported", blocks=("toolResult",))
def empty_error(value: Any, history: ConverseWalker) -> Found:
    if not isinstance(value, dict) or value.get("status") != "error" or get_items(value.get("content")):
        return ()
    return [(("content",), "an error result has no content: give it a text")]


@rule("B8", "a message has content", "reported", blocks=("@message",))
def empty_message(message: Any, history: ConverseWalker) -> Found:
    return () if get_items(message.get("content")) else [((), "a message has no content: remove it, or give it a text")]


@rule("B8", "no text is blank", "reported", blocks=("text",))
def blank_text(value: Any, history: ConverseWalker) -> Found:
    if isinstance(value, str) and value and not value.isspace():
        return ()
    return [((), "a text is blank: remove its block, or give it a text")]


@rule("B11", "ids are 1 to 64 letters, digits, _ . : and -, inputs are objects", "botocore model", blocks=("toolUse",))
def use(value: Any, history: ConverseWalker) -> Found:
    call: dict[str, Any] = value if isinstance(value, dict) else {}
    if not _is_id(call.get("toolUseId")):
        text = "call id is not 1 to 64 characters of a-z A-Z 0-9 _ . : -: rename it here and in its result"
        return [(("toolUseId",), text)]
    if not isinstance(call.get("input"), dict) and _is_name(call.get("name")):
        return [(("input",), "the input of a call is not an object: write it as one")]
    return ()


@rule(
    "B11",
    "tool names are 1 to 64 letters, digits, _ and -",
    "botocore model",
    blocks=("toolUse",),
    no_repair="the name must stay that of a tool of the request",
)
def tool_name(value: Any, history: ConverseWalker) -> Found:
    name = value.get("name") if isinstance(value, dict) else None
    if _is_name(name) or not _is_id(get_fields(value).get("toolUseId")):
        return ()
    text = "tool name is not 1 to 64 characters of a-z A-Z 0-9 _ -: rename it here and in the tools"
    return [(("name",), text)]


@rule(
    "B13",
    "a result contains no cache point",
    "reported: gateway #1762; botocore model",
    blocks=("toolResult",),
    no_repair="where it was meant to be cannot be known",
)
def nested(value: Any, history: ConverseWalker) -> Found:
    blocks = get_items(get_fields(value).get("content"))
    for block in blocks:  # a loop: most results have one block
        if not isinstance(block, dict) or not _IN_RESULT.issuperset(block):
            break
    else:
        return ()
    names = [(at, name) for at, block in enumerate(blocks) if isinstance(block, dict) for name in block]
    return [
        (("content", at), f"a result contains a {str(name)[:40]}: move it behind the result")
        for at, name in names
        if name not in _IN_RESULT
    ]


@rule(
    "B16",
    "system texts are not empty, and there is at least one tool",
    "botocore model",
    no_repair="fields of the request belong to the caller",
)
def fixed(history: ConverseWalker) -> Found:
    for at, block in enumerate(get_items(history.request.get("system"))):
        if get_fields(block).get("text") == "":
            yield ("system", at), "a system text is empty: remove it"
    if get_fields(history.request.get("toolConfig")).get("tools") == []:
        yield ("toolConfig", "tools"), "`toolConfig` has no tools: add one, or remove the field"


@rule("B1", "each call has its result in the next message; the server's own tools in the same message", "reported")
def unanswered(history: ConverseWalker) -> Found:
    for path, id in history.calls.unanswered:
        text = f"call {id[:60]!r} has no result in the next message: add one, or remove its round"
        yield (*path, "toolUse"), text


@rule("B11", "each call of a message has an id of its own", "general knowledge (rule A4)", severity="warning")
def shared(history: ConverseWalker) -> Found:
    for path, id in history.shared:
        yield path, f"two calls of this message have the id {id[:60]!r}: give one another id, here and in its result"


@rule("B2", "each result answers a call of the message before", "reported")
def excess(history: ConverseWalker) -> Found:
    for path, id in (*history.calls.orphans, *history.calls.doubles):
        text = f"result {id[:60]!r} has no open call in the message before: remove it, or turn it into text"
        yield (*path, "toolResult"), text


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
        if not _NAME_OF_BLOCK.match(name) or name in seen:
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
