"""Where a request stands among those of its session: what it goes on from, what else went on from there, and whether
what was sent before it reads as it did.

Rule: an epoch holds for the branch that it was opened on, and for what goes on from there. A history that was taken
back reads as it did there; what is edited on it from then on is its own (SEEDS 2.5). Whatever moves is said.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.keeping import Desk, Keeping
from secateur.keeping.undone import newly_undone
from secateur.receipt import Receipt
from secateur.session import Projection
from secateur.session.projection import placed
from secateur.stores.protocol import State

MOVED = "what was sent before reads otherwise now: the session's plan is another one"


class Placement(Struct, frozen=True):
    """The place of one request in the tree of its session's requests."""

    parent: str = ""  # last key of the request that it goes on from
    lines: int = 0  # branches of the session, this one included
    moved: str = ""  # why what was sent before reads otherwise; "" where it does not
    beside: tuple[str, ...] = ()  # other branches that went on from the same request: its epochs are not theirs


def place_request(keeping: Keeping, desk: Desk, state: State, work: Projection) -> Placement:
    """The place of the request that the projection has read."""
    messages = work.document.transcript.messages
    if not state.who.session or not messages:
        return Placement()
    known = keeping.branches(desk, state, work)
    parent = known.parent(messages)
    beside = known.beside(parent, work.places)
    parts = bool(beside or (known.sent and not parent))
    moved = _moved(desk, work, parent, known.sent[parent].view) if parent else False
    return Placement(parent, known.lines + parts, _why(work, last_tip(desk, state)) if moved else "", beside)


def last_tip(desk: Desk, state: State) -> str:
    """The last key of the history that was sent last."""
    return state.tip or (desk.last.tip if desk.last else "")


def told(receipt: Receipt, place: Placement, desk: Desk, work: Projection) -> Receipt:
    """The receipt with what the next request asks for."""
    if not place.lines:
        return receipt
    seen = desk.prefix.next(work.view().messages, work.fold)
    return replace(receipt, parent=place.parent, lines=place.lines, view=seen)


def _why(work: Projection, tip: str) -> str:
    """What moved it: an undo since the last request, or an epoch that was handed in for this very history."""
    mine = work.branch_plan.epochs
    handed = mine[-1].why if mine and mine[-1].tip == work.document.transcript.messages[-1].key else ""
    return newly_undone(work, tip) or handed or MOVED


def _moved(desk: Desk, work: Projection, parent: str, view: str) -> bool:
    """Whether the view of what was sent is another one; not asked of a last message that has grown since."""
    end = work.places.messages.get(parent)
    if end is None or not view:
        return False
    shown = work.view().messages[: placed(work.ranges, end)]
    return desk.prefix.next(shown, work.fold) != view
