"""A compaction as an epoch of the plan: closed, fit for APIs whose roles take turns, and seen before it is opened.

Rule: edits of one compaction stand or fall together. What a view would be is worked out beside the session; nothing is
changed here.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from secateur.compaction.continuation import edits_of, next_of
from secateur.compaction.outcome import Compacted
from secateur.compaction.settings import Continuation
from secateur.model import Edit, Epoch, Message, New, Replace
from secateur.plan import Plan, fold, located
from secateur.session import Session
from secateur.session.projection import all_seen
from secateur.settle import in_running_round, settled

Range = tuple[str, str]  # after and through
NOTED = "(noted)"  # what the model says between two messages of one role, where the API wants roles to take turns


def epoch_of(work: Session, made: Compacted, why: str, now: int) -> Epoch:
    """The epoch that this compaction is in this session."""
    read = work.document.transcript
    edits = tuple(_marked(edit, made.rung) for edit in made.edits)
    if getattr(work.document.format, "alternates", False):
        edits = taking_turns(read.messages, work.plan, edits)
    if work.binds:
        edits = settled(read.messages, edits, work.fold.removed)
    return Epoch(now, read.messages[-1].key if read.messages else "", why, edits)


def view_of(work: Session, epoch: Epoch) -> tuple[Message, ...]:
    """The messages that the model would read with this epoch in the plan."""
    laid = fold(work.plan.opened(epoch))
    messages = work.document.transcript.messages
    return all_seen(messages, laid, located(laid.ranges, messages), work.count)


def breaks_running_turn(work: Session, epoch: Epoch) -> bool:
    """Whether it would void reasoning with which the running turn must begin (wire rules A52, A59)."""
    return work.document.transcript.thinks_first and in_running_round(work.aligned, epoch.edits)


def swapped(work: Session, made: Compacted, known: frozenset[Range], after: Continuation) -> Compacted | None:
    """A compaction of an earlier moment, for the history as it is now; None where it does not hold any more.

    `known` are the ranges that stood replaced at that moment. How the agent goes on is decided anew (SEEDS 4.7):
    somebody may have spoken meanwhile.
    """
    messages = work.document.transcript.messages
    keys = {message.key for message in messages} | {""}
    mine = [edit for edit in made.edits if isinstance(edit, Replace) and edit.by == "compact"]
    if ranges_of(work) != known or any(edit.after not in keys or edit.through not in keys for edit in mine):
        return None
    step = next_of(messages, after)
    return replace(made, edits=(*mine, *edits_of(messages, step)), continuation=step)


def ranges_of(work: Session) -> frozenset[Range]:
    """The ranges of this history that stand replaced."""
    return frozenset((edit.after, edit.through) for _, _, edit in work.ranges)


def taking_turns(messages: Sequence[Message], plan: Plan, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits, with a word of the model wherever two messages of one role would meet (wire rule B3)."""
    mine = [edit for edit in edits if isinstance(edit, Replace)]
    all_ranges = fold(plan.opened(Epoch(0, "", "", tuple(mine)))).ranges
    made = {id(edit): _noted(edit, _sides(messages, located(all_ranges, tuple(messages)), edit)) for edit in mine}
    return tuple(made.get(id(edit), edit) for edit in edits)


def _marked(edit: Edit, rung: str) -> Edit:
    """The edit, its summary with who wrote it."""
    if not isinstance(edit, Replace) or edit.by != "compact":
        return edit
    items = [replace(one, meta=one.meta | {"rung": rung}) if one.origin == "summary" else one for one in edit.items]
    return replace(edit, items=tuple(items))


def _sides(messages: Sequence[Message], ranges: Sequence[tuple[int, int, Replace]], edit: Replace) -> tuple[str, str]:
    """Who speaks right before a range and right behind it in the view; "" for nobody."""
    at = next((number for number, (_, _, one) in enumerate(ranges) if one is edit), None)
    if at is None:
        return "", ""
    i, j, _ = ranges[at]
    before, behind = (ranges[at - 1] if at else None), (ranges[at + 1] if at + 1 < len(ranges) else None)
    left = _role(messages[i - 1].role) if i else ""
    if before and before[1] == i and before[2].items:
        left = _role(before[2].items[-1].role)
    right = _role(messages[j].role) if j < len(messages) else ""
    if behind and behind[0] == j and behind[2].items:
        right = _role(behind[2].items[0].role)
    return left, right


def _noted(edit: Replace, sides: tuple[str, str]) -> Replace:
    left, right = sides
    items: list[New] = []
    here = left
    for item in edit.items:
        if _role(item.role) == here:
            items.append(_other(here))
        items.append(item)
        here = _role(item.role)
    if here and here == right:
        items.append(_other(here))
    return replace(edit, items=tuple(items)) if len(items) > len(edit.items) else edit


def _other(role: str) -> New:
    return New("user" if role == "assistant" else "assistant", NOTED, "synthetic")


def _role(role: str) -> str:
    return "assistant" if role == "assistant" else "user"
