"""Edits on arrival: what is new and long is shortened before any prompt cache holds it.

Rule: only what no request has sent yet is shortened so, where a schedule knows of caches; the schedule admits each edit
by its price. Nothing is applied here.
"""

from msgspec.structs import replace

from secateur.bounds import get_index
from secateur.budget import Budget
from secateur.model import Edit, Replace, Rewrite, Transcript
from secateur.own_text import describe_shortened
from secateur.policy import Policy
from secateur.session import Projection

Edits = dict[str, Edit]

ARRIVAL = "on arrival, before it is ever cached"  # how the reason of an epoch begins that shortens only what is new


def describe_arrival(edits: Edits) -> str:
    """Why an epoch was opened that only shortens what is new: in what ways, each once."""
    ways = dict.fromkeys(describe_shortened(edit.text) for edit in edits.values() if isinstance(edit, Rewrite))
    return f"{ARRIVAL}: {', '.join(sorted(ways))}" if ways else ARRIVAL


def propose_on_arrival(
    policy: Policy, projection: Projection, budget: Budget, before: Edits, expected: Edits
) -> tuple[Edits, Transcript]:
    """What is proposed on arrival, and the view that it is proposed for. `expected`: edits that come soon after.

    What is before the newest answer was sent before, and is cached where the cache is warm: a session that was begun
    without this engine is not excerpted as if all of it were new, where a schedule knows of caches.
    """
    view = projection.preview(before) if before else projection.get_view()
    if policy.on_arrival is None:
        return {}, view
    index, asked = get_index(view), view
    if policy.schedule.uses_prices and not budget.cold_reason and index.assistant_messages:
        asked = replace(
            view, index=replace(index, first_prunable=max(index.first_prunable, index.assistant_messages[-1]))
        )
    replacements = {key: edit.text for key, edit in expected.items() if isinstance(edit, Rewrite)}
    edits = policy.on_arrival(asked, budget, replacements)
    return {edit.key: edit for edit in edits if not isinstance(edit, Replace)}, view


def admit_on_arrival(policy: Policy, projection: Projection, budget: Budget, arrived: Edits) -> Edits:
    """The excerpts on arrival that a schedule with prices can_admit."""
    schedule, messages = policy.schedule, projection.document.transcript.messages
    sizes = {
        part.key: part.tokens for number in projection.message_index.find(arrived) for part in messages[number].parts
    }
    left = {key: projection.count(edit.text) if isinstance(edit, Rewrite) else 0 for key, edit in arrived.items()}
    used, admitted = budget.tokens_used, Edits()
    for key, edit in arrived.items():
        freed = budget.scale_to_reported(sizes[key] - left[key])
        if schedule.can_admit(freed, used - freed, budget.pricing):
            admitted[key] = edit
            used -= freed
    return admitted


def find_without_reasoning(projection: Projection, edits: Edits) -> Edits:
    """Those of the edits that have no bound reasoning behind them: they void none."""
    free = Edits()
    for message in reversed(projection.projected_messages):
        for part in reversed(message.parts):
            if part.prefix_bound:
                return free
            if part.key in edits:
                free[part.key] = edits[part.key]
    return free
