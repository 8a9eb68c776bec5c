"""A compaction as an epoch of the plan: closed, fit for APIs whose roles take turns, and seen before it is opened.

Rule: edits of one compaction stand or fall together. What a view would be is worked out beside the session; nothing is
changed here.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from secateur.compaction.continuation import edits_of, next_of
from secateur.compaction.outcome import Compacted
from secateur.compaction.settings import Continuation
from secateur.model import Edit, Epoch, Message, NewMessage, Replace
from secateur.own_text import NOTED
from secateur.plan import Plan, fold, resolve_ranges
from secateur.session import Projection
from secateur.session.projection import all_seen
from secateur.settle import in_running_round, with_dependents
from secateur.validation import lost_word

Range = tuple[str, str]  # after and through

AS_JSON = "\n\nThe answer is wanted as json."  # where what gave way was all that said so


def epoch_of(work: Projection, made: Compacted, why: str, now: int) -> Epoch:
    """The epoch that this compaction is in this session."""
    read = work.document.transcript
    edits = tuple(_marked(edit, made.rung) for edit in made.edits)
    format = work.document.format
    if format.must_alternate:
        edits = taking_turns(read.messages, work.branch_plan, edits)
    elif format.may_alternate and takes_turns(read.messages):
        edits = taking_turns(read.messages, work.branch_plan, edits, aside=True)
    if lost_word(work.document, view_of(work, Epoch(now, "", why, edits))):
        edits = tuple(_with_word(edit) for edit in edits)
    if work.binds:
        edits = with_dependents(read.messages, edits, work.fold.removed)
    return Epoch(now, read.messages[-1].key if read.messages else "", why, edits)


def view_of(work: Projection, epoch: Epoch) -> tuple[Message, ...]:
    """The messages that the model would read with this epoch in the plan."""
    laid = fold(work.branch_plan.with_epoch(epoch))
    messages = work.document.transcript.messages
    return all_seen(messages, laid, resolve_ranges(laid.ranges, messages), work.count)


def breaks_running_turn(work: Projection, epoch: Epoch) -> bool:
    """Whether it would void reasoning with which the running turn must begin (wire rules A52, A59)."""
    return work.document.transcript.requires_leading_reasoning and in_running_round(
        work.projected_messages, epoch.edits
    )


def swapped(work: Projection, made: Compacted, known: frozenset[Range], after: Continuation) -> Compacted | None:
    """A compaction of an earlier moment, for the history as it is now; None where it does not hold any more.

    `known` are the ranges that stood replaced at that moment. How the agent goes on is decided anew (SEEDS 4.7):
    somebody may have spoken meanwhile.
    """
    messages = work.document.transcript.messages
    keys = {message.key for message in messages} | {""}
    mine = [edit for edit in made.edits if isinstance(edit, Replace) and edit.strategy == "compact"]
    if ranges_of(work) != known or any(edit.after not in keys or edit.through not in keys for edit in mine):
        return None
    step = next_of(messages, after)
    return replace(made, edits=(*mine, *edits_of(messages, step)), continuation=step)


def ranges_of(work: Projection) -> frozenset[Range]:
    """The ranges of this history that stand replaced."""
    return frozenset((edit.after, edit.through) for _, _, edit in work.ranges)


def takes_turns(messages: Sequence[Message]) -> bool:
    """Whether user and assistant speak in turns, as chat templates count: calls and results stand aside (rule O13)."""
    said = list(filter(None, (_speaker(message, True) for message in messages)))
    return all(one != other for one, other in pairwise(said))


def taking_turns(
    messages: Sequence[Message], plan: Plan, edits: tuple[Edit, ...], aside: bool = False
) -> tuple[Edit, ...]:
    """The edits, with a word of the model wherever two messages of one role would meet (wire rules B3, O13).

    With `aside` calls and results do not count.
    """
    mine = [edit for edit in edits if isinstance(edit, Replace)]
    ranges = resolve_ranges(fold(plan.with_epoch(Epoch(0, "", "", tuple(mine)))).ranges, tuple(messages))
    made: dict[int, list[NewMessage]] = {id(edit): [] for edit in mine}
    before = ""  # who spoke last
    latest: int | None = None  # the newest edit of these since then
    for message, edit in _in_order(messages, ranges):
        latest = id(edit) if id(edit) in made else latest
        role = _speaker(message, aside) if message is not None else ""
        if role and role == before and latest is not None:
            made[latest].append(_other(role))
        if isinstance(message, NewMessage) and id(edit) in made:
            made[id(edit)].append(message)
        if role:
            before, latest = role, id(edit) if id(edit) in made else None
    return tuple(replace(edit, messages=tuple(made[id(edit)])) if isinstance(edit, Replace) else edit for edit in edits)


def _marked(edit: Edit, rung: str) -> Edit:
    """The edit, its summary with who wrote it."""
    if not isinstance(edit, Replace) or edit.strategy != "compact":
        return edit
    items = [replace(one, meta=one.meta | {"rung": rung}) if one.origin == "summary" else one for one in edit.messages]
    return replace(edit, messages=tuple(items))


def _with_word(edit: Edit) -> Edit:
    """The edit, its summary with the word that the response format asks for (wire rules O9, R15)."""
    if not isinstance(edit, Replace):
        return edit
    items = [replace(one, text=one.text + AS_JSON) if one.origin == "summary" else one for one in edit.messages]
    return replace(edit, messages=tuple(items))


def _in_order(
    messages: Sequence[Message], ranges: Sequence[tuple[int, int, Replace]]
) -> Iterator[tuple[Message | NewMessage | None, Replace | None]]:
    """Who speaks in the view, and the range that it stands for; a range is told of by itself before its messages."""
    here = 0
    for i, j, edit in ranges:
        yield from ((message, None) for message in messages[here:i])
        yield None, edit
        yield from ((item, edit) for item in edit.messages)
        here = max(here, j)
    yield from ((message, None) for message in messages[here:])


def _other(role: str) -> NewMessage:
    return NewMessage("user" if role == "assistant" else "assistant", NOTED, "synthetic")


def _speaker(message: Message | NewMessage, aside: bool) -> str:
    """Who speaks, user or assistant; "" where it does not count."""
    calls = isinstance(message, Message) and any(part.kind == "tool_call" for part in message.parts)
    if aside and (calls or message.role in ("tool", "system")):
        return ""
    return "assistant" if message.role == "assistant" else "user"
