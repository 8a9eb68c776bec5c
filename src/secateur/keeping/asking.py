"""What a session asks for whatever its policy says: pins, what an undo voids, edits carried to a rewritten history.

Rule: all of it follows from the session's state and the history. It only asks: edits become an epoch where decisions
are made.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import StoreError
from secateur.keeping import Desk, Keeping
from secateur.keeping.calibrating import left_out
from secateur.keeping.parting import Parted, last_tip, parted
from secateur.keeping.pins import held
from secateur.keeping.rewritten import REWRITTEN, carried, lost
from secateur.keeping.undone import put_off, void
from secateur.model import Edit, Restore
from secateur.protect import Protect
from secateur.session import Session
from secateur.stores.protocol import State


class Wanted(Struct, frozen=True):
    """What a session asks for."""

    edits: dict[str, Edit]
    why: str
    warnings: tuple[str, ...]
    place: Parted  # the request's, among those of its session


def asking(keeping: Keeping, desk: Desk, work: Session, state: State, limits: tuple[Protect, int, int]) -> Wanted:
    """The edits that the session asks for and why, and warnings. Protects what is pinned.

    `limits` are what the policy protects, the tokens that pins may hold, and the time in ms.
    """
    protect, pin_tokens, now = limits
    pins, warnings = _pins(keeping, work, state, protect, pin_tokens)
    edits: dict[str, Edit] = {}
    why = ""
    if keeping.store is not None:
        desk.lost = lost(work, desk.lost)
        edits = carried(work, desk.lost)
        why = REWRITTEN if edits else ""
    here = parted(keeping, desk, state, work)
    tip = last_tip(desk, state)
    undone = void(work, tip)
    waits = put_off(work, tip, undone, now)
    if waits:
        undone, warnings = {}, (*warnings, waits)
    why = (
        "a pin: it reads as it came"
        if pins
        else "an undo: reasoning made under the other view is void"
        if undone
        else why
    )
    return Wanted({**edits, **undone, **pins}, why, (*left_out(state.calibrations), *warnings), here)


def _pins(
    keeping: Keeping, work: Session, state: State, protect: Protect, budget: int
) -> tuple[dict[str, Edit], tuple[str, ...]]:
    """What pins bring back, and what they could not hold."""
    if not state.pins:
        work.guard(protect)
        return {}, ()
    handles: dict[str, str] = {}
    warnings: list[str] = []
    if keeping.reach is not None and any(pin.kind == "handle" for pin in state.pins):
        try:
            handles = {one.key: one.id for one in keeping.reach.blobs(state.who) if one.key}
        except StoreError as error:
            warnings.append(f"pins by handle hold nothing now: {error}")
    keys, over = held(work.document.transcript.messages, state.pins, handles, budget)
    work.guard(replace(protect, keys=(*protect.keys, *keys)))
    back: dict[str, Edit] = {key: Restore(key, by="pin") for key in keys if key in work.fold.parts}
    return back, tuple(filter(None, (*warnings, over)))
