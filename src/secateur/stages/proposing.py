"""The strategies' proposals: on arrival, before any prompt cache has a result, and for what was sent before.

Rule: only what no request has sent yet is shortened on arrival, if a schedule considers caches; the schedule admits
each such edit by its price. If ranges are replaced, strategies see the history in the numbers of the raw one. Nothing
is applied here.
"""

from msgspec.structs import replace

from secateur.bounds import find_turn_start, get_index
from secateur.budget import Budget
from secateur.model import Edit, Replace, Rewrite, Transcript
from secateur.policy import Policy
from secateur.projection import Projection
from secateur.proposal import RawHistory
from secateur.strategies import Strategy
from secateur.text.own_text import describe_shortened

Edits = dict[str, Edit]

ARRIVAL = "on arrival, before it is ever cached"  # how the reason of an epoch begins that shortens only what is new
_MANY_CHARS = 100_000  # more than a schedule asks for to be freed
_MUCH_SHORTER = 0.25  # of a result's characters: other forms leave more of nearly all texts
_HEAD_CHARS = 2_000  # in which a text that says the same again and again has begun to


def propose(projection: Projection, budget: Budget, strategies: tuple[Strategy, ...], before: Edits) -> Edits:
    """The proposals of the strategies in order, each for the view with the proposals before it."""
    proposed = Edits()
    view = projection.preview(before) if before else projection.get_view()
    for number, strategy in enumerate(strategies):
        if number and proposed:
            view = projection.preview({**before, **proposed})
        edits = strategy(view, with_edits(projection, budget, proposed))
        proposed |= {edit.key: edit for edit in edits if not isinstance(edit, Replace)}
    return proposed


def with_edits(projection: Projection, budget: Budget, edits: Edits) -> Budget:
    """The budget, with these edits among those that were made, and their parts as received."""
    if not edits:
        return budget
    messages, numbers = projection.document.transcript.messages, projection.message_index.find(edits)
    raw = {part.key: part for number in numbers for part in messages[number].parts if part.key in edits}
    by = {key: edit.strategy for key, edit in edits.items()}
    return replace(budget, edited_by={**budget.edited_by, **by}, originals={**budget.originals, **raw})


def describe_arrival(edits: Edits) -> str:
    """The reason of an epoch that only shortens what is new: its kinds, each once."""
    ways = dict.fromkeys(describe_shortened(edit.text) for edit in edits.values() if isinstance(edit, Rewrite))
    return f"{ARRIVAL}: {', '.join(sorted(ways))}" if ways else ARRIVAL


def propose_on_arrival(
    policy: Policy, projection: Projection, budget: Budget, before: Edits, expected: Edits
) -> tuple[Edits, Transcript]:
    """The proposals on arrival, and the view that they are for. `expected`: edits that come soon after, so that what
    they replace by much less is not shortened.

    What is before the newest answer was sent before, and is cached if the cache is warm: a session that was begun
    without this engine is not excerpted as if all of it were new, if a schedule knows of caches.
    """
    view = projection.preview(before) if before else projection.get_view()
    if policy.on_arrival is None:
        return {}, view
    index, asked = get_index(view), view
    if policy.schedule.uses_prices and not budget.cold_reason and index.assistant_messages:
        asked = replace(
            view, index=replace(index, first_prunable=max(index.first_prunable, index.assistant_messages[-1]))
        )
    edits = policy.on_arrival(asked, with_edits(projection, budget, _find_replacing(projection, expected)))
    return {edit.key: edit for edit in edits if not isinstance(edit, Replace)}, view


def _find_replacing(projection: Projection, expected: Edits) -> Edits:
    """Those of the expected edits behind which no shorter form of a result would be seen: what they leave is much
    shorter, and what they take does not mostly say the same again, so that less would say all of it."""
    found, messages = Edits(), projection.projected_messages
    for number in projection.message_index.find(expected):
        for part in messages[number].parts:
            edit = expected.get(part.key)
            if part.kind != "tool_result" or not isinstance(edit, Rewrite):
                continue
            if len(edit.text) <= _MUCH_SHORTER * len(part.text):
                lines = part.text[:_HEAD_CHARS].split("\n")
                if len(set(lines)) > len(lines) / 2:
                    found[part.key] = edit
    return found


def admit_on_arrival(policy: Policy, projection: Projection, budget: Budget, arrived: Edits) -> Edits:
    """The excerpts on arrival that a schedule with prices can_admit."""
    schedule, messages = policy.schedule, projection.document.transcript.messages
    sizes = {
        part.key: part.tokens for number in projection.message_index.find(arrived) for part in messages[number].parts
    }
    left = {key: projection.count(edit.text) if isinstance(edit, Rewrite) else 0 for key, edit in arrived.items()}
    used, admitted = budget.tokens_used, Edits()
    if arrived and budget.pricing.strips_reasoning:  # the provider takes that of earlier turns out of the prompt
        view, totals = projection.get_view(), projection.view_totals if projection.ranges else projection.history_totals
        used -= budget.scale_to_reported(totals.take(view.messages).thought[find_turn_start(view)])
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


def expect_edits(policy: Policy, projection: Projection, budget: Budget, demanded: Edits) -> Edits:
    """The proposals if nothing is shortened on arrival, if all of them are likely to be made.

    Empty in later requests, while the cache may be warm, with bound reasoning, and if little is freed or left.
    """
    is_first = bool(budget.cold_reason) and not (budget.has_prior_view or projection.binds or budget.edited_by)
    if policy.on_arrival is None or not policy.schedule.uses_prices or not is_first:
        return Edits()
    view = projection.preview(demanded) if demanded else projection.get_view()
    if policy.schedule.precheck(view, budget):
        return Edits()
    results = [part for message in view.messages for part in message.parts if part.kind == "tool_result"]
    left = budget.tokens_used - budget.scale_to_reported(sum([part.tokens for part in results]))
    if left < budget.pricing.minimum_tokens:  # which excerpts are admitted would hang on those that are not made
        return Edits()
    edits = propose(projection, budget, policy.prune, demanded)
    before = sum([len(part.text) for part in results if part.key in edits])
    after = sum([len(edit.text) for edit in edits.values() if isinstance(edit, Rewrite)])
    return edits if before - after >= _MANY_CHARS else Edits()


def read_raw_history(projection: Projection, view: Transcript | None = None) -> RawHistory:
    """All messages of a projection; those outside of replaced ranges as they are in this `view`, if one is given."""
    messages, ranges = list(projection.projected_messages), projection.ranges
    if view is not None:
        here = shift = 0
        for i, j, edit in ranges:
            messages[here:i] = view.messages[here + shift : i + shift]
            here, shift = max(here, j), shift + len(edit.messages) - (j - i)
        messages[here:] = view.messages[here + shift :]
    return RawHistory(
        transcript=replace(projection.document.transcript, messages=tuple(messages), index=projection.index),
        totals=projection.history_totals,
        ranges=ranges,
        holding=projection.message_index.find,
    )
