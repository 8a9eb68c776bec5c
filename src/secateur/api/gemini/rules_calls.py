"""Calls and responses: in neighbouring turns, as many of one as of the other."""

from collections.abc import Iterator
from typing import Any

from secateur.api.gemini.walk import Contents, Turn, id_and_name, name_of
from secateur.api.rule import Found, rule
from secateur.pairing import match_by_name


@rule("G1", "a turn of calls follows the user's", "reported", whole=True)
def starts(history: Contents) -> Found:
    if history.turns and history.turns[0].role == "model" and history.turns[0].calls and not history.partial:
        yield history.turns[0].path, "the history begins with the model's calls: begin it with a user's content"


@rule("G1", "calls are the model's", "general knowledge")
def whose(history: Contents) -> Found:
    for turn in history.turns:
        if turn.calls and turn.role != "model":
            yield turn.calls[0][0], "a content of the user holds a call: give it the role model, or make it a text"


@rule("G2", "a turn of responses follows a turn of calls", "reported")
def orphans(history: Contents) -> Found:
    for number, turn in enumerate(history.turns):
        called = history.turns[number - 1].calls if number else []
        if turn.responses and not called and not (history.partial and number == 0):
            path, value = turn.responses[0]
            yield path, f"a response of {name_of(value)[:60]!r} follows no call: bring the call back, or make it a text"


@rule("G3", "a turn of calls has as many responses", "reported: gemini-cli #6638, #5718")
def counts(history: Contents) -> Found:
    for turn, after in _rounds(history):
        if len(turn.calls) != len(after.responses):
            yield (
                turn.calls[0][0],
                (f"{len(turn.calls)} calls and {len(after.responses)} responses in the next turn: give each call one"),
            )


@rule("G3", "calls and responses bear a name", "reported", blocks=("functionCall", "functionResponse"))
def named(value: Any, history: Contents) -> Found:
    if not isinstance(value, dict) or name_of(value):
        return ()
    return [((), "a call or response has no name: give it that of its function")]


@rule("G3", "a response bears the id or name of its call", "docs", severity="warning")
def strangers(history: Contents) -> Found:
    for turn, after in _rounds(history):
        if len(turn.calls) == len(after.responses):
            found = match_by_name(
                [id_and_name(value) for _, _, value in turn.calls], [id_and_name(value) for _, value in after.responses]
            )
            for (path, value), call in zip(after.responses, found, strict=True):
                if call is None or name_of(turn.calls[call][2]) != name_of(value):
                    yield path, f"a response of {name_of(value)[:60]!r} answers another call: give it that call's name"


@rule("G3", "the responses of a turn stand in one content", "reported", severity="warning")
def spread(history: Contents) -> Found:
    for _, after in _rounds(history):
        if len({path[1] for path, _ in after.responses}) > 1:
            path = after.responses[-1][0]
            yield path, "the responses to one turn stand in several contents: put all into the first of them"


def _rounds(history: Contents) -> Iterator[tuple[Turn, Turn]]:
    """Each turn of calls, with the turn that is to answer."""
    for turn, after in zip(history.turns, history.turns[1:], strict=False):
        if turn.calls and turn.role == "model":
            yield turn, after


@rule("G13", "server tools and code stand with their results", "general knowledge")
def server(history: Contents) -> Found:
    for path in history.astray:
        yield path, "a result of a server tool has no use before it: take both out, or neither"
