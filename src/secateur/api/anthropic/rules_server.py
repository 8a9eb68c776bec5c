"""Server tools: uses and results of one turn, all or nothing."""

from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule


@rule("A40", "a server tool's result has its use before it in the turn", "reported: claude-code #64383, #66548")
def astray(history: Messages) -> Found:
    for path, kind, id in history.turns.astray:
        yield (
            path,
            f"a block of type {kind[:60]} has no use {id[:60]!r} before it in its turn: take both out, or neither",
        )


@rule("A41", "a server tool without a result stands in the last turn only", "docs")
def left_open(history: Messages) -> Found:
    for path, id in history.turns.left_open:
        yield path, f"server tool use {id[:60]!r} has no result and its turn is over: take it out"
