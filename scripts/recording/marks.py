"""Ids and times of a recorded session.

They are made from counters, so that recording twice changes only what the tools printed.
"""

import base64
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

from recording.tools import Call, Step, Turn

_BEGAN = datetime(2026, 1, 15, 9, 0, tzinfo=UTC)
_ANSWER_S, _RESULT_S = 7, 1

Event = Turn | Step | Call


def timeline(turns: Iterable[Turn]) -> Iterator[tuple[timedelta, Event]]:
    """Everything that happens, one after the other, each with the time since the beginning."""
    at = timedelta()
    for turn in turns:
        yield (at := at + timedelta(seconds=turn.pause_s)), turn
        for step in turn.steps:
            yield (at := at + timedelta(seconds=_ANSWER_S)), step
            for call in step.calls:
                yield (at := at + timedelta(seconds=_RESULT_S)), call


def iso(at: timedelta) -> str:
    """A moment as logs write it."""
    return (_BEGAN + at).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def epoch_ms(at: timedelta) -> int:
    """A moment in ms since 1970."""
    return round((_BEGAN + at).timestamp() * 1000)


def mark(kind: str, n: int, digits: int) -> str:
    """The n-th id of a kind, in hex."""
    return blake2b(f"{kind}:{n}".encode(), digest_size=(digits + 1) // 2).hexdigest()[:digits]


def uuid(kind: str, n: int) -> str:
    """The n-th id of a kind, in the form of a UUID."""
    digits = mark(kind, n, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def call_id(prefix: str, call: Call) -> str:
    """The id that pairs a call with its result."""
    return prefix + mark("call", call.n, 22)


def base64_of(image: bytes) -> str:
    """A picture as JSON can hold it."""
    return base64.b64encode(image).decode()


def jsonl(lines: Iterable[dict[str, Any]]) -> str:
    """One object a line, as JavaScript writes it: no spaces, letters as they are."""
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
