"""What to edit in one request: the strategies propose, the schedule says whether it pays, the edits become one epoch.

Rule: a decision follows from the history, the plan and the numbers of this request. Nothing here reads a document or
writes one; the session shows what a proposal would come to.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.bounds import index_of, running
from secateur.budget import Budget
from secateur.model import Edit, Epoch, Message, Remove, Replace, Restore, Rewrite, Transcript
from secateur.plan import REFUSED
from secateur.policy import Policy
from secateur.receipt import Entry, entries, replaced
from secateur.schedule import Choice, Offer
from secateur.schedule.ground import cold
from secateur.session import Session
from secateur.session.mending import Sent, forced
from secateur.session.projection import weigher
from secateur.settle import headless, in_running_round, settled
from secateur.strategies import Strategy

# A running tool round whose reasoning is bound to its prefix is left alone (wire rule A59), until this share of the
# window is used: then it is better to lose the reasoning than the request.
RUNNING_ROUND_SHARE = 0.9
BIRTH = "excerpt at birth: what is new and long is shortened before it is ever cached"


class Asked(Struct, frozen=True):
    """Edits that a session's own past or its user asks for, whatever the policy says, and why."""

    edits: dict[str, Edit] = {}
    why: str = ""


NOTHING = Asked()


def decide(policy: Policy, work: Session, budget: Budget, asked: Asked = NOTHING) -> tuple[tuple[Entry, ...], str]:
    """Open the epoch that this request asks for, if any; what it did, and why nothing more was done."""
    read = work.document.transcript
    if read.partial:
        return (), "the provider holds history that is not in this request: it is only observed"
    if read.thinks_first and headless(read.messages, work.aligned, running(read)):
        return _as_it_came(work, budget.now), "the running turn must begin with its reasoning, so nothing is edited"
    return _pruned(policy, work, budget, asked)


def force(work: Session, came: tuple[Message, ...], budget: Budget) -> tuple[tuple[Entry, ...], str, Budget]:
    """Open the epoch that a changed repair is: what it did, why it was opened ("": it was not), the budget behind it.

    `came` are the messages before anything was mended. The cache is as old as the last call still.
    """
    read, before = work.document.transcript, work.sent
    work.sent = Sent(came, read.messages)
    epoch = None if before is None or read.partial else forced(before, work.sent, read, budget.now)
    if epoch is None:
        return (), "", budget
    used, shown = work.used, work.aligned
    work.open(epoch)
    budget = replace(budget, used=budget.used + budget.reported(work.used - used), edited=work.edited, raw=work.raw)
    return entries(read.messages, shown, work.aligned, epoch), epoch.why, budget


def taken_back(work: Session, now: int, opened: bool) -> str:
    """Never send what the provider would refuse: take the newest epoch back, then all; why, or "".

    Both are epochs of the plan, so the record says what happened. An epoch that was taken back before it was ever
    sent leaves the view as it was; going back to the raw history is an edit like any other, and is settled.
    """
    broken = work.caused()
    if not broken:
        return ""
    first = broken[0]
    why = f"{REFUSED}: rule {first.rule} at {first.where}, {first.text}"
    tip = work.document.transcript.messages[-1].key
    if opened:
        work.open(Epoch(now, tip, why, (), undoes=len(work.plan.epochs) - 1))
        if not work.caused():
            return why
    back: tuple[Edit, ...] = tuple(Restore(key, by="gate") for key in sorted(work.fold.parts))
    if work.binds:
        back = settled(work.document.transcript.messages, back, work.fold.removed)
    work.open(Epoch(now, tip, why, back))
    work.caused()
    return why


def _pruned(policy: Policy, work: Session, budget: Budget, asked: Asked) -> tuple[tuple[Entry, ...], str]:
    """What the strategies propose and the schedule lets pass, closed, as one epoch."""
    read = work.document.transcript
    edits, why = dict(asked.edits), asked.why
    budget = replace(budget, cold=cold(budget))  # as it is before this request's own edits
    budget = _told(work, budget, {key: edit for key, edit in asked.edits.items() if isinstance(edit, Rewrite | Remove)})
    born, seen = _born(policy, work, budget, edits)
    born = _admitted(policy, work, budget, born)
    budget = _told(work, budget, born)
    gate = policy.schedule.closed_before(seen, budget)
    pruned: dict[str, Edit] = {}
    first = why
    if not gate:
        pruned, _ = _run(work, budget, policy.prune, edits | born)
        choice, freed = _chosen(policy, work, budget, Proposed(seen, pruned, frozenset(edits | born)))
        pruned, gate = dict(choice.edits), choice.gate
        if not gate:
            unit = "characters" if policy.counter == "chars" else "tokens"
            why = why or choice.why or f"{policy.name}: {freed:,} {unit} come free by its counter"
    if gate:
        pruned = {}
        why = why or BIRTH
    closed = _closed(work, {**edits, **born, **pruned})
    if in_running_round(work.aligned, closed):
        if (pruned or born) and (read.thinks_first or budget.used < RUNNING_ROUND_SHARE * budget.window):
            gate = "the running tool round holds reasoning that is bound to its prefix: it waits for the turn to end"
            why = first or BIRTH
            closed = _closed(work, {**edits, **_behind_reasoning(work, born)})
        if read.thinks_first and in_running_round(work.aligned, closed):
            closed = ()
    if not closed:
        return (), gate
    epoch = Epoch(budget.now, read.messages[-1].key, why, closed)
    before = work.aligned
    work.open(epoch)
    told = replaced(read.messages, before, work.ranges, epoch, weigher(work.document.format, work.ranges, work.count))
    return (*entries(read.messages, before, work.aligned, epoch), *told), gate


