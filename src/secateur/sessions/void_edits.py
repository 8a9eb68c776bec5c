"""Edits that no longer apply: after a client rewrote its own history, and after an epoch was undone.

Rule: a key is valid only while everything before it is unchanged, so a client that clears or truncates its history
leaves edits without their parts. A part with the same content, found by its hash without lineage, gets the edit again;
a range gets its summary again if all its messages are the same. An undone epoch stays in the plan, and so does the one
that reverts it. Reasoning that is bound to its prefix and was made under the edited view is void under the restored
one, so the next request removes it.
"""

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from secateur.bounds import find_protected_keys
from secateur.errors import EditError
from secateur.lineage import hash_contents
from secateur.model import Edit, Epoch, Remove, Replace, Rewrite
from secateur.plan import REFUSED, Plan, is_in_running_round, list_active_epochs
from secateur.projection import Projection
from secateur.protect import Protection
from secateur.sessions.receipt_log import format_range, hash_message, hash_run, read
from secateur.stores.protocol import State, Store

REWRITTEN = "the history was rewritten by the client"


class MissingParts(Struct, frozen=True):
    """Active edits whose parts are missing in the history, by these parts' keys; and the same edits by the keys of
    parts with the same content.
    """

    gone: dict[str, Rewrite | Remove] = {}
    found: dict[str, Rewrite | Remove] = {}


def find_lost_edits(work: Projection, known: MissingParts) -> MissingParts:
    """Edits of the plan without a part in this history. For a continued history only new messages are read."""
    parts, first = work.fold_all().parts, work.known
    if not parts or (first and not known.gone):
        return MissingParts()
    fresh = work.document.transcript.messages[first:]
    here = {part.key for message in fresh for part in message.parts}
    by_local = _map_content_hashes(work.plan)
    before = known.gone if first else parts
    gone = {key: parts[key][0] for key in before if key in parts and key in by_local and key not in here}
    said = {by_local[key]: edit for key, edit in gone.items()}
    found = dict(known.found) if first else {}
    for message in fresh if gone else ():
        for part, one in zip(message.parts, hash_contents(message), strict=True):
            if one in said:
                found[part.key] = replace(said[one], key=part.key)
    return MissingParts(gone, {key: edit for key, edit in found.items() if key not in work.edited})


def carry_over_edits(work: Projection, lost: MissingParts, protection: Protection) -> dict[str, Edit]:
    """Lost edits allowed at their parts' new places, and summaries whose range is complete."""
    made: dict[str, Edit] = {}
    if lost.found:
        stays = find_protected_keys(work.get_view(), protection, lost.found.keys(), work.fold.parts.keys())
        made |= {key: edit for key, edit in lost.found.items() if key not in stays}
    return made | _find_summary_runs(work)


def _map_content_hashes(plan: Plan) -> dict[str, str]:
    named: dict[str, str] = {}
    for epoch in list_active_epochs(plan):
        if not isinstance(epoch.content_hashes, UnsetType):
            named |= epoch.content_hashes
    return named


def _find_summary_runs(work: Projection) -> dict[str, Edit]:
    """Summaries whose range is missing from this history, applied to messages with the same content.

    Of a compaction in several places one holds the summary of all: they are carried over together or not at all.
    """
    if not work.fold_all().ranges:
        return {}
    messages, by_local = work.document.transcript.messages, _map_content_hashes(work.plan)
    places = {message.key for message in messages} | {""}
    stand = [edit for edit, _ in work.fold_all().ranges if edit.after in places and edit.through in places]
    runs = {by_local.get(format_range(edit), "") for edit in stand}
    found: dict[str, tuple[int, Replace]] = {}
    torn: set[int] = set()  # times of compactions of which a place is not found
    said: list[str] = []
    for edit, made_at in work.fold_all().ranges:
        run = by_local.get(format_range(edit), "")
        if edit in stand or (run and run in runs):
            continue
        said = said or [hash_message(message) for message in messages]
        if (at := _place(said, run) if run else None) is None:
            torn.add(made_at)
            continue
        count = int(run.partition(" ")[0])
        moved = replace(edit, after=messages[at - 1].key if at else "", through=messages[at + count - 1].key)
        found[format_range(moved)] = made_at, moved
        runs.add(run)
    joined = torn & {made_at for edit, made_at in work.fold_all().ranges if not edit.messages}
    return {name: moved for name, (made_at, moved) in found.items() if made_at not in joined}


def _place(said: list[str], run: str) -> int | None:
    count, first = int(run.split(" ")[0]), run.split(" ")[1]
    starts = (at for at, one in enumerate(said) if one == first and at + count <= len(said))
    return next((at for at in starts if hash_run(said[at : at + count]) == run), None)


class UndoResult(Struct, frozen=True):
    """The result of an undo."""

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
    raise EditError("nothing to undo: this session has no active epoch")


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
