"""A compaction as an epoch of the plan, its preconditions, and the breakers of those that would gain nothing.

Rule: the edits of one compaction apply together or not at all. What the view would be is computed beside the session,
and nothing is changed here. The breakers follow from plan and history alone, so they hold in every process and re-arm
when there is new material. They save summaries, never the request: a view over its window is compacted without a model.
A compaction that the caller asks for is never refused by them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from secateur.compaction.continuation import build_continuation_edits, plan_continuation
from secateur.compaction.outcome import Compacted, CompactionSkipped
from secateur.compaction.settings import Continuation
from secateur.model import Edit, Epoch, Message, NewMessage, Replace
from secateur.plan import (
    Plan,
    fold,
    is_in_running_round,
    is_leading_reasoning_gone,
    is_missing_reasoning,
    list_active_epochs,
    resolve_ranges,
    with_dependents,
)
from secateur.projection import Projection
from secateur.projection.messages import project_messages
from secateur.render.host_entry import has_host_entry
from secateur.text.own_text import NOTED
from secateur.validation import check_json_word

Range = tuple[str, str]  # after and through

AS_JSON = "\n\nThe answer is wanted as json."  # if the only request for it was in the replaced part


def build_epoch(work: Projection, made: Compacted, why: str, now: int) -> Epoch:
    """Build the epoch of this compaction in this session."""
    read = work.document.transcript
    edits = tuple(_mark_summary(edit, made.rung) for edit in made.edits)
    format = work.document.format
    if format.must_alternate:
        edits = alternate_roles(read.messages, work.branch_plan, edits)
    elif format.may_alternate and has_alternating_roles(read.messages):
        edits = alternate_roles(read.messages, work.branch_plan, edits, aside=True)
    if check_json_word(work.document, preview_view(work, Epoch(now, "", why, edits))):
        edits = tuple(_with_word(edit) for edit in edits)
    if work.binds:
        edits = with_dependents(read.messages, edits, work.fold.removed)
    return Epoch(now, read.messages[-1].key if read.messages else "", why, edits)


def preview_view(work: Projection, epoch: Epoch) -> tuple[Message, ...]:
    """Return the messages that the model would read with this epoch in the plan."""
    laid = fold(work.branch_plan.with_epoch(epoch))
    messages = work.document.transcript.messages
    return project_messages(messages, laid, resolve_ranges(laid.ranges, messages), work.count)


def is_running_turn_broken(work: Projection, epoch: Epoch) -> bool:
    """Return whether it would void reasoning required at the start of the running turn (API rules A52, A59)."""
    read = work.document.transcript
    return read.requires_leading_reasoning and (
        is_in_running_round(work.projected_messages, epoch.edits)
        or is_leading_reasoning_gone(read.messages, preview_view(work, epoch))
    )


def is_turn_reopened(work: Projection, epoch: Epoch) -> bool:
    """Return whether the view would end in results that the model answered long ago, so that it takes up their turn.

    A host that appends its own entry sends no request before the user has spoken.
    """
    raw = work.document.transcript.messages
    if not raw or work.document.format.log:
        return False
    last = preview_view(work, epoch)[-1:]
    return any(
        message.key != raw[-1].key and any(part.kind == "tool_result" for part in message.parts) for message in last
    )


def rebase_compaction(
    work: Projection, made: Compacted, known: frozenset[Range], after: Continuation
) -> Compacted | None:
    """Rebase an earlier compaction onto the current history, or return None if it no longer applies.

    `known` are the ranges that were replaced at that moment. How the agent continues is decided again (SEEDS 4.7): new
    messages may have come in between.
    """
    messages = work.document.transcript.messages
    keys = {message.key for message in messages} | {""}
    mine = [edit for edit in made.edits if isinstance(edit, Replace) and edit.strategy == "compact"]
    if get_ranges(work) != known or any(edit.after not in keys or edit.through not in keys for edit in mine):
        return None
    step = plan_continuation(messages, after)
    return replace(made, edits=(*mine, *build_continuation_edits(messages, step)), continuation=step)


def get_ranges(work: Projection) -> frozenset[Range]:
    """Return the replaced ranges of this history."""
    return frozenset((edit.after, edit.through) for _, _, edit in work.ranges)


def has_alternating_roles(messages: Sequence[Message]) -> bool:
    """Return whether user and assistant alternate as chat templates count: calls and results aside (rule O13)."""
    said = list(filter(None, (_get_speaker(message, True) for message in messages)))
    return all(one != other for one, other in pairwise(said))


def alternate_roles(
    messages: Sequence[Message], plan: Plan, edits: tuple[Edit, ...], aside: bool = False
) -> tuple[Edit, ...]:
    """Insert a message of the other role wherever two of one role would meet (API rules B3, O13).

    With `aside` calls and results do not count.
    """
    mine = [edit for edit in edits if isinstance(edit, Replace)]
    ranges = resolve_ranges(fold(plan.with_epoch(Epoch(0, "", "", tuple(mine)))).ranges, tuple(messages))
    made: dict[int, list[NewMessage]] = {id(edit): [] for edit in mine}
    before = ""  # who spoke last
    latest: int | None = None  # the newest edit of these since then
    for message, edit in _iterate_speakers(messages, ranges):
        latest = id(edit) if id(edit) in made else latest
        role = _get_speaker(message, aside) if message is not None else ""
        if role and role == before and latest is not None:
            made[latest].append(_make_other_role(role))
        if isinstance(message, NewMessage) and id(edit) in made:
            made[id(edit)].append(message)
        if role:
            before, latest = role, id(edit) if id(edit) in made else None
    return tuple(replace(edit, messages=tuple(made[id(edit)])) if isinstance(edit, Replace) else edit for edit in edits)


def separate_turns(work: Projection, epoch: Epoch | None, now: int) -> Epoch | None:
    """The epoch, with a message of the other role behind each range after which two of one role meet by now.

    Which of the two comes is not known when a conversation is compacted: the agent's answer to how the view ends, or,
    where the host asked for a compaction and sent nothing, the user's next message (API rules B3, O13).
    """
    messages, format = work.document.transcript.messages, work.document.format
    if not (format.must_alternate or (format.may_alternate and has_alternating_roles(messages))):
        return epoch
    made = tuple(_find_meetings(messages, work.ranges, not format.must_alternate))
    if not made:
        return epoch
    edits: tuple[Edit, ...] = (*(epoch.edits if epoch is not None else ()), *made)
    if work.binds:
        edits = with_dependents(messages, edits, work.fold.removed)
    return Epoch(now, messages[-1].key, epoch.reason if epoch is not None else SEPARATED, edits)


SEPARATED = "what came next has the role of the message before it"


def _find_meetings(
    messages: Sequence[Message], ranges: Sequence[tuple[int, int, Replace]], aside: bool
) -> Iterator[Replace]:
    """Yield insertions where a message has the role of the one before it, and a range ends between the two."""
    before, latest = "", None
    for message, edit in _iterate_speakers(messages, ranges):
        latest = edit or latest
        role = _get_speaker(message, aside) if message is not None else ""
        if role and role == before and edit is None and latest is not None:
            yield Replace(latest.through, latest.through, (_make_other_role(role),), "compact")
        if role:
            before, latest = role, edit


def _mark_summary(edit: Edit, rung: str) -> Edit:
    """Return the edit with the summary's author recorded."""
    if not isinstance(edit, Replace) or edit.strategy != "compact":
        return edit
    items = [replace(one, meta=one.meta | {"rung": rung}) if one.origin == "summary" else one for one in edit.messages]
    return replace(edit, messages=tuple(items))


