"""What the repair needs to know about a host of session files, and the calls of a session file's active branch.

Rule: a repair adds whole lines and edits inside single lines; every other line keeps its bytes. A new line has the
shape that the host writes, with ids and times from the lines around it, so that repairing twice gives one result. A
result answers the oldest open call with its id, as hosts pair them.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from msgspec import Struct

from secateur.api.replacements import FreshIds
from secateur.model import Message, Part, Path, Transcript
from secateur.pairing import Pairing
from secateur.patch import Op

Entries = dict[int, dict[str, Any]]  # parsed lines by number


class LineInsert(Struct, frozen=True):
    """New lines behind a line, and the edits of other lines that belong to them."""

    after: int
    lines: tuple[Any, ...] = ()
    ops: tuple[Op, ...] = ()


class LoggedCall(Struct, frozen=True):
    """A call, its message, and its result if there is one."""

    call: Part
    message: Message
    result: Part | None = None
    at: int = 0  # the line of the result
    name: str = ""  # the id it is to have; "" if it keeps its own
    sent: bool = True  # whether it wants a result


class LogHost(Protocol):
    """How one host writes the lines that a repaired session needs."""

    has_unique_ids: bool  # whether ids of calls may not come again in a later round
    tree_fields: tuple[str, str] | None  # names of a line's id and of its parent's; None: lines are in order

    def is_sent(self, entries: Entries, call: Part) -> bool:
        """Whether the host sends this call; some leave out answers that broke off."""

    def find_block(self, part: Part) -> Path:
        """The path of the block or item of a call or result, which contains its id."""

    def find_id(self, part: Part) -> Path:
        """The path of the id of a call or result."""

    def insert_results(self, entries: Entries, open_: list[LoggedCall], round_: list[LoggedCall]) -> LineInsert | None:
        """Results that say there is none, for the open calls of one message; None if that is impossible.

        `round_` are all calls of the message.
        """

    def convert_orphan(self, entries: Entries, orphan: Part) -> Op | None:
        """The edit that turns a result without a call into text; None if that is impossible."""

    def find_edits(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        """Edits of single values that the provider would reject: the operation, the rule, and what it does."""


class LogCalls(Struct, frozen=True):
    """All calls of a branch, and the results without a call."""

    asked: tuple[LoggedCall, ...]
    orphans: tuple[Part, ...]

    @property
    def open(self) -> tuple[LoggedCall, ...]:
        """The calls that need a result and have none."""
        return tuple(one for one in self.asked if one.result is None and one.sent)


def pair_calls(transcript: Transcript, unique: bool, sent: Callable[[Part], bool]) -> LogCalls:
    """Pair the calls of the active branch.

    `unique`: an id may not be used again in a later round. `sent`: whether the host sends a call and needs its result.
    """
    asked: list[LoggedCall] = []
    orphans: list[Part] = []
    calls: Pairing[int, None] = Pairing()  # numbers of what was asked
    seen: set[str] = set()
    fresh_ids = FreshIds(part.call_id for _, part in _iterate_parts(transcript))
    for message, part in _iterate_parts(transcript):
        if part.kind == "tool_call":
            taken = calls.is_waiting(part.call_id) or (unique and part.call_id in seen) or not part.call_id
            seen.add(part.call_id)
            calls.add_call(part.call_id, len(asked))
            name = fresh_ids.make(part.call_id) if taken and sent(part) else ""
            asked.append(LoggedCall(part, message, name=name, sent=sent(part)))
        elif part.kind == "tool_result":
            number = calls.take(part.call_id)
            if number is not None:
                here = asked[number]
                asked[number] = LoggedCall(here.call, here.message, part, message.lines[0], here.name, here.sent)
            else:
                orphans.append(part)
    return LogCalls(tuple(asked), tuple(orphans))


def _iterate_parts(transcript: Transcript) -> Iterator[tuple[Message, Part]]:
    for message in transcript.messages:
        for part in message.parts:
            yield message, part


def get_value(entry: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path inside a parsed line; None if there is none."""
    for step in path:
        try:
            entry = entry[step]
        except (KeyError, IndexError, TypeError):
            return None
    return entry
