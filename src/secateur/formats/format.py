"""The base class of formats, with a default for each thing that only some of them have, and a host's compaction entry.

Rule: what other rooms need to know of a format, it declares; nothing checks its class. A session file only grows at
its end: what a host's entry can keep by reference is referred to, and what it cannot (a message that stays between
removed ones) is repeated after the summary, with ids of its own. Each format defines the shape of its host's entry.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any
from uuid import UUID

from msgspec import Struct

from secateur.errors import FormatError
from secateur.lineage import hash_text
from secateur.model import Message, NewMessage, Part, Transcript

Item = NewMessage | Message


class Appending(Struct, frozen=True):
    """A view that is to be appended. Messages point into the document as it was read."""

    items: tuple[Item, ...]
    tail: int  # messages after everything that was replaced
    element: Callable[[int], Any]  # a line or an element of the document, with the plan's edits
    at: int  # when, in ms since 1970
    tokens: int  # of the history

    @property
    def summary(self) -> str:
        """The newest summary, and the verbatim texts after it; hosts have one text for both."""
        place = self._place
        made = self.items[place : place + 1]
        return "\n\n".join(
            item.text for item in (*made, *self._list_carried_after(place)) if isinstance(item, NewMessage)
        )

    @property
    def meta(self) -> dict[str, Any]:
        """Where that summary comes from."""
        made = self.items[self._place]
        return made.meta if isinstance(made, NewMessage) else {}

    @property
    def rest(self) -> tuple[Item, ...]:
        """Everything except the summary, in order, including what was before it."""
        place = self._place
        behind = place + 1 + sum(1 for _ in self._list_carried_after(place))
        return (*self.items[:place], *self.items[behind:])

    @property
    def kept(self) -> tuple[Message | None, tuple[NewMessage, ...]]:
        """The first of the messages that stay, if all behind it do and nothing else; and what was put in behind them.

        None where a message stays that others before or behind it do not.
        """
        rest = list(self.rest)
        behind = list(takewhile(lambda item: isinstance(item, NewMessage), reversed(rest)))[::-1]
        put_in = [item for item in behind if isinstance(item, NewMessage)]
        rest = rest[: len(rest) - len(behind)]
        stay = [item for item in rest if isinstance(item, Message)]
        whole = bool(stay) and len(stay) == len(rest) == self.tail
        return (stay[0] if whole else None), tuple(put_in)

    def stamp(self, later: int = 0) -> str:
        """The time as hosts write it, so many milliseconds later."""
        when = datetime.fromtimestamp((self.at + later) / 1000, UTC)
        return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def make_id(self, number: int, length: int = 32) -> str:
        """Return an ID for the entry of this number, the same for the same view."""
        return hash_text(f"{self.at}\0{self.summary}\0{number}")[:length]

    def make_uuid(self, number: int) -> str:
        """Return the same ID as a UUID."""
        return str(UUID(hex=self.make_id(number)))

    @property
    def _place(self) -> int:
        """Find the newest summary that an edit inserted."""
        made = [n for n, item in enumerate(self.items) if isinstance(item, NewMessage) and item.origin == "summary"]
        put_in = [n for n, item in enumerate(self.items) if isinstance(item, NewMessage)]
        return (made or put_in)[0]

    def _list_carried_after(self, place: int) -> Iterator[NewMessage]:
        for item in self.items[place + 1 :]:
            if not isinstance(item, NewMessage) or "carried" not in item.meta:
                return
            yield item


class Format:
    """One message format. Subclasses have no state; one instance serves every document."""

    name: str = ""
    log: bool = False  # a session log: the document is lines of JSON, edited line by line
    telltale_names: frozenset[str] = frozenset()  # field names that give away a document which is almost one
    family: str = "transcript"  # the API whose rules hold for its messages
    must_alternate: bool = False  # user and assistant take turns, so no message goes as a whole
    may_alternate: bool = False  # some servers want them to: a history that does keeps doing so
    has_host_entry: bool = False  # `host_entry` writes the host's own compaction entry
    entry_words: str | None = None  # what that entry says in addition to the summary; None: the summary alone

    def recognize(self, native: Any) -> str:
        """Why this document is of this format, in a few words; "" if it is not. Unknown content is ignored."""
        raise NotImplementedError

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a document: a `Text`, `Lines` for a log, or Python objects; messages and parts keyed.

        `known` are messages read before from the very same leading elements; they are taken over as they are, and
        reading continues behind them (request formats; a log may ignore it). `model` is the caller's word, which wins
        over the document's. Raises FormatError.
        """
        raise NotImplementedError

    def replacement_body(self, part: Part, text: str) -> Any:
        """The value to put at `part.path` so that the part reads `text`."""
        return text

    def new_message(self, new: NewMessage) -> Any:
        """The native shape of a message that is not in the history. Raises FormatError where there is none."""
        raise FormatError(f"{self.name} cannot insert new messages into the history")

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The entries with which the host itself records a compaction, to be put at the end of the document."""
        raise FormatError(f"{self.name} has no compaction entry")
