"""A view that does not fit its window: which windows bind, and what is shortened before it is reported as too long.

Rule: a window that the caller stated binds every policy that edits; one that was looked up binds those that say so, and
is a warning for others. A policy that protects unread results shortens them as a last resort: the oldest first, and no
more than needed. A result counts as read only once the model itself has answered after it.
"""

from collections.abc import Iterator

from secateur.bounds import is_eligible
from secateur.budget import Budget, handle_for
from secateur.compaction.outcome import CompactionSkipped, Outcome
from secateur.model import Edit, Epoch, Part, Rewrite
from secateur.projection import Projection
from secateur.stages import Context, Step
from secateur.stages.record import count_used
from secateur.text.excerpt import excerpt
from secateur.text.readback import find_first_unread, is_recalled
from secateur.toolcalls.task_terms import collect_relevant_names

LEAST_CHARS = 2_000  # of a result that is shortened because the window is full
SLACK = 1.1  # of what is over: an excerpt's own notes take room too
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


def shorten_unread(work: Projection, budget: Budget, excess: int) -> Epoch | None:
    """Return the epoch that shortens unread results by so many tokens, oldest first, or None."""
    unread, shown = list(_find_unread_results(work)), work.get_view().messages
    numbers = work.find_holding([part.key for _, part in unread])
    now = {part.key: part for number in numbers for part in shown[number].parts}
    edits, most, wanted = list[Edit](), 0, excess * SLACK
    for _ in range(ROUNDS):
        cuts, freed = _make_cuts(work, budget, now, wanted)
        if freed <= most:
            break
        edits, most = cuts, freed
        if freed >= excess:
            break
        wanted += excess - freed
    if not edits:
        return None
    why = f"{excess:,} tokens are over the window, and nothing else can be removed: old unread results become excerpts"
    return Epoch(budget.now_ms, work.document.transcript.messages[-1].key, why, tuple(edits))


def _make_cuts(work: Projection, budget: Budget, now: dict[str, Part], wanted: float) -> tuple[list[Edit], int]:
    """Return edits that shorten what is there now, and the tokens they free."""
    edits, left = list[Edit](), wanted
    for number, part in _find_unread_results(work):
        if left <= 0:
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


def _cut(work: Projection, budget: Budget, number: int, part: Part, tokens: float) -> str:
    """The excerpt of a result that leaves about so many tokens of it."""
    room = max(LEAST_CHARS, int(len(part.text) * tokens / max(1, part.tokens)))
    about = collect_relevant_names(work.document.transcript.messages, number, part, {})
    return excerpt(part.text, room, handle_for(budget, part), about)
