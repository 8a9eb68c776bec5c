"""Rules for calls and responses in neighboring turns, and for thought signatures."""

import re
from collections.abc import Iterator
from typing import Any

from secateur.api.gemini.walk import ContentsWalker, GeminiTurn, get_id_and_name, get_name
from secateur.api.rule import Found, rule
from secateur.pairing import match_by_name


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
    if not isinstance(value, dict) or get_name(value):
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
