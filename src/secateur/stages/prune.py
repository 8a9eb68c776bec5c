"""What to prune in one request: the strategies propose, the schedule decides, the edits become one epoch.

Nothing is applied, read or written here: the projection only shows the result of a proposal.
"""

from collections.abc import Set

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget, explain_cold
from secateur.model import Edit, Epoch, Remove, Restore, Rewrite, Transcript
from secateur.plan import is_in_running_round, is_missing_reasoning, with_dependents
from secateur.policy import Policy
from secateur.projection import Projection
from secateur.schedule import Decision, Never, Proposal
from secateur.stages import STORE_AWAY, Context, Step
from secateur.stages.proposing import (
    Edits,
    admit_on_arrival,
    describe_arrival,
    expect_edits,
    find_without_reasoning,
    propose,
    propose_on_arrival,
    read_raw_history,
    with_edits,
)

# Up to this share of the window, a running tool round with reasoning bound to its prefix is left alone (rule A59).
RUNNING_ROUND_SHARE = 0.9


def conclude(context: Context, projection: Projection, demanded: Edits, reason: str = "") -> Step:
    """The epoch for this request, if any, or why nothing is pruned. `demanded` are edits asked for by the session."""
    read = projection.document.transcript
    if read.partial:
        return Step(None, "the provider holds history that is not in this request: it is only observed")
    shown = projection.projected_messages
    if read.requires_leading_reasoning and is_missing_reasoning(read.messages, shown):
        skipped = "the running turn must begin with its reasoning, so nothing is edited"
        return Step(_restore_all(projection, context.budget.now_ms), skipped)
    policy = context.policy
    if context.storage == "away":
        policy = replace(policy, schedule=Never(reason=STORE_AWAY), on_arrival=None, prune=())
    has_more = demanded or policy.prune or policy.on_arrival
    if not has_more and (skipped := policy.schedule.precheck(projection.get_view(), context.budget)):
        return Step(None, skipped)
    return _conclude(replace(context, policy=policy), projection, demanded, reason)


def _conclude(context: Context, projection: Projection, demanded: Edits, reason: str) -> Step:
    """The proposals that the schedule lets pass, with dependents, as one epoch."""
    policy, read = context.policy, projection.document.transcript
    budget = replace(context.budget, cold_reason=explain_cold(context.budget))  # before this request's own edits
    standing: Edits = {key: edit for key, edit in demanded.items() if isinstance(edit, Rewrite | Remove)}
    budget = with_edits(projection, budget, standing)
    # 1. What is new may be shortened on arrival, before any cache holds it; of what is replaced anyway no excerpt is
    #    made. 2. The strategies propose, each for the view with the proposals before it, and the schedule decides.
    expected = expect_edits(policy, projection, budget, demanded)
    found = _propose_all(context, projection, budget, demanded, expected)
    if not expected.keys() <= found.pruned.keys() | found.arrived.keys():  # some stay after all: excerpts are needed
        found = _propose_all(context, projection, budget, demanded, Edits())
    arrived, pruned, skipped, why = found.arrived, found.pruned, found.skipped, found.why
    # 3. Reasoning that is bound to its prefix is void once something before it changes, so it goes with the edits;
    #    but in a running tool round the edits wait instead, as long as the window allows it.
    closed = add_dependents(projection, {**demanded, **arrived, **pruned})
    why = reason or why or describe_arrival(arrived)
    if is_in_running_round(projection.projected_messages, closed):
        if (pruned or arrived) and (
            read.requires_leading_reasoning or budget.tokens_used < RUNNING_ROUND_SHARE * budget.window
        ):
            skipped = "the running tool round holds reasoning that is bound to its prefix: it waits for the turn to end"
            why = reason or describe_arrival(arrived)
            closed = add_dependents(projection, {**demanded, **find_without_reasoning(projection, arrived)})
        if read.requires_leading_reasoning and is_in_running_round(projection.projected_messages, closed):
            closed = ()
    epoch = Epoch(budget.now_ms, read.messages[-1].key, why, closed) if closed else None
    return Step(epoch, skipped)


class _Proposals(Struct, frozen=True):
    """The edits on arrival, and those of the pruning strategies that the schedule lets pass, or why it lets none."""

    arrived: Edits
    pruned: Edits = {}
    skipped: str = ""
    why: str = ""