def _with_word(edit: Edit) -> Edit:
    """The edit, its summary with the word that the response format asks for (API rules O9, R15)."""
    if not isinstance(edit, Replace):
        return edit
    items = [replace(one, text=one.text + AS_JSON) if one.origin == "summary" else one for one in edit.messages]
    return replace(edit, messages=tuple(items))


def _iterate_speakers(
    messages: Sequence[Message], ranges: Sequence[tuple[int, int, Replace]]
) -> Iterator[tuple[Message | NewMessage | None, Replace | None]]:
    """Yield who speaks in the view and for which range; a range comes by itself before its messages."""
    here = 0
    for i, j, edit in ranges:
        yield from ((message, None) for message in messages[here:i])
        yield None, edit
        yield from ((item, edit) for item in edit.messages)
        here = max(here, j)
    yield from ((message, None) for message in messages[here:])


def _make_other_role(role: str) -> NewMessage:
    return NewMessage("user" if role == "assistant" else "assistant", NOTED, "synthetic")


def _get_speaker(message: Message | NewMessage, aside: bool) -> str:
    """Return who speaks, user or assistant; "" if it does not count."""
    calls = isinstance(message, Message) and any(part.kind == "tool_call" for part in message.parts)
    if aside and (calls or message.role in ("tool", "system")):
        return ""
    return "assistant" if message.role == "assistant" else "user"


