"""What a session demands whatever its policy says: pins, what an undo voids, edits rebased onto a rewritten history.

Rule: all of it follows from the session's state and the history. Nothing is applied here: the edits become part of the
request's epoch, and the protection is set by the pipeline.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import StoreError
from secateur.model import Edit, Epoch, Restore
from secateur.protect import Protection
from secateur.session import Projection
from secateur.sessions import CachedSession, SessionManager
from secateur.sessions.calibration import describe_left_out
from secateur.sessions.pins import find_pinned
from secateur.sessions.rebase import REWRITTEN, MissingParts, carry_over_edits, find_lost_edits
from secateur.sessions.request_tree import Placement, get_last_tip, place_request
from secateur.sessions.undo import find_void_reasoning, postpone
from secateur.stages import EngineSettings, FitRequest
from secateur.stores.protocol import State


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
    keys, warnings = _find_pinned(settings, sessions, state, projection)
    protect = settings.policy.protect
    protection = replace(protect, part_keys=(*protect.part_keys, *keys)) if state.pins else protect
    pins: dict[str, Edit] = {key: Restore(key, strategy="pin") for key in keys if key in projection.fold.parts}
    missing = find_lost_edits(projection, cached.lost) if sessions.store is not None else cached.lost
    rebased = carry_over_edits(projection, missing, protection) if sessions.store is not None else {}
    placement = place_request(sessions, cached, state, projection, {"system": request.system, "tools": request.tools})
    tip = get_last_tip(cached, state)
    undone = find_void_reasoning(projection, tip)
    postponed = postpone(projection, tip, undone, request.now_ms)
    if postponed:
        undone, warnings = {}, (*warnings, postponed[0].reason)
    return Demands(
        edits={**rebased, **undone, **pins},
        reason=_explain_edits(bool(pins), bool(undone), bool(rebased)),
        protection=protection,
        warnings=(*describe_left_out(state.calibrations), *warnings),
        placement=placement,
        postponed=postponed,
        lost=missing,
    )


def _find_pinned(
    settings: EngineSettings, sessions: SessionManager, state: State, projection: Projection
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The keys of pinned parts, and warnings about pins that could not be honored."""
    if not state.pins:
        return {}, ()
    handles: dict[str, str] = {}
    warnings: list[str] = []
    if sessions.reach is not None and any(pin.kind == "handle" for pin in state.pins):
        try:
            handles = {blob.key: blob.id for blob in sessions.reach.list_blobs(state.who) if blob.key}
        except StoreError as error:
            warnings.append(f"pins by handle hold nothing now: {error}")
    keys, over = find_pinned(projection.document.transcript.messages, state.pins, handles, settings.pin_tokens)
    return keys, tuple(filter(None, (*warnings, over)))


def _explain_edits(pinned: bool, undone: bool, rebased: bool) -> str:
    if pinned:
        return "a pin: it reads as it came"
    if undone:
        return "an undo: reasoning made under the other view is void"
    return REWRITTEN if rebased else ""
