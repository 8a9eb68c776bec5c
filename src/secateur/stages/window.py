"""A view that does not fit its window: which windows bind, and what is shortened before it is reported as too long.

Rule: a window that the caller stated binds every policy that edits; one that was looked up binds those that say so, and
is a warning for others. A policy that protects unread results shortens them as a last resort: the oldest first, and no
more than needed. A result counts as read only once the model itself has answered after it. Before a full view becomes
digests or a summary, large results that were read, but of which an outline shows nothing (one long line, encoded bytes,
a log without structure), become excerpts as far as there is room: a digest would leave one line of each.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from secateur.bounds import is_eligible
from secateur.budget import Budget, handle_for
from secateur.compaction.outcome import CompactionSkipped, Outcome
from secateur.compaction.trigger import Load, check_due
from secateur.model import Edit, Epoch, Part, Rewrite
from secateur.plan import list_active_epochs
from secateur.projection import Projection
from secateur.stages import Context, Step
from secateur.stages.record import Applied, CompactionResult, count_used
from secateur.text.excerpt import excerpt
from secateur.text.outline import outline
from secateur.text.readback import find_first_unread, is_recalled
from secateur.toolcalls.task_terms import collect_relevant_names

ROOM_SHARE = 0.5  # of the window: what the view takes once large results are excerpts
LARGE_SHARE = 0.2  # of the window: a result above it is large
OUTLINE_CHARS = 200  # an outline that is not longer shows nothing
LEAST_CHARS = 2_000  # of a result that is shortened because the window is full
SLACK = 1.1  # of what is over: an excerpt's own notes take room too
NOTES_SHARE = 0.05  # of the room that large results have, for the same
ROUNDS = 3  # of cutting, where excerpts came out longer than their room


def is_binding(context: Context, projection: Projection, outcome: Outcome | None) -> bool:
    """Whether this policy may not exceed the window. A host that is busy only asks what could be done."""
    reason = outcome.reason if isinstance(outcome, CompactionSkipped) else ""
    if reason == "busy" or _is_over_target_only(context, projection):
        return False
    stated = context.stated_window
    exceeded = stated > 0 and (reason == "fixed_overhead" or count_used(context, projection) > stated)
    return exceeded or (context.policy.binds == "any" and reason != "off")


def conclude(context: Context, projection: Projection, outcome: Outcome | None) -> Step:
    """The epoch that shortens the oldest unread results of a view that does not fit; none where none can be."""
    can_shorten = context.policy.protect.unread and not projection.document.transcript.partial
    can_shorten = can_shorten and not _is_over_target_only(context, projection)
    if not can_shorten or (isinstance(outcome, CompactionSkipped) and outcome.reason == "fixed_overhead"):
        return Step()  # no result is to blame
    compacts = context.policy.compaction is not None
    used = context.load(projection).tokens if compacts else count_used(context, projection)
    return Step(shorten_unread(projection, context.budget, max(1, used - context.window)))


def warn_of_shortened(count: int, handles: bool) -> tuple[str, ...]:
    """The warning about unread results that were shortened; none where the model can read them back."""
    if handles:
        return ()
    many = "1 result" if count == 1 else f"{count} results"
    said = f"shortened to fit, although the model has not read it and cannot read it back: {many}"
    return (f"{said}; give the engine a store, and the model the tools of `secateur mcp`",)


def _is_over_target_only(context: Context, projection: Projection) -> bool:
    """Whether the model takes the view, though it is over the policy's target: nothing unread is shortened for that."""
    fits = context.model_window <= 0 or count_used(context, projection) <= context.model_window
    return context.is_target and fits


def shorten_large(context: Context, projection: Projection, due_load: Load) -> Step:
    """The epoch that makes excerpts of large results without an outline that the model has read, where the view is over
    its threshold, and what stays of them has room; none otherwise.
    """
    due = check_due(context.settings, due_load, context.limits)
    if due.why != "over" or projection.document.transcript.partial:
        return Step()
    load = context.load(projection)
    excess = max(1, load.tokens - int(ROOM_SHARE * context.window))
    large = list(_find_large_results(projection, LARGE_SHARE * context.window))
    room = sum(part.tokens for _, part in large) - excess
    if room <= 0:
        return Step()  # the rest alone takes it
    why = f"{excess:,} tokens are over half of the window: large results without an outline become excerpts"
    epoch, freed = _shorten(projection, context.budget, (excess, excess + NOTES_SHARE * room), large, why)
    digests = context.settings.digest
    most = (digests.low_water_share if digests is not None else 1.0) * context.window
    return Step(epoch if load.tokens - context.budget.scale_to_reported(freed) <= most else None)


