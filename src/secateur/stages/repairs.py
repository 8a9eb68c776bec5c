"""Repairs that changed: where the repaired request now reads otherwise than what was sent before.

Rule: repairs are made anew from each request, since a result that was missing may still arrive. So one may change what
the provider has read already. That is an edit of a cached prefix like any other, and becomes an epoch. What the client
changed in its own history is not reported here, and nothing is repaired here.
"""

from typing import Any

from secateur.errors import SecateurError
from secateur.model import Epoch, Message, Part, Remove, Transcript
from secateur.session import document
from secateur.sessions.cache import RepairedRequest
from secateur.settle import is_in_running_round
from secateur.stages import EngineSettings, Incoming, Step

Messages = tuple[Message, ...]
CHANGED = "repair changed"


def remember(settings: EngineSettings, incoming: Incoming, native: Any, read: Transcript) -> RepairedRequest:
    """The messages of a request as they came and as they were repaired; none came where it cannot be read so."""
    came = read.messages
    if incoming.repairs:
        try:
            came = document.read(native, settings.format, settings.model).transcript.messages
        except SecateurError:
            came = ()
    return RepairedRequest(came, read.messages)


def detect_change(before: RepairedRequest | None, now: RepairedRequest | None, read: Transcript, now_ms: int) -> Step:
    """The epoch for a repair that changed; none where all that was sent reads as it did, or nothing is repaired.

    Reasoning that is bound to its prefix was made behind the other text, so it is removed (wire rules A54-A56), except
    what the running loop must begin with (A52).
    """
    if before is None or now is None or read.partial:
        return Step()
    place = find_change(before, now)
    if place is None:
        return Step()
    void = tuple(Remove(part.key, strategy="settle") for part in _list_parts(now.repaired)[place:] if part.prefix_bound)
    if read.requires_leading_reasoning and is_in_running_round(now.repaired, void):
        void = ()
    reason = f"{CHANGED}: from message {_find_message(now.repaired, place)} on, what was sent before reads otherwise"
    return Step(Epoch(now_ms, now.repaired[-1].key, reason, void))


def find_change(before: RepairedRequest, now: RepairedRequest) -> int | None:
    """The number of the first part that reads otherwise than it was sent, if a repair is the reason; else None.

    It is the reason where the client only went on, or back; and where the client changed its history itself, if the
    old or the new part at that place never came from the client.
    """
    old, new = _list_parts(before.repaired), _list_parts(now.repaired)
    place = _count_common(old, new)
    if place == min(len(old), len(new)):
        return None
    came, comes = _list_parts(before.came), _list_parts(now.came)
    if _count_common(came, comes) == min(len(came), len(comes)):
        return place
    made = _is_made(old[place], came) or _is_made(new[place], comes)
    return place if made else None


def _list_parts(messages: Messages) -> tuple[Part, ...]:
    return tuple(part for message in messages for part in message.parts)


def _count_common(left: tuple[Part, ...], right: tuple[Part, ...]) -> int:
    """How many leading parts are the same in both."""
    same = zip(left, right, strict=False)
    return next((number for number, (a, b) in enumerate(same) if a.key != b.key), min(len(left), len(right)))


def _is_made(part: Part, came: tuple[Part, ...]) -> bool:
    """Whether a repair made this part or changed it."""
    content = _get_content(part)
    return all(_get_content(other) != content for other in came)


def _get_content(part: Part) -> tuple[str, ...]:
    """The content of a part, wherever it is."""
    return part.kind, part.tool, part.call_id, part.text, part.fingerprint


def _find_message(messages: Messages, place: int) -> int:
    """The number of the message that contains a part."""
    for number, message in enumerate(messages):
        place -= len(message.parts)
        if place < 0:
            return number
    return len(messages)
