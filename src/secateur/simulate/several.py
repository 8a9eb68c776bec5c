"""Files with several conversations, split into them, and requests that several recordings share.

Rule: a conversation is passed on in the shape that its format reads. Of captured requests that extend each other only
the last counts. Recordings of a session that was resumed, forked or copied agree in their first keys, since an answer's
key depends on everything before it. That could be chance in a short history, so either the times agree as well, or the
shared text is long enough, or a whole recording without times is the beginning of another. Shared requests are counted
in the longest recording only.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from secateur.errors import FormatError
from secateur.jsontext import Lines, Text
from secateur.simulate.requests import RecordedRequest, Recording, read_recording

ENOUGH, TOKENS = 3, 400  # answers, and tokens in them: no model says so much twice in the same words


def read_recordings(data: bytes, *, model: str = "", compactions: bool = True) -> Iterator[Recording]:
    """The recording of each conversation in a file; settings as in `read_recording`. Raises FormatError."""
    for one in split_conversations(data):
        yield read_recording(one, model=model, compactions=compactions)


def split_conversations(data: bytes) -> Iterator[Any]:
    """Each conversation in a file, as its own document."""
    value = _decode_whole(data)
    if isinstance(value, list) and value and all(isinstance(one, dict) and "traj" in one for one in value):
        yield from value
    elif isinstance(value, dict) and isinstance(value.get("simulations"), list):
        yield from ({**value, "simulations": [one]} for one in value["simulations"])
    elif value is None:
        yield from _split_lines(data)
    else:
        yield data


def _decode_whole(data: bytes) -> Any:
    """The value of a file; None for lines of JSON."""
    try:
        return Text.of(data).value()
    except FormatError:
        return None


def _split_lines(data: bytes) -> Iterator[Any]:
    lines = Lines.of(data)
    first = lines.line(0)
    if _has_history(first):
        for number in range(len(lines)):
            text = lines.child(number)
            if text is not None and text.raw.strip():
                yield text.raw
    elif _get_body(first):
        yield from _keep_last_requests(
            [body for number in range(len(lines)) if (body := _get_body(lines.line(number)))]
        )
    else:
        yield data


def has_conversations(line: Any) -> bool:
    """Whether the first line of a file shows that each line holds a conversation, or the request of one."""
    return _has_history(line) or bool(_get_body(line))


def _has_history(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("history"), list)


def _get_body(value: Any) -> dict[str, Any]:
    """The body of a captured request; {} if a line is not one."""
    request = value.get("request") if isinstance(value, dict) else None
    body = request.get("body") if isinstance(request, dict) else None
    return body if isinstance(body, dict) and isinstance(body.get("messages"), list) else {}


def _keep_last_requests(bodies: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The last request of each conversation: a new one begins where there are fewer messages than before."""
    for before, after in zip(bodies, [*bodies[1:], None], strict=True):
        if after is None or len(after["messages"]) <= len(before["messages"]):
            yield before


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
    """Count the leading requests of each recording that are counted with another one."""
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