def join_excerpts(cut: Applied, epoch: Epoch, done: CompactionResult) -> CompactionResult:
    """The result of the excerpts that were made first, if they stand, and of what came after them."""
    return replace(done, edits=(*cut.edits, *done.edits), reason=done.reason or epoch.reason) if cut.edits else done


def shorten_unread(work: Projection, budget: Budget, excess: int) -> Epoch | None:
    """Return the epoch that shortens unread results by so many tokens, oldest first, or None."""
    why = f"{excess:,} tokens are over the window, and nothing else can be removed: old unread results become excerpts"
    return _shorten(work, budget, (excess, excess * SLACK), list(_find_unread_results(work)), why)[0]


_Places = list[tuple[int, Part]]  # results with the numbers of their messages


def _shorten(
    work: Projection, budget: Budget, sought: tuple[int, float], results: _Places, why: str
) -> tuple[Epoch | None, int]:
    """Return the epoch that shortens these results, the first ones first, and the tokens it frees.

    `sought`: the tokens that have to be freed, and those that are cut at first.
    """
    excess, wanted = sought
    shown = work.get_view().messages
    numbers = work.find_holding([part.key for _, part in results])
    now = {part.key: part for number in numbers for part in shown[number].parts}
    edits, most = list[Edit](), 0
    for _ in range(ROUNDS):
        cuts, freed = _make_cuts(work, budget, (results, now), (excess, wanted))
        if freed <= most:
            break
        edits, most = cuts, freed
        if freed >= excess:
            break
        wanted += excess - freed
    if not edits:
        return None, 0
    return Epoch(budget.now_ms, work.document.transcript.messages[-1].key, why, tuple(edits)), most


def _make_cuts(
    work: Projection, budget: Budget, found: tuple[_Places, dict[str, Part]], sought: tuple[int, float]
) -> tuple[list[Edit], int]:
    """Return edits that shorten what is there now of these results, and the tokens they free."""
    excess, wanted = sought
    edits, left = list[Edit](), wanted
    results, now = found
    for number, part in results:
        if wanted - left >= excess:
            break
        stands = now.get(part.key)
        if stands is None:
            continue
        text = _cut(work, budget, number, part, stands.tokens - left)
        freed = stands.tokens - work.count(text)
        if freed > 0 and len(text) < len(stands.text):
            edits.append(Rewrite(part.key, text, strategy="excerpt"))
            left -= freed
    return edits, round(wanted - left)


def _find_unread_results(work: Projection) -> Iterator[tuple[int, Part]]:
    """Yield the results that may be shortened with their message numbers, oldest first."""
    read = work.document.transcript
    for number in range(find_first_unread(read.messages), len(read.messages)):
        for part in read.messages[number].parts:
            if part.kind == "tool_result" and is_eligible(read, number, part, work.protect) and not is_recalled(part):
                yield number, part


def _find_large_results(work: Projection, least: float) -> Iterator[tuple[int, Part]]:
    """Yield the results above so many tokens that stand whole in the view, were read, and have no outline."""
    read, shown = work.document.transcript, work.get_view().messages
    end = find_first_unread(read.messages)
    large = {
        part.key: (number, part)
        for number, message in enumerate(read.messages[:end])
        for part in message.parts
        if part.kind == "tool_result" and part.tokens > least
    }
    whole = {part.key: part.text for number in work.find_holding(large) for part in shown[number].parts}
    undone = _find_undone(work) if large else frozenset()
    for key, (number, part) in large.items():
        if key in undone or whole.get(key) != part.text or is_recalled(part):
            continue
        if not is_eligible(read, number, part, work.protect):
            continue
        if len(outline(part.text, 2 * OUTLINE_CHARS)) <= OUTLINE_CHARS:
            yield number, part


def _find_undone(work: Projection) -> frozenset[str]:
    """Return the parts that an excerpt stood for and that were brought back: none is made of them again."""
    plan = work.branch_plan
    active = _list_rewritten(list_active_epochs(plan))
    return frozenset(_list_rewritten(plan.epochs) - active)


def _list_rewritten(epochs: Iterable[Epoch]) -> set[str]:
    return {edit.key for epoch in epochs for edit in epoch.edits if isinstance(edit, Rewrite)}


def _cut(work: Projection, budget: Budget, number: int, part: Part, tokens: float) -> str:
    """The excerpt of a result that leaves about so many tokens of it."""
    room = max(LEAST_CHARS, int(len(part.text) * tokens / max(1, part.tokens)))
    about = collect_relevant_names(work.document.transcript.messages, number, part, {})
    return excerpt(part.text, room, handle_for(budget, part), about)
