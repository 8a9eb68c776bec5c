"""Undo: an epoch that takes another one back, what that costs, and what must go because of it.

Rule: nothing is rewritten; the undone epoch stays in the plan, and so does what undid it. Reasoning that is bound to
its prefix and was made under the edited view is void under the one that comes back, so it goes with the next request,
the first that has it.
"""

from msgspec import Struct

from secateur.errors import EditError
from secateur.model import Edit, Epoch, Remove, Rewrite
from secateur.plan import REFUSED, Plan, list_active_epochs
from secateur.session import Projection
from secateur.sessions.receipt_log import read
from secateur.settle import is_in_running_round
from secateur.stores.protocol import State, Store


class UndoResult(Struct, frozen=True):
    """What an undo did."""

    epoch: int  # the one that was taken back
    by: int  # the one that did it; undoing this brings the first one back
    tokens: int  # by which the view grows, as receipts counted them
    plan: Plan


def find_newest(plan: Plan) -> int:
    """The newest active epoch with edits. Raises EditError if there is none."""
    living = {id(epoch) for epoch in list_active_epochs(plan)}
    for number in range(len(plan.epochs) - 1, -1, -1):
        epoch = plan.epochs[number]
        if id(epoch) in living and epoch.edits and epoch.reverts is None:
            return number
    raise EditError("nothing to undo: no epoch of this session holds")


def compute_cost(store: Store | None, work: Projection | None, state: State, plan: Plan, number: int) -> int:
    """Tokens restored by undoing an epoch, or removed again by undoing an undo."""
    target, sign = number, 1
    while (deeper := plan.epochs[target].reverts) is not None:
        target, sign = deeper, -sign
    epoch = plan.epochs[target]
    if store is None:
        return sign * (_count_freed(work, epoch) if work is not None else 0)
    told = [entry for link in store.list_receipts(state.who) for entry in read(link.body).edits]
    mine = [one for one in told if one.at_ms == epoch.at_ms and one.reason == epoch.reason]
    if not mine and state.anchor.number >= 0 and work is not None:  # retention took the receipt that counted them
        return sign * _count_freed(work, epoch)
    return sign * sum(one.tokens_before - one.tokens_after for one in mine)


def _count_freed(work: Projection, epoch: Epoch) -> int:
    """Tokens an epoch keeps out of the view, including media inside its results."""
    texts = {
        edit.key: edit.text if isinstance(edit, Rewrite) else ""
        for edit in epoch.edits
        if isinstance(edit, Rewrite | Remove)
    }
    parts = [part for message in work.document.transcript.messages for part in message.parts]
    mine = [part for part in parts if part.key in texts or part.container_key in texts]
    return sum([part.tokens - work.count(texts.get(part.key, "")) for part in mine])


def postpone(work: Projection, tip: str, voided: dict[str, Edit], now_ms: int) -> tuple[Epoch, ...]:
    """The epochs that take an undo back where the running turn must begin with reasoning that it would void."""
    read = work.document.transcript
    if not read.requires_leading_reasoning or not is_in_running_round(read.messages, tuple(voided.values())):
        return ()
    why = "the running turn began with reasoning made under the edited view: undo again when it has ended"
    numbers = reversed(_list_undone_since(work.plan, tip))
    return tuple(Epoch(now_ms, read.messages[-1].key, why, (), reverts=number) for number in numbers)


def find_void_reasoning(work: Projection, tip: str) -> dict[str, Edit]:
    """Bound reasoning made under a view undone since the request whose history ended in `tip`."""
    if not work.binds or tip not in work.message_index:
        return {}
    epochs = work.plan.epochs
    undone = [epochs[epochs[number].reverts or 0].head_key for number in _list_undone_since(work.plan, tip)]
    messages = work.document.transcript.messages
    places = {message.key: number for number, message in enumerate(messages)}
    since = min((places[one] for one in undone if one in places), default=len(messages))
    parts = [part for message in messages[since + 1 :] for part in message.parts if part.prefix_bound]
    return {part.key: Remove(part.key, strategy="settle") for part in parts if part.key not in work.fold.parts}


def describe_undone(work: Projection, tip: str) -> str:
    """A short description of what was undone since the request that ended in `tip`; "" if nothing."""
    return (
        "; ".join(work.plan.epochs[number].reason for number in _list_undone_since(work.plan, tip))
        if tip in work.message_index
        else ""
    )


def _list_undone_since(plan: Plan, tip: str) -> list[int]:
    """Epochs that undo another one, opened since the request whose history ended in `tip`."""
    first = len(plan.epochs)
    while first and plan.epochs[first - 1].reverts is not None and plan.epochs[first - 1].head_key == tip:
        first -= 1
    return [number for number in range(first, len(plan.epochs)) if REFUSED not in plan.epochs[number].reason]
