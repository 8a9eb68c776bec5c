"""Calls and responses: in neighbouring turns, as many of one as of the other."""

from secateur.rules.gemini.walk import Contents, name_of
from secateur.rules.rule import Found, rule


@rule("G1", "a turn of calls follows the user's", "reported", whole=True)
def starts(history: Contents) -> Found:
    if history.turns and history.turns[0].role == "model" and history.turns[0].calls and not history.partial:
        yield history.turns[0].path, "the history begins with the model's calls: begin it with a user's content"


@rule("G2", "a turn of responses follows a turn of calls", "reported")
def orphans(history: Contents) -> Found:
    for number, turn in enumerate(history.turns):
        called = history.turns[number - 1].calls if number else []
        if turn.responses and not called and not (history.partial and number == 0):
            path, value = turn.responses[0]
            yield path, f"a response of {name_of(value)[:60]!r} follows no call: bring the call back, or make it a text"


@rule("G3", "a turn of calls has as many responses", "reported: gemini-cli #6638, #5718")
def counts(history: Contents) -> Found:
    for turn, after in zip(history.turns, history.turns[1:], strict=False):
        if turn.calls and len(turn.calls) != len(after.responses):
            yield (
                turn.calls[0][0],
                (f"{len(turn.calls)} calls and {len(after.responses)} responses in the next turn: give each call one"),
            )


@rule("G13", "server tools and code stand with their results", "general knowledge")
def server(history: Contents) -> Found:
    for path in history.astray:
        yield path, "a result of a server tool has no use before it: take both out, or neither"
