"""Requests that several recordings hold: of a session that was resumed, forked or copied, told apart by what was said.

Rule: an answer's key stands for it and for all that was said before it, so recordings that share a history agree in
their first keys. That alone could be chance where little was said: so either the times agree as well, or enough was
said in the same words, or a whole recording without times is the beginning of another. The longest recording counts
what is shared, the others do not. What was said and when is all that is looked at.
"""

from collections.abc import Sequence

from msgspec import Struct

from secateur.simulate.requests import RecordedRequest, Recording

ENOUGH, TOKENS = 3, 400  # answers, and tokens in them: no model says so much twice in the same words


class Said(Struct, frozen=True):
    """One request."""

    key: str  # the model, its answer and all before it; "": that is not recorded
    asked: str  # the model, and all that the request held
    at: int  # when it was sent, ms since 1970; 0: unknown
    tokens: int  # of its answer


def describe_requests(recording: Recording) -> tuple[Said, ...]:
    """The requests of a recording, in order."""
    return tuple(_describe_request(recording, one) for one in recording.requests)


def count_shared(recordings: Sequence[Sequence[Said]]) -> list[int]:
    """How many leading requests of each recording are counted with another one."""
    known: dict[str, int] = {}  # keys of requests, by what they held and by their answers -> when they were sent
    found = [0] * len(recordings)
    for number in sorted(range(len(recordings)), key=lambda one: -sum(1 for said in recordings[one] if said.key)):
        mine = recordings[number]
        same = next((at for at, one in enumerate(mine) if _name(one) not in known), len(mine))
        if same and _is_no_chance(mine, same, known):
            found[number] = same
        for one in mine:
            known.setdefault(one.key, one.at)
            known.setdefault(one.asked, one.at)
    return found


def _describe_request(recording: Recording, request: RecordedRequest) -> Said:
    answer, held = recording.get_answer(request), recording.get_context(request)
    tokens = sum(part.tokens for part in answer.parts) if answer else 0
    asked = f"{request.model} {held[-1].key if held else ''}"
    return Said(f"{request.model} {answer.key}" if answer else "", asked, request.at, tokens)


def _name(one: Said) -> str:
    return one.key or one.asked


def _is_no_chance(mine: Sequence[Said], same: int, known: dict[str, int]) -> bool:
    first = mine[:same]
    if all(one.at == known[_name(one)] for one in first) and (first[0].at or same == len(mine)):
        return True
    return same >= ENOUGH and sum(one.tokens for one in first) >= TOKENS