LEAST_NEW_SHARE = 0.05  # of the window, new since the last compaction: with less a summary frees next to nothing
LEAST_CALLS = 4  # answers of the model between two compactions, for the window not to count as refilling
MOST_IN_A_ROW = 3  # compactions that came sooner than that

ADVICE = "keep less behind the summary, give tools that say less, or use a model with a larger window"


def check_preconditions(projection: Projection, is_written: bool = True) -> CompactionSkipped | None:
    """Why this conversation cannot be compacted at all; None if it can. A preview needs no host entry."""
    read, format = projection.document.transcript, projection.document.format
    if read.partial:
        return CompactionSkipped(
            "partial", "the provider holds history that is not in this request: it is only observed"
        )
    if read.requires_leading_reasoning and is_missing_reasoning(read.messages, projection.projected_messages):
        return CompactionSkipped("running_turn", "the running turn must begin with its reasoning, so nothing is edited")
    if is_written and (format.log or read.parts_only) and not has_host_entry(projection.document):
        text = (
            f"a session file of {format.name} has no place for a summary: write a request body with --to openai_chat,"
            " write a hand-off document with secateur recover FILE, or shorten its outputs with secateur prune FILE"
        )
        return CompactionSkipped("no_entry", text)
    return None


def find_refusal(
    plan: Plan, messages: Sequence[Message], window: int, count: Callable[[str], int]
) -> CompactionSkipped | None:
    """Return why no summary should be made now, or None if nothing prevents it."""
    places = {message.key: number for number, message in enumerate(messages)}
    tips = [
        places[epoch.head_key]
        for epoch in list_active_epochs(plan)
        if epoch.head_key in places and _is_compaction(epoch.edits)
    ]
    if not tips:
        return None
    fresh = sum(_size(message, count) for message in messages[tips[-1] + 1 :])
    least = int(window * LEAST_NEW_SHARE)
    if fresh < least:
        text = (
            f"{fresh:,} tokens are new since the last compaction, and it takes {least:,} for another to gain anything"
        )
        return CompactionSkipped("no_progress", text)
    edges = [*tips, len(messages) - 1]
    gaps = [_count_assistant_messages(messages[a + 1 : b + 1]) for a, b in zip(edges, edges[1:], strict=False)]
    if len(gaps) >= MOST_IN_A_ROW and all(gap < LEAST_CALLS for gap in gaps[-MOST_IN_A_ROW:]):
        text = f"{len(gaps)} compactions, the last ones within {LEAST_CALLS} answers each: {ADVICE}"
        return CompactionSkipped("too_often", text)
    return None


def _is_compaction(edits: Sequence[object]) -> bool:
    return any(isinstance(edit, Replace) and edit.strategy == "compact" for edit in edits)


def _count_assistant_messages(messages: Sequence[Message]) -> int:
    return sum(message.role == "assistant" for message in messages)


def _size(message: Message, count: Callable[[str], int]) -> int:
    return sum(part.tokens or count(part.text) for part in message.parts)