def _born(policy: Policy, work: Session, budget: Budget, before: dict[str, Edit]) -> tuple[dict[str, Edit], Transcript]:
    """What is proposed at birth, and the view that it is proposed for.

    What stands before the newest answer was sent before, and is cached where the cache is warm: a session that was
    begun without us is not excerpted as if all of it were new, where a schedule knows of caches.
    """
    view = work.supposing(before) if before else work.after()
    if policy.birth is None:
        return {}, view
    index, asked = index_of(view), view
    if policy.schedule.uses_prices and not budget.cold and index.assistants:
        asked = replace(view, index=replace(index, spent=max(index.spent, index.assistants[-1])))
    edits = policy.birth(asked, budget)
    return {edit.key: edit for edit in edits if not isinstance(edit, Replace)}, view


def _admitted(policy: Policy, work: Session, budget: Budget, born: dict[str, Edit]) -> dict[str, Edit]:
    """The excerpts at birth that a schedule with prices lets pass."""
    schedule, messages = policy.schedule, work.document.transcript.messages
    if not born:
        return born
    sizes = {part.key: part.tokens for number in work.places.of(born) for part in messages[number].parts}
    left = {key: work.count(edit.text) if isinstance(edit, Rewrite) else 0 for key, edit in born.items()}
    used, admitted = budget.used, {}
    for key, edit in born.items():
        freed = budget.reported(sizes[key] - left[key])
        if schedule.admits(freed, used - freed, budget.tariff):
            admitted[key] = edit
            used -= freed
    return admitted


class Proposed(Struct, frozen=True):
    """What the strategies propose for a view, and the keys of what is edited in it anyway."""

    seen: Transcript
    edits: dict[str, Edit]
    forced: frozenset[str]


def _chosen(policy: Policy, work: Session, budget: Budget, proposed: Proposed) -> tuple[Choice, int]:
    """What the schedule makes of the proposals; the tokens that would come free of all of them."""
    marked, freed = _freed(work, proposed.seen, proposed.edits)
    offer = Offer(
        seen=proposed.seen,
        budget=budget,
        edits=proposed.edits,
        count=work.count,
        marked=marked,
        freed=freed,
        since=_since(policy, proposed, budget),
        by_age=any(strategy.by_age for strategy in policy.prune),
        plan=work.mine,
        forced=proposed.forced,
        holds=work.holding,
        known=work.walked,
    )
    return policy.schedule.chosen(offer), freed


def _since(policy: Policy, proposed: Proposed, budget: Budget) -> dict[str, int]:
    """Those of the proposed results that later ones made stale, and the message since when."""
    found: dict[str, int] = {}
    for strategy in policy.prune:
        for key, number in strategy.stale_since(proposed.seen, budget, proposed.edits.keys()).items():
            found[key] = min(number, found.get(key, number))
    return found


def _as_it_came(work: Session, now: int) -> tuple[Entry, ...]:
    """Take all edits of this history back: a rewind led into a turn whose reasoning an earlier epoch took out.

    It was made before that epoch, under the history as it came, and is valid only under that (wire rules A52, A54).
    """
    messages, before = work.document.transcript.messages, work.aligned
    keys = [part.key for message in messages for part in message.parts if part.key in work.fold.parts]
    why = "the history was rewound into a turn that must begin with its reasoning: it reads as it came"
    epoch = Epoch(now, messages[-1].key, why, tuple(Restore(key, by="rewind") for key in keys))
    work.open(epoch)
    return entries(messages, before, work.aligned, epoch)


def _behind_reasoning(work: Session, edits: dict[str, Edit]) -> dict[str, Edit]:
    """Those of the edits that no bound reasoning stands behind: they void none."""
    free: dict[str, Edit] = {}
    for message in reversed(work.aligned):
        for part in reversed(message.parts):
            if part.bound:
                return free
            if part.key in edits:
                free[part.key] = edits[part.key]
    return free


def _closed(work: Session, edits: dict[str, Edit]) -> tuple[Edit, ...]:
    """The edits, with what must go because of them."""
    made = tuple(edits.values())
    return settled(work.document.transcript.messages, made, work.fold.removed) if work.binds else made


def _run(
    work: Session, budget: Budget, strategies: tuple[Strategy, ...], before: dict[str, Edit]
) -> tuple[dict[str, Edit], Transcript]:
    """What the strategies propose in order, each for the view with the proposals before it; and the last of these."""
    found: dict[str, Edit] = {}
    view = work.supposing(before) if before else work.after()
    for number, strategy in enumerate(strategies):
        if number and found:
            view = work.supposing({**before, **found})
        found |= {
            edit.key: edit for edit in strategy(view, _told(work, budget, found)) if not isinstance(edit, Replace)
        }
    return found, view


def _told(work: Session, budget: Budget, edits: dict[str, Edit]) -> Budget:
    """The budget, with these edits among those that were made, and their parts as they came."""
    if not edits:
        return budget
    messages = work.document.transcript.messages
    raw = {part.key: part for number in work.places.of(edits) for part in messages[number].parts if part.key in edits}
    by = {key: edit.by for key, edit in edits.items()}
    return replace(budget, edited={**budget.edited, **by}, raw={**budget.raw, **raw})


def _freed(work: Session, seen: Transcript, edits: dict[str, Edit]) -> tuple[int, int]:
    """Tokens by the policy's counter: of the parts to be edited as they read now, and of what goes from them."""
    marked = freed = 0
    for part in [part for number in work.holding(edits) for part in seen.messages[number].parts if part.key in edits]:
        size, edit = work.gauge(part.text), edits[part.key]
        marked += size
        freed += size - (work.gauge(edit.text) if isinstance(edit, Rewrite) else 0)
    return marked, freed
