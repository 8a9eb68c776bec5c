"""What a session demands whatever its policy says: pins, undone epochs, rewritten histories, and changed repairs.

Rule: all of it follows from the session's state and the history. Nothing is applied here: the edits become part of the
request's epoch, and the pipeline sets the protection. Repairs are made anew for each request, because a missing result
may still arrive, so one can change what the provider has already read. That is an edit of a cached prefix like any
other, and becomes an epoch. What the client changed in its own history is not reported.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import documents
from secateur.errors import SecateurError, StoreError
from secateur.model import Edit, Epoch, Message, Part, Remove, Restore, Transcript
from secateur.plan import is_in_running_round
from secateur.projection import Projection
from secateur.protect import Protection
from secateur.sessions import CachedSession, SessionManager
from secateur.sessions.cache import RepairedRequest
from secateur.sessions.calibration import describe_left_out
from secateur.sessions.pins import find_pinned
from secateur.sessions.request_tree import Placement, place_request
from secateur.sessions.void_edits import (
    REWRITTEN,
    MissingParts,
    carry_over_edits,
    find_lost_edits,
    find_void_reasoning,
    postpone,
)
from secateur.stages import EngineSettings, FitRequest, Incoming, Step
from secateur.stores.protocol import State

PINNED = "pinned: restored as received"
UNDONE = "an undo: reasoning made under the other view is void"


class Demands(Struct, frozen=True):
    """The demands of a session on one request."""

    edits: dict[str, Edit] = {}
    reason: str = ""
    protection: Protection = Protection()
    warnings: tuple[str, ...] = ()
    placement: Placement = Placement()  # of the request in the tree of its session's requests
    postponed: tuple[Epoch, ...] = ()  # what an undo would void is needed now: these take the undo back
    lost: MissingParts = MissingParts()  # edits whose parts are not in this history


NO_DEMANDS = Demands()


def collect(
    settings: EngineSettings,
    sessions: SessionManager,
    cached: CachedSession,
    state: State,
    projection: Projection,
    request: FitRequest,
) -> Demands:
    """The demands of the session: edits and their reason, protection, warnings."""
    keys, warnings = dict[str, int](), tuple[str, ...]()
    if state.pins:
        keys, warnings = _find_pinned(settings, sessions, state, projection)
    protect = settings.policy.protect
    protection = replace(protect, part_keys=(*protect.part_keys, *keys)) if state.pins else protect
    pins: dict[str, Edit] = {key: Restore(key, strategy="pin") for key in keys if key in projection.fold.parts}
    has_place = bool(state.who.session and projection.document.transcript.messages)
    tree = sessions.load_branches(cached, state, projection) if has_place else None
    last = cached.last.head_key if cached.last is not None else ""
    tip, given = state.tip or last, {"system": request.system, "tools": request.tools}
    placement = place_request(tree, cached.prefix, tip, projection, given) if tree is not None else Placement()
    missing, rebased, undone, postponed = MissingParts(), dict[str, Edit](), dict[str, Edit](), tuple[Epoch, ...]()
    if projection.plan.epochs:  # of these, some parts may be gone, and some may have been undone
        if sessions.store is not None:
            missing = find_lost_edits(projection, cached.lost)
            rebased = carry_over_edits(projection, missing, protection)
        undone = find_void_reasoning(projection, tip)
        postponed = postpone(projection, tip, undone, request.now_ms)
    if postponed:
        undone, warnings = {}, (*warnings, postponed[0].reason)
    reported = describe_left_out(state.calibrations) if state.calibrations else ()
    return Demands(
        edits={**rebased, **undone, **pins},
        reason=PINNED if pins else UNDONE if undone else REWRITTEN if rebased else "",
        protection=protection,
        warnings=(*reported, *warnings),
        placement=placement,
        postponed=postponed,
        lost=missing,
    )


def _find_pinned(
    settings: EngineSettings, sessions: SessionManager, state: State, projection: Projection
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The keys of pinned parts, and warnings about pins that could not be honored."""
    handles: dict[str, str] = {}
    warnings: list[str] = []
    if sessions.reach is not None and any(pin.kind == "handle" for pin in state.pins):
        try:
            handles = {blob.key: blob.id for blob in sessions.reach.list_blobs(state.who) if blob.key}
        except StoreError as error:
            warnings.append(f"pins by handle have no effect: {error}")
    keys, over = find_pinned(projection.document.transcript.messages, state.pins, handles, settings.pin_tokens)
    return keys, tuple(filter(None, (*warnings, over)))


Messages = tuple[Message, ...]
CHANGED = "repair changed"


def remember_repairs(settings: EngineSettings, incoming: Incoming, native: Any, read: Transcript) -> RepairedRequest:
    """Remember the messages of a request as received and as repaired; nothing if they cannot be read."""
    came = read.messages
    if incoming.repairs:
        try:
            came = documents.read(native, settings.format, settings.model).transcript.messages
        except SecateurError:
            came = ()
    return RepairedRequest(came, read.messages)


def detect_change(before: RepairedRequest | None, now: RepairedRequest | None, read: Transcript, now_ms: int) -> Step:
    """The epoch for a repair that changed; none where all that was sent reads as it did, or nothing is repaired.

    Reasoning that is bound to its prefix was made behind the other text, so it is removed (API rules A54-A56), except
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
    reason = f"{CHANGED}: from message {_find_message(now.repaired, place)} on, the sent history has changed"
    return Step(Epoch(now_ms, now.repaired[-1].key, reason, void))


def find_change(before: RepairedRequest, now: RepairedRequest) -> int | None:
    """The number of the first part that differs from what was sent, if a repair is the reason; else None.

    A repair is the reason if the client only continued, or went back; and if the client changed its history itself, if
    the old or the new part at that place never came from the client.
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
    """Count the leading parts that are the same in both."""
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
