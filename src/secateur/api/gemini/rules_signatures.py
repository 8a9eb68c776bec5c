"""Thought signatures: each step of calls in the current turn carries one, from Gemini 3 on."""

import re
from collections.abc import Iterator

from secateur.api.gemini.walk import Contents, Turn
from secateur.api.rule import Found, rule

_MODEL = re.compile(r"gemini-(\d+)")


@rule("G10", "from Gemini 3 on, each step of calls in the current turn keeps its signature", "reported; docs")
def missing(history: Contents) -> Found:
    for turn in _current(history) if wants(history.model) else ():
        path, part, _ = turn.calls[0]
        if not (part.get("thoughtSignature") or part.get("thought_signature")):
            yield path, "a call of the current turn has no thought signature: bring it back with its call"


def wants(model: str) -> bool:
    """Whether a model refuses calls of the current turn without a signature. An unknown model is not taken to."""
    found = _MODEL.search(model)
    return found is not None and int(found[1]) >= 3


def _current(history: Contents) -> Iterator[Turn]:
    """The steps of calls since the user last spoke."""
    start = max((n for n, turn in enumerate(history.turns) if turn.speaks), default=-1)
    return (turn for turn in history.turns[start + 1 :] if turn.calls)
