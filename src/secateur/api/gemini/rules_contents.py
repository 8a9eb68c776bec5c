"""The shape of contents and parts."""

from typing import Any

from secateur.api.accessors import items
from secateur.api.gemini.walk import Contents, data_of, is_blank, is_void
from secateur.api.rule import Found, rule

_ROLES = ("user", "model", "function", None)  # none: the user's; function: of older SDKs


@rule("G0", "contents and parts are objects", "SDK types")
def odd(history: Contents) -> Found:
    return history.odd


@rule("G0", "a call's arguments are an object", "SDK types", blocks=("functionCall",))
def arguments(value: Any, history: Contents) -> Found:
    if isinstance(value, dict) and isinstance(value.get("args"), dict | None):
        return ()
    return [((), "a call's arguments are no object: write `args` as one")]


@rule("G0", "a text is a string", "SDK types", blocks=("text",))
def no_text(part: Any, history: Contents) -> Found:
    return () if isinstance(part["text"], str) else [((), "a text is no string: write it as one")]


@rule("G4", "a function's response is an object", "SDK types", blocks=("functionResponse",))
def response(value: Any, history: Contents) -> Found:
    if isinstance(value, dict) and isinstance(value.get("response"), dict):
        return ()
    return [((), 'a function\'s response is no object: write a text as {"output": "..."}')]


@rule("G5", "a content has parts", "general knowledge", blocks=("content",))
def no_parts(content: Any, history: Contents) -> Found:
    if items(content.get("parts")):
        return ()
    return [((), "a content has no parts: give it one, or take it out")]


@rule("G5", "there are contents", "general knowledge", whole=True)
def none(history: Contents) -> Found:
    if not history.messages:
        yield (history.array,), "there are no contents: send at least the user's"


@rule(
    "G5",
    "no text part is empty, unless it carries a signature",
    "recorded: the Gemini API took one; Vertex AI is said to refuse it",
    blocks=("text",),
    severity="warning",
)
def empty_text(part: Any, history: Contents) -> Found:
    if not is_blank(part) or history.profile == "vertex":
        return ()
    return [((), "a text part is empty, which Vertex AI refuses: take it out, or give it a text")]


@rule(
    "G5",
    "no text part is empty on Vertex AI, unless it carries a signature",
    "general knowledge",
    blocks=("text",),
    profiles=("vertex",),
)
def empty_text_on_vertex(part: Any, history: Contents) -> Found:
    if not is_blank(part):
        return ()
    return [((), "a text part is empty: take it out, or give it a text if it is the content's only one")]


@rule("G6", "roles are user and model", "general knowledge", blocks=("content",))
def role(content: Any, history: Contents) -> Found:
    if content.get("role") in _ROLES:
        return ()
    return [(("role",), f"role {str(content.get('role'))[:40]!r} is neither user nor model: make it one of them")]


@rule("G6", "the last content is the user's", "general knowledge", whole=True, tail=True)
def last(history: Contents) -> Found:
    if history.turns and history.turns[-1].role == "model" and history.turns[-1].calls:
        yield history.turns[-1].path, "the model has the last word with calls: give them responses, or take them out"


@rule("G6", "the first content is the user's", "older models and SDKs refuse another", whole=True, severity="warning")
def first(history: Contents) -> Found:
    turn = history.turns[0] if history.turns else None
    if turn is not None and turn.role == "model" and not turn.calls and not history.partial:
        yield turn.path, "the history begins with the model: begin it with a user's content"


@rule("G7", "a part holds one datum", "SDK types", blocks=("part",))
def one_datum(part: Any, history: Contents) -> Found:
    if len(data_of(part)) > 1:
        return [((), "a part holds more than one datum: make it as many parts")]
    return [((), "a part holds no datum: give it a text, or take it out")] if is_void(part) else ()
