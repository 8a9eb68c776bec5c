"""Whether a view fits its window: which windows bind, and what is shortened before the view is reported as too long.

Rule: a window that the caller stated binds every policy that edits; one that was looked up binds those that say so, and
is a warning for others. A policy that leaves unread results whole shortens the oldest of them as a last resort.
"""

from secateur.compaction.outcome import Outcome, Refused
from secateur.fitting.unread import shorten_unread
from secateur.session import Projection
from secateur.stages import Context, Step
from secateur.stages.report import CompactionResult, explain_too_long, name_largest


def explain_overflow(context: Context, projection: Projection, compaction: CompactionResult) -> str:
    """Why the view does not fit; "" if it does. A policy that a looked-up window binds counts as it compacts."""
    compacts, outcome = context.policy.compaction is not None, compaction.outcome
    if compacts and context.policy.binds == "any" and outcome is not None:
        return explain_too_long(context, projection, outcome)
    used = _count_used(context, projection)
    if isinstance(outcome, Refused) and outcome.reason == "fixed_overhead":
        return outcome.text
    if context.window <= 0 or used <= context.window:
        return ""
    if compacts and compaction.too_long:
        return compaction.too_long
    return (
        f"{used:,} tokens are left and the window is {context.window:,} ({context.window_source}); system prompt and"
        f" tools take {context.fixed_tokens:,}, the largest that stay are {name_largest(projection)}:"
        " give a larger window, or protect less"
    )


def is_binding(context: Context, projection: Projection, outcome: Outcome | None) -> bool:
    """Whether this policy may not exceed the window. A host that is busy only asks what could be done."""
    reason = outcome.reason if isinstance(outcome, Refused) else ""
    if reason == "busy" or _is_over_target_only(context, projection):
        return False
    stated = context.stated_window
    exceeded = stated > 0 and (reason == "fixed_overhead" or _count_used(context, projection) > stated)
    return exceeded or (context.policy.binds == "any" and reason != "off")


def conclude(context: Context, projection: Projection, outcome: Outcome | None) -> Step:
    """The epoch that shortens the oldest unread results of a view that does not fit; none where none can be."""
    can_shorten = context.policy.protect.unread and not projection.document.transcript.partial
    can_shorten = can_shorten and not _is_over_target_only(context, projection)
    if not can_shorten or (isinstance(outcome, Refused) and outcome.reason == "fixed_overhead"):
        return Step()  # no result is to blame
    compacts = context.policy.compaction is not None
    used = context.load(projection).tokens if compacts else _count_used(context, projection)
    return Step(shorten_unread(projection, context.budget, max(1, used - context.window)))


def warn_of_shortened(count: int, handles: bool) -> tuple[str, ...]:
    """The warning about unread results that were shortened; none where the model can read them back."""
    if handles:
        return ()
    many = "1 result" if count == 1 else f"{count} results"
    said = f"shortened to fit, though the model has not read it and cannot read it back: {many}"
    return (f"{said}; give the engine a store, and the model the tools of `secateur mcp`",)


def _is_over_target_only(context: Context, projection: Projection) -> bool:
    """Whether the model takes the view, though it is over the policy's target: nothing unread is shortened for that."""
    fits = context.model_window <= 0 or _count_used(context, projection) <= context.model_window
    return context.is_target and fits


def _count_used(context: Context, projection: Projection) -> int:
    """Tokens of the view, as the provider would count them."""
    return round((projection.tokens[1] + context.fixed_tokens) * context.token_ratio)
