"""Rules for contents and parts, for fields of the request that exclude each other, and for the size of the body."""

from typing import Any

from secateur.api.accessors import get_items
from secateur.api.gemini.walk import ContentsWalker, find_data, is_blank, is_void
from secateur.api.rule import Found, rule

_ROLES = ("user", "model", "function", None)  # none: the user's; function: of older SDKs


@rule("G0", "contents and parts are objects", "SDK types", partly="only a text where a part should be")
def odd(history: ContentsWalker) -> Found:
    return history.odd


@rule("G0", "a call's arguments are an object", "SDK types", blocks=("functionCall",))
def arguments(value: Any, history: ContentsWalker) -> Found:
    if isinstance(value, dict) and (value.get("args") is None or isinstance(value["args"], dict)):
        return ()
    return [((), "the arguments of a call are not an object: write `args` as one")]


@rule("G0", "a text is a string", "SDK types", blocks=("text",))
def no_text(part: Any, history: ContentsWalker) -> Found:
    return () if isinstance(part["text"], str) else [((), "a text is not a string: write it as one")]


@rule("G4", "a function's response is an object", "SDK types", blocks=("functionResponse",))
def response(value: Any, history: ContentsWalker) -> Found:
    if isinstance(value, dict) and isinstance(value.get("response"), dict):
        return ()
    return [((), 'a function\'s response is not an object: write a text as {"output": "..."}')]


@rule("G5", "a content has parts", "general knowledge", blocks=("content",))
def no_parts(content: Any, history: ContentsWalker) -> Found:
    if get_items(content.get("parts")):
        return ()
    return [((), "a content has no parts: add one, or remove it")]


@rule("G5", "there are contents", "general knowledge", whole=True, no_repair="there is nothing to send")
def none(history: ContentsWalker) -> Found:
    if not history.messages:
        yield (history.array,), "there are no contents: send at least one of the user"


@rule(
    "G5",
    "no text part is empty, unless it has a signature",
    "recorded: the Gemini API took one; Vertex AI is reported to reject it",
    blocks=("text",),
    severity="warning",
)
def empty_text(part: Any, history: ContentsWalker) -> Found:
    if not is_blank(part) or history.profile == "vertex":
        return ()
    return [((), "a text part is empty, which Vertex AI rejects: remove it, or give it a text")]


@rule(
    "G5",
    "on Vertex AI no text part is empty, unless it has a signature",
    "general knowledge",
    blocks=("text",),
    profiles=("vertex",),
)
def empty_text_on_vertex(part: Any, history: ContentsWalker) -> Found:
    if not is_blank(part):
        return ()
    return [((), "a text part is empty: remove it, or give it a text if it is the only part of its content")]


@rule("G6", "roles are user and model", "general knowledge", blocks=("content",))
def role(content: Any, history: ContentsWalker) -> Found:
    if content.get("role") in _ROLES:
        return ()
    return [(("role",), f"role {str(content.get('role'))[:40]!r} is neither user nor model: use one of these")]


@rule("G6", "the last content is a user content", "general knowledge", whole=True, tail=True)
def last(history: ContentsWalker) -> Found:
    if history.turns and history.turns[-1].role == "model" and history.turns[-1].calls:
        yield (
            history.turns[-1].path,
            "the history ends with calls of the model: add their responses, or remove the calls",
        )


@rule(
    "G6", "the first content is a user content", "older models and SDKs reject another", whole=True, severity="warning"
)
def first(history: ContentsWalker) -> Found:
    turn = history.turns[0] if history.turns else None
    if turn is not None and turn.role == "model" and not turn.calls and not history.partial:
        yield turn.path, "the history begins with the model: add a user content before it"


@rule("G7", "a part has one field of data", "SDK types", blocks=("part",))
def one_datum(part: Any, history: ContentsWalker) -> Found:
    if len(find_data(part)) > 1:
        return [((), "a part has several fields of data: split it into one part per field")]
    return [((), "a part has no data: give it a text, or remove it")] if is_void(part) else ()


BODY = 100_000_000  # bytes; docs: 20 MB once, 100 MB now


@rule(
    "G12",
    "cached content excludes system instruction, tools and tool config",
    "reported: litellm #17304",
    no_repair="fields of the request belong to the caller",
)
def cached(history: ContentsWalker) -> Found:
    if not history.get_field("cachedContent"):
        return
    for name in ("systemInstruction", "tools", "toolConfig"):
        if history.get_field(name):
            yield (name,), f"`{name}` is beside cached content, which contains it: remove it"


@rule("G14", "a body has at most 100 MB", "docs", whole=True, partly="only media are removed, texts stay")
def body(history: ContentsWalker) -> Found:
    if history.size > BODY:
        yield (), f"the body has {history.size:,} bytes, the limit is {BODY:,}: clear media and old results"
