"""Calls and results of a recorded conversation."""

from secateur.api.rule import Found, rule
from secateur.api.transcript.walk import Conversation, is_text
from secateur.model import Part


@rule("L1", "a call that something came after has its result", "rules A1, O2, R1, G3, B1")
def unanswered(history: Conversation) -> Found:
    for path, part in history.calls.unanswered:
        if not is_text(part):
            yield path, f"call {_named(part)} has no result: give it one that says it was interrupted"


@rule("L10", "a call at the end of a session has its result", "rules A1, O2, R1, G3, B1", severity="warning")
def waiting(history: Conversation) -> Found:
    for path, part in history.calls.open_calls if history.ends else ():
        if not is_text(part):
            yield path, f"call {_named(part)} waits for its result: it needs one before anything else is said"


@rule("L2", "a result has its call before it", "rules A2, O1, R2, G2, B2")
def orphans(history: Conversation) -> Found:
    unnamed = [(path, part) for path, part in history.calls.doubles if not part.call_id]
    for path, part in (*history.calls.orphans, *unnamed):
        yield path, f"result {_named(part)} has no call before it: bring the call back, or take it out"


@rule("L3", "a call has one result", "rules A4, O4")
def doubles(history: Conversation) -> Found:
    for path, part in history.calls.doubles:
        if part.call_id:
            yield path, f"call {_named(part)} has a second result: keep one of them"


@rule("L4", "nobody speaks between a call and its result", "rules A1, O1")
def apart(history: Conversation) -> Found:
    for path, part in history.apart:
        yield path, f"a message stands between call {_named(part)} and its result: move it behind the result"


def _named(part: Part) -> str:
    return f"{part.call_id[:60]!r} ({part.tool[:60] or 'no name'})"
