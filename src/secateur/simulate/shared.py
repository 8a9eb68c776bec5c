"""Requests that several recordings hold: of a session that was resumed, forked or copied, told apart by what was said.

Rule: an answer's key stands for it and for all that was said before it, so recordings that share a history agree in
their first keys. That alone could be chance where little was said: so either the times agree as well, or enough was
said in the same words, or a whole recording without times is the beginning of another. The longest recording counts
what is shared, the others do not. What was said and when is all that is looked at.
"""

from collections.abc import Sequence

from msgspec import Struct

from secateur.simulate.requests import Recording

ENOUGH, TOKENS = 3, 400  # answers, and tokens in them: no model says so much twice in the same words


class Said(Struct, frozen=True):
    """One answer."""

    key: str  # of it and all before it
    at: int  # when it was asked for, ms since 1970; 0: unknown
    tokens: int


def told(recording: Recording) -> tuple[Said, ...]:
    """The answers of a recording, in order; those that are not recorded are left out."""
    answers = ((one.at, recording.said(one)) for one in recording.requests)
    return tuple(Said(said.key, at, sum(part.tokens for part in said.parts)) for at, said in answers if said)


def shared(recordings: Sequence[Sequence[Said]]) -> list[int]:
    """How many of each recording's first requests are counted with another one."""
    known: dict[str, int] = {}
    found = [0] * len(recordings)
    for number in sorted(range(len(recordings)), key=lambda one: -len(recordings[one])):
        mine = recordings[number]
        same = next((at for at, one in enumerate(mine) if one.key not in known), len(mine))
        if same and _is_no_chance(mine, same, known):
            found[number] = same
        for one in mine:
            known.setdefault(one.key, one.at)
    return found


def _is_no_chance(mine: Sequence[Said], same: int, known: dict[str, int]) -> bool:
    first = mine[:same]
    if all(one.at == known[one.key] for one in first) and (first[0].at or same == len(mine)):
        return True
    return same >= ENOUGH and sum(one.tokens for one in first) >= TOKENS
