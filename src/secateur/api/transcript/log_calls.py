"""Calls and results of a session file's active branch: which are no pair, and which share an id.

Rule: a result answers the nearest open call with its id, as hosts pair them. What to write is each host's own affair;
here stands what is wrong. Calls that a host never sends again (answers that broke off) are its own affair too.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from secateur.api.fresh_ids import Names
from secateur.model import Message, Part, Transcript
from secateur.pairing import Pairing


class Asked(Struct, frozen=True):
    """A call, the message it stands in, and its result if there is one."""

    call: Part
    message: Message
    result: Part | None = None
    at: int = 0  # the line of the result
    name: str = ""  # the id it is to have; "" if it keeps its own
    sent: bool = True  # whether it wants a result


class Pairs(Struct, frozen=True):
    """All calls of a branch, and the results that none of them asked for."""

    asked: tuple[Asked, ...]
    orphans: tuple[Part, ...]

    @property
    def open(self) -> tuple[Asked, ...]:
        """Calls that want a result and have none."""
        return tuple(one for one in self.asked if one.result is None and one.sent)


def paired(transcript: Transcript, unique: bool, sent: Callable[[Part], bool]) -> Pairs:
    """Pair the branch. `unique`: ids may not come again in a later round; `sent`: whether the host sends this
    call and wants its result."""
    asked: list[Asked] = []
    orphans: list[Part] = []
    calls: Pairing[int, None] = Pairing()  # numbers of what was asked
    seen: set[str] = set()
    names = Names(part.call_id for _, part in _parts(transcript))
    for message, part in _parts(transcript):
        if part.kind == "tool_call":
            taken = calls.is_waiting(part.call_id) or (unique and part.call_id in seen) or not part.call_id
            seen.add(part.call_id)
            calls.add_call(part.call_id, len(asked))
            name = names.fresh(part.call_id) if taken and sent(part) else ""
            asked.append(Asked(part, message, name=name, sent=sent(part)))
        elif part.kind == "tool_result":
            number = calls.take(part.call_id)
            if number is not None:
                here = asked[number]
                asked[number] = Asked(here.call, here.message, part, message.lines[0], here.name, here.sent)
            else:
                orphans.append(part)
    return Pairs(tuple(asked), tuple(orphans))


def _parts(transcript: Transcript) -> Iterator[tuple[Message, Part]]:
    for message in transcript.messages:
        for part in message.parts:
            yield message, part


def value_at(entry: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path inside a parsed line; None where there is none."""
    for step in path:
        try:
            entry = entry[step]
        except (KeyError, IndexError, TypeError):
            return None
    return entry