def _propose_all(
    context: Context, projection: Projection, budget: Budget, demanded: Edits, expected: Edits
) -> _Proposals:
    """`expected` are edits that the strategies are likely to make in this very request."""
    policy = context.policy
    arrived, seen = propose_on_arrival(policy, projection, budget, demanded, expected)
    arrived = admit_on_arrival(policy, projection, budget, arrived)
    budget = with_edits(projection, budget, arrived)
    if skipped := policy.schedule.precheck(seen, budget):
        return _Proposals(arrived, skipped=skipped)
    again = arrived or not expected  # else nothing is shortened on arrival, as was assumed for what is expected
    proposed = propose(projection, budget, policy.prune, demanded | arrived) if again else expected
    forced = demanded.keys() | arrived.keys()
    decision, freed = _decide(context, projection, budget, seen, proposed, forced)
    if decision.skipped_reason and not arrived.keys().isdisjoint(proposed):  # what is shortened now may wait for more
        proposed = {key: edit for key, edit in proposed.items() if key not in arrived}
        decision, freed = _decide(context, projection, budget, seen, proposed, forced)
    if decision.skipped_reason:
        return _Proposals(arrived, skipped=decision.skipped_reason)
    unit = "characters" if policy.counter == "chars" else "tokens"
    why = decision.reason or f"{policy.name}: {freed:,} {unit} freed, by its own count"
    return _Proposals(arrived, dict(decision.edits), why=why)


def add_dependents(projection: Projection, edits: Edits) -> tuple[Edit, ...]:
    """The edits, with the removals that depend on them."""
    made, messages = tuple(edits.values()), projection.document.transcript.messages
    return with_dependents(messages, made, projection.fold.removed) if projection.binds else made


def _decide(
    context: Context, projection: Projection, budget: Budget, seen: Transcript, edits: Edits, forced: Set[str]
) -> tuple[Decision, int]:
    """The decision of the schedule, and the tokens that would be freed of all proposals."""
    policy, (marked, freed) = context.policy, _count_freed(projection, seen, edits)
    raw = read_raw_history(projection, seen) if projection.ranges else None
    proposal = Proposal(
        view=seen,
        budget=budget,
        edits=edits,
        count=projection.count,
        marked=marked,
        freed=freed,
        stale_since=_find_stale_since(policy, budget, seen, edits),
        by_age=any(strategy.by_age for strategy in policy.prune),
        fixed_tokens=context.fixed_tokens,
        plan=projection.branch_plan,
        forced_keys=forced,
        holds=projection.find_holding,
        history=raw,
        known=projection.history_totals if raw is None else projection.view_totals,
    )
    return policy.schedule.decide(proposal), freed


def _find_stale_since(policy: Policy, budget: Budget, seen: Transcript, edits: Edits) -> dict[str, int]:
    """For proposed results made stale by a later message: that message."""
    since: dict[str, int] = {}
    for strategy in policy.prune:
        for key, number in strategy.stale_since(seen, budget, edits.keys()).items():
            since[key] = min(number, since.get(key, number))
    return since


def _restore_all(projection: Projection, now_ms: int) -> Epoch:
    """The epoch that takes all edits of this history back, after a rewind into a turn whose reasoning one removed."""
    # That turn was made before the epoch, under the history as received, and is valid only under that (A52, A54).
    messages = projection.document.transcript.messages
    keys = [part.key for message in messages for part in message.parts if part.key in projection.fold.parts]
    why = "the history was rewound into a turn that must begin with its reasoning: restored as received"
    return Epoch(now_ms, messages[-1].key, why, tuple(Restore(key, strategy="rewind") for key in keys))


def _count_freed(projection: Projection, seen: Transcript, edits: Edits) -> tuple[int, int]:
    """Tokens by the policy's counter: of the parts to be edited as they read now, and the part freed."""
    marked = freed = 0
    numbers = projection.find_holding(edits)
    for part in [part for number in numbers for part in seen.messages[number].parts if part.key in edits]:
        size, edit = projection.gauge(part.text), edits[part.key]
        marked += size
        freed += size - (projection.gauge(edit.text) if isinstance(edit, Rewrite) else 0)
    return marked, freed
