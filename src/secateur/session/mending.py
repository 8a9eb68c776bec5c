"""Repairs of a session's requests: where what is mended now reads otherwise than what was sent before.

Rule: repairs are made anew from each request, since a result that was missing may still arrive. So one may change what
the provider has read already; that is an edit of a cached prefix like any other, told as an epoch that was forced.
What the client changed in its own history is not told here. Nothing here mends.
"""

from msgspec import Struct

from secateur.model import Epoch, Message, Part, Remove, Transcript
from secateur.settle import in_running_round

Messages = tuple[Message, ...]
CHANGED = "repair changed"


class Sent(Struct, frozen=True):
    """A request's messages as they came, and as they were sent on but for edits: mended."""

    came: Messages
    mended: Messages


def forced(before: Sent, now: Sent, read: Transcript, at: int) -> Epoch | None:
    """The epoch that a changed repair is, opened at `at` ms; None where all that was sent reads as it did.

    Reasoning that is bound to its prefix was made behind the other text, so it goes (wire rules A54-A56), but for what
    the running loop has to begin with (A52).
    """
    place = changed(before, now)
    if place is None:
        return None
    void = tuple(Remove(part.key, by="settle") for part in _parts(now.mended)[place:] if part.bound)
    if read.thinks_first and in_running_round(now.mended, void):
        void = ()
    why = f"{CHANGED}: from message {_message(now.mended, place)} on, what was sent before reads otherwise"
    return Epoch(at, now.mended[-1].key, why, void)


def changed(before: Sent, now: Sent) -> int | None:
    """The number of the first part that reads otherwise than it was sent, if a repair is the reason; else None.

    It is, where the client only went on, or back; and where it changed its history itself, if what stood or stands at
    that place never came from it.
    """
    old, new = _parts(before.mended), _parts(now.mended)
    place = _parting(old, new)
    if place == min(len(old), len(new)):
        return None
    came, comes = _parts(before.came), _parts(now.came)
    if _parting(came, comes) == min(len(came), len(comes)):
        return place
    made = _made(old[place], came) or _made(new[place], comes)
    return place if made else None


def _parts(messages: Messages) -> tuple[Part, ...]:
    return tuple(part for message in messages for part in message.parts)


def _parting(one: tuple[Part, ...], other: tuple[Part, ...]) -> int:
    """How many leading parts are the same in both."""
    same = zip(one, other, strict=False)
    return next((number for number, (a, b) in enumerate(same) if a.key != b.key), min(len(one), len(other)))


def _made(part: Part, came: tuple[Part, ...]) -> bool:
    """Whether a repair made this part or changed it."""
    said = _said(part)
    return all(_said(one) != said for one in came)


def _said(part: Part) -> tuple[str, ...]:
    """What a part says, wherever it stands."""
    return part.kind, part.tool, part.call, part.text, part.digest


def _message(messages: Messages, place: int) -> int:
    """The number of the message in which a part stands."""
    for number, message in enumerate(messages):
        place -= len(message.parts)
        if place < 0:
            return number
    return len(messages)
