"""Rules for a Gemini request: contents and parts, calls and responses, thought signatures, fields, and size."""

import re
from collections.abc import Iterator
from typing import Any

from secateur.api.gemini.walk import ContentsWalker, GeminiTurn, find_data, get_id_and_name, get_name, is_blank, is_void
from secateur.api.rule import Found, rule
from secateur.pairing import match_by_name

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
    parts = content.get("parts")
    if parts and isinstance(parts, list | tuple):
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


@rule("G1", "a turn with calls follows a user turn", "reported", whole=True)
def starts(history: ContentsWalker) -> Found:
    if history.turns and history.turns[0].role == "model" and history.turns[0].calls and not history.partial:
        yield history.turns[0].path, "the history begins with calls of the model: add a user content before it"


@rule("G1", "calls are in contents of the model", "general knowledge")
def whose(history: ContentsWalker) -> Found:
    for turn in history.turns:
        if turn.calls and turn.role != "model":
            yield turn.calls[0][0], "a user content has a call: give it the role model, or turn the call into text"


@rule("G2", "a turn with responses follows a turn with calls", "reported")
def orphans(history: ContentsWalker) -> Found:
    for number, turn in enumerate(history.turns):
        called = history.turns[number - 1].calls if number else []
        if turn.responses and not called and not (history.partial and number == 0):
            path, value = turn.responses[0]
            yield (
                path,
                f"a response of {get_name(value)[:60]!r} follows no call: restore the call, or turn it into text",
            )


@rule("G3", "a turn with calls has as many responses", "reported: gemini-cli #6638, #5718")
def counts(history: ContentsWalker) -> Found:
    for turn, after in history.rounds:
        if len(turn.calls) != len(after.responses):
            yield (
                turn.calls[0][0],
                (f"{len(turn.calls)} calls and {len(after.responses)} responses in the next turn: add one per call"),
            )


@rule("G3", "calls and responses have a name", "reported", blocks=("functionCall", "functionResponse"))
def named(value: Any, history: ContentsWalker) -> Found:
    if not isinstance(value, dict) or (isinstance(name := value.get("name"), str) and name):
        return ()
    return [((), "a call or response has no name: add the name of its function")]


@rule("G3", "a response has the id or the name of its call", "docs", severity="warning")
def strangers(history: ContentsWalker) -> Found:
    for turn, after in history.rounds:
        if len(turn.calls) == len(after.responses) and not _is_one_answered(turn, after):
            calls = [get_id_and_name(value) for _, _, value in turn.calls]
            responses = [get_id_and_name(value) for _, value in after.responses]
            if calls == responses:
                continue
            found = match_by_name(calls, responses)
            for (path, value), call in zip(after.responses, found, strict=True):
                if call is None or get_name(turn.calls[call][2]) != get_name(value):
                    yield (
                        path,
                        f"a response of {get_name(value)[:60]!r} does not fit its call: give it the name of the call",
                    )


@rule("G3", "the responses of a turn are in one content", "reported", severity="warning")
def spread(history: ContentsWalker) -> Found:
    for _, after in history.rounds:
        if len(after.responses) > 1 and len({path[1] for path, _ in after.responses}) > 1:
            path = after.responses[-1][0]
            yield path, "the responses to one turn are in several contents: move all into the first"


def _is_one_answered(turn: GeminiTurn, after: GeminiTurn) -> bool:
    """Whether it is one call and its response, as most are: of one name and one id."""
    if len(turn.calls) != 1:
        return False
    call, response = turn.calls[0][2], after.responses[0][1]
    return bool(call.get("name") == response.get("name") and call.get("id") == response.get("id"))


@rule("G13", "server tools and code are followed by their results", "general knowledge")
def server(history: ContentsWalker) -> Found:
    for path in history.astray:
        yield path, "the result of a server tool has no use before it: remove both, or keep both"


_MODEL = re.compile(r"gemini-(\d+)")


@rule("G10", "from Gemini 3 on, the first call of each step in the current turn keeps its signature", "reported; docs")
def missing(history: ContentsWalker) -> Found:
    for turn in _find_current_turns(history) if needs_signatures(history.model) else ():
        path, part, _ = turn.calls[0]
        if not (part.get("thoughtSignature") or part.get("thought_signature")):
            yield path, "a call of the current turn has no thought signature: restore it with its call"


def needs_signatures(model: str) -> bool:
    """Whether a model needs a signature on calls of the current turn. An unknown model is assumed not to."""
    found = _MODEL.search(model)
    return found is not None and int(found[1]) >= 3


def _find_current_turns(history: ContentsWalker) -> Iterator[GeminiTurn]:
    """Return the call steps since the user last spoke."""
    start = max((n for n, turn in enumerate(history.turns) if turn.speaks), default=-1)
    return (turn for turn in history.turns[start + 1 :] if turn.calls)
