"""The shape of contents and parts."""

from typing import Any

from secateur.rules.gemini.walk import DATA, Contents
from secateur.rules.rule import Found, rule
from secateur.rules.values import items

_ROLES = ("user", "model", "function", None)  # none: the user's; function: of older SDKs


@rule("G0", "contents and parts are objects", "SDK types")
def odd(history: Contents) -> Found:
    return history.odd


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


@rule("G5", "no text part is empty, unless it carries a signature", "general knowledge", blocks=("text",))
def empty_text(part: Any, history: Contents) -> Found:
    if part["text"] != "" or part.get("thoughtSignature") or part.get("thought_signature"):
        return ()
    return [((), "a text part is empty: take it out, or give it a text if it is the content's only one")]


@rule("G6", "roles are user and model", "general knowledge", blocks=("content",))
def role(content: Any, history: Contents) -> Found:
    if content.get("role") in _ROLES:
        return ()
    return [(("role",), f"role {str(content.get('role'))[:40]!r} is neither user nor model: make it one of them")]


@rule("G6", "the last content is the user's", "general knowledge", whole=True)
def last(history: Contents) -> Found:
    if history.turns and history.turns[-1].role == "model" and history.turns[-1].calls:
        yield history.turns[-1].path, "the model has the last word with calls: give them responses, or take them out"


@rule("G7", "a part holds one datum", "SDK types", blocks=("part",))
def one_datum(part: Any, history: Contents) -> Found:
    if len([name for name in part if name in DATA]) > 1:
        return [((), "a part holds more than one datum: make it as many parts")]
    return ()
