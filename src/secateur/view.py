"""The result of a request: the view to send, the plan to pass in next time, and the receipt.

Rule: values only; a view describes itself in one line. `sources` and `edited_parts` say where each message of the view
comes from and what was edited in it, so that callers who hold other objects for the same messages can edit those
instead.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar

from msgspec import Struct

from secateur.compaction.continuation import filter_visible
from secateur.compaction.outcome import Outcome
from secateur.formats import get
from secateur.model import Kind, Message, Path, Transcript
from secateur.plan import Plan
from secateur.receipt import Receipt

T = TypeVar("T")


class EditedPart(Struct, frozen=True):
    """One part of a message that the view shows otherwise, or no longer."""

    message: int  # number of the message in the request's array of messages
    path: Path  # where the part's body is in that message
    kind: Kind
    call_id: str  # of a call or its result
    text: str | None  # what the model reads there now; None: the part was removed


class View(Struct, Generic[T], frozen=True):
    """The view to send: `request` is of the same kind as the input, and the very same object if nothing was edited."""

    request: T
    plan: Plan
    receipt: Receipt
    raw_transcript: Transcript  # as it was read
    transcript: Transcript  # as the model will read it
    session: str = ""  # whose plan this is; named after the history where the caller gave no name and there is a store
    tenant: str = ""  # who owns the session
    compaction: Outcome | None = None  # what was summed up, or why nothing was; None: the policy does not compact

    @property
    def sources(self) -> tuple[int | None, ...]:
        """For each message of the view's array: its number in the array that came in; None: it was inserted.

        A message without an entry in `edited_parts` is the very same object, if the request is made of objects (cache
        markers aside, which some requests get). Only requests have this; it is empty for session logs.
        """
        depth, raw = len(self.raw_transcript.messages_path), self.raw_transcript.messages
        format = get(self.receipt.format)
        if format is None or format.log or self.raw_transcript.parts_only:
            return ()
        numbers = {message.path: number for number, message in enumerate(raw)}
        found: list[int | None] = []
        for message in self.transcript.messages:
            number = numbers.get(message.path) if message.path else None
            if number is None:
                found.append(None)
                continue
            was, end = raw[number], _get_element(raw[number + 1], depth) if number + 1 < len(raw) else None
            found += _list_elements(was, message, (depth, end), format.must_alternate)
        return tuple(found)

    @property
    def visible(self) -> tuple[Message, ...]:
        """The messages that a person should see: without those that were put in for the agent alone."""
        return filter_visible(self.transcript.messages)

    @property
    def edited_parts(self) -> tuple[EditedPart, ...]:
        """The edits in the messages that the view shows, in order."""
        depth = len(self.raw_transcript.messages_path)
        raw = {message.path: message for message in self.raw_transcript.messages}
        shown = ((raw.get(one.path), one) for one in self.transcript.messages if one.path)
        return tuple(
            part for was, now in shown if was is not None and was is not now for part in _compare(was, now, depth)
        )

    def __repr__(self) -> str:
        return f"<View {self.receipt.sizes}>"


def _get_element(message: Message, depth: int) -> int:
    """The array element at which a message begins."""
    return int(message.path[depth])


def _list_elements(was: Message, now: Message, ends: tuple[int, int | None], whole: bool) -> Iterator[int]:
    """The elements of one message that the view shows. With `whole`, none goes with its parts."""
    depth, end = ends
    first = _get_element(was, depth)
    places = [first, *(int(part.path[depth]) for part in was.parts if len(part.path) > depth)]
    elements = range(first, end if end is not None else max(places) + 1)
    if now is was or whole:
        yield from elements
        return
    if was.parts and not now.parts:
        return
    kept = {part.key for part in now.parts}
    gone = {part.path[depth] for part in was.parts if part.key not in kept and len(part.path) == depth + 1}
    yield from (number for number in elements if number not in gone)


def _compare(was: Message, now: Message, depth: int) -> Iterator[EditedPart]:
    """The difference between a message as received and as the view shows it."""
    after = {part.key: part for part in now.parts}
    for part in was.parts:
        left = after.get(part.key)
        if left is not part and len(part.path) > depth:
            text = None if left is None else left.text
            yield EditedPart(int(part.path[depth]), part.path[depth + 1 :], part.kind, part.call_id, text)
