"""The plan of a session: an append-only list of epochs with all edits made so far; and which edits depend on others.

Rule: a view is a pure function of history and plan. A plan names parts by key, never by position, so it can be stored,
sent, shared by forks and replayed. Nothing here decides what to edit. Reasoning that is bound to its prefix becomes
invalid once anything before it changes (API rules A54-A56), so all bound reasoning behind the first edit is removed in
the same epoch, for good. Reasoning written later, under the new view, is kept.
"""

from collections.abc import Container, Iterable, Mapping, Sequence, Set

import msgspec
from msgspec import Struct, UnsetType
from msgspec.structs import replace

from secateur.decoding import prepare_type
from secateur.errors import EditError
from secateur.model import Edit, Epoch, Message, Remove, Replace, Restore, Rewrite, Transcript

UNDONE = "it was undone"
REFUSED = "the provider would refuse it"  # is in the reason of an epoch that takes such edits back


class Plan(Struct, frozen=True):
    """Epochs in the order in which they were opened."""

    epochs: tuple[Epoch, ...] = ()

    def with_epoch(self, epoch: Epoch) -> "Plan":
        """Return this plan with one more epoch."""
        return Plan((*self.epochs, epoch))

    def __repr__(self) -> str:
        edits = sum(len(epoch.edits) for epoch in self.epochs)
        return f"<Plan {len(self.epochs)} epochs, {edits} edits>"


class FoldedPlan(Struct, frozen=True):
    """The sum of a plan: the edit in force for each key, and the message ranges that are replaced.

    Each edit comes with the time (ms) of its epoch, from which hosts take their audit stamps.
    """

    parts: dict[str, tuple[Rewrite | Remove, int]] = {}
    ranges: tuple[tuple[Replace, int], ...] = ()
    stamps: bool = False  # whether hosts that can record the time of an edit do so

    @property
    def removed(self) -> frozenset[str]:
        """Keys of the parts that are out of the view."""
        return frozenset(key for key, (edit, _) in self.parts.items() if isinstance(edit, Remove))


def encode(plan: Plan) -> bytes:
    """Return the plan as JSON."""
    return msgspec.json.format(msgspec.json.encode(plan), indent=1)


def decode(data: bytes) -> Plan:
    """Return the plan that `encode` wrote. Raises EditError for anything else."""
    try:
        return Plan(msgspec.json.decode(data, type=prepare_type(_WrittenPlan)).epochs)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise EditError(f"this is not a plan: {error}; give a file written by --plan-out") from error


class _WrittenPlan(Struct, frozen=True):
    """A plan in a file: its epochs are named even if there are none, so that no other object passes for a plan."""

    epochs: tuple[Epoch, ...]


def branch_for(plan: Plan, keys: Container[str]) -> Plan:
    """Return the epochs that apply to a history with these keys, without those that revert one that does not apply."""
    if all(_is_applicable(epoch, keys) for epoch in plan.epochs):
        return plan
    places: dict[int, int] = {}
    kept: list[Epoch] = []
    for number, epoch in enumerate(plan.epochs):
        if not _is_applicable(epoch, keys) or (epoch.reverts is not None and epoch.reverts not in places):
            continue
        places[number] = len(kept)
        kept.append(epoch if epoch.reverts is None else replace(epoch, reverts=places[epoch.reverts]))
    return Plan(tuple(kept))


def find_pending_keys(plan: Plan, mine: Plan) -> frozenset[str]:
    """Return keys that, once in the history, make more epochs of a plan apply, or some of `mine` no longer apply."""
    hold = {(epoch.at_ms, epoch.head_key, epoch.reason) for epoch in mine.epochs} if mine is not plan else set()
    ahead = (
        []
        if mine is plan
        else [one.head_key for one in plan.epochs if (one.at_ms, one.head_key, one.reason) not in hold]
    )
    beside = (one.excluded_keys for one in plan.epochs if not isinstance(one.excluded_keys, UnsetType))
    return frozenset((*ahead, *(key for apart in beside for key in apart)))


def plan_for(plan: Plan, read: Transcript) -> Plan:
    """Return the epochs that apply to this history."""
    return branch_for(plan, collect_keys(read.messages)) if plan.epochs else plan


def collect_keys(messages: Iterable[Message]) -> frozenset[str]:
    """Return all keys by which an epoch may name the end of these messages."""
    return frozenset(key for one in messages for key in (one.key, *(part.key for part in one.parts)))


def _is_applicable(epoch: Epoch, keys: Container[str]) -> bool:
    """Whether an epoch was opened for a history with these keys or for a beginning of it."""
    apart = () if isinstance(epoch.excluded_keys, UnsetType) else epoch.excluded_keys
    return (not epoch.head_key or epoch.head_key in keys) and not any(key in keys for key in apart)


def fold(plan: Plan) -> FoldedPlan:
    """Sum up a plan. The latest epoch wins for each key, a Restore too; within one epoch Remove beats Rewrite."""
    parts: dict[str, tuple[Rewrite | Remove, int]] = {}
    ranges: list[tuple[Replace, int]] = []
    for epoch in list_active_epochs(plan):
        removed = {edit.key for edit in epoch.edits if isinstance(edit, Remove)}
        for edit in epoch.edits:
            match edit:
                case Rewrite(key=key) if key not in removed:
                    parts[key] = (edit, epoch.at_ms)
                case Remove(key=key):
                    parts[key] = (edit, epoch.at_ms)
                case Restore(key=key):
                    parts.pop(key, None)
                case Replace():
                    ranges.append((edit, epoch.at_ms))
    return FoldedPlan(parts, tuple(ranges))


def list_active_epochs(plan: Plan) -> list[Epoch]:
    """Return the epochs that no later one reverts; reverting a revert restores the first epoch."""
    undone: set[int] = set()
    for number in range(len(plan.epochs) - 1, -1, -1):
        undoes = plan.epochs[number].reverts
        if undoes is not None and number not in undone:
            undone.add(undoes)
    return [epoch for number, epoch in enumerate(plan.epochs) if number not in undone]


def collect_blocked_keys(plan: Plan) -> dict[str, str]:
    """Return the keys of edits not to be proposed again, with the reason: undone, or refused by a provider."""
    if not any(epoch.reverts is not None or REFUSED in epoch.reason for epoch in plan.epochs):
        return {}
    mine = [epoch for epoch in plan.epochs if REFUSED in epoch.reason]
    back = [epoch for epoch in list_active_epochs(plan) if epoch.reverts is not None and REFUSED not in epoch.reason]
    found = _label_keys(UNDONE, _list_reverted(plan, back))
    return found | _label_keys(REFUSED, [*_list_reverted(plan, mine), *mine])


def _list_reverted(plan: Plan, epochs: list[Epoch]) -> list[Epoch]:
    return [plan.epochs[epoch.reverts] for epoch in epochs if epoch.reverts is not None]


def _label_keys(mark: str, epochs: list[Epoch]) -> dict[str, str]:
    return {edit.key: mark for epoch in epochs for edit in epoch.edits if not isinstance(edit, Replace)}


def undo(plan: Plan, number: int, at: int, tip: str, also: tuple[Edit, ...] = ()) -> Plan:
    """Return the plan with a new epoch that reverts epoch `number`, and makes the edits `also`."""
    if not 0 <= number < len(plan.epochs):
        raise EditError(f"no epoch {number}: the plan has {len(plan.epochs)}, counted from 0")
    return plan.with_epoch(Epoch(at, tip, f"undo of epoch {number}", also, reverts=number))


def resolve_ranges(
    ranges: tuple[tuple[Replace, int], ...], messages: tuple[Message, ...], known: Mapping[str, int] | None = None
) -> list[tuple[int, int, Replace]]:
    """Return the replaced ranges [i, j) of these messages, in order. A range hides older ones inside it.

    A range whose ends are not both in this history does not apply; of two that overlap in part the newer one does.
    `known` are the messages' numbers by key, counted from 1, if the caller has them, with 0 for "".
    """
    if not ranges:
        return []
    places = known or {message.key: number + 1 for number, message in enumerate(messages)} | {"": 0}
    found: list[tuple[int, int, Replace]] = []
    for edit, _ in ranges:
        i, j = places.get(edit.after), places.get(edit.through)
        if i is None or j is None or j < i:
            continue
        found = [one for one in found if not _is_hidden(i, j, one)]
        found.append((i, j, edit))
    return sorted(found, key=lambda one: one[:2])


def _is_hidden(i: int, j: int, older: tuple[int, int, Replace]) -> bool:
    """Whether the newer range [i, j) hides the older one: contains it or overlaps it in part.

    Ranges overlap in part after a rewind, where each branch made one and the history contains both.
    """
    a, b, _ = older
    if i <= a and b <= j and (i, j) != (a, a):
        return i < j
    return a < j and i < b


def with_dependents(
    messages: tuple[Message, ...], edits: tuple[Edit, ...], out: Set[str] = frozenset()
) -> tuple[Edit, ...]:
    """Return the edits and a `Remove` for each bound part behind the first of them. `out`: keys already removed.

    Removing reasoning from the start invalidates nothing; but a message that is emptied by it disappears or is
    replaced, and that changes the prefix of what follows.
    """
    keys = {edit.key for edit in edits if not isinstance(edit, Replace)}
    edges = {edit.after for edit in edits if isinstance(edit, Replace)}
    gone = {edit.key for edit in edits if isinstance(edit, Remove)} | (out - keys)
    open_ = "" in edges
    kept = False  # bound reasoning is kept so far: removing some after it leaves a gap, before it none (API rule A54)
    void: list[Edit] = []
    for message in messages:
        for part in message.parts:
            if open_ and part.prefix_bound and part.key not in gone:
                void.append(Remove(part.key, strategy="settle"))
            kept = kept or (part.prefix_bound and part.key not in gone)
            open_ = open_ or (part.key in keys and (part.kind != "reasoning" or kept or part.key not in gone))
        open_ = open_ or message.key in edges or _is_emptied(message, keys, gone)
    return (*edits, *void)


def _is_emptied(message: Message, keys: Set[str], gone: Set[str]) -> bool:
    """Whether these edits remove the last part of a message."""
    mine = {part.key for part in message.parts}
    return bool(mine) and mine <= gone and not mine.isdisjoint(keys)


def is_in_running_round(messages: tuple[Message, ...], edits: Iterable[Edit]) -> bool:
    """Whether `edits` remove bound reasoning of the tool loop still in progress (API rules A51, A59)."""
    removed = {edit.key for edit in edits if isinstance(edit, Remove)}
    if not removed or not messages or not _has_results(messages[-1]):
        return False
    for message in reversed(messages):
        if message.role == "user" and not _has_results(message):
            return False
        if any(part.prefix_bound and part.key in removed for part in message.parts):
            return True
    return False


def is_leading_reasoning_gone(raw: Sequence[Message], view: Sequence[Message]) -> bool:
    """Whether the running tool loop begins with reasoning in the raw history, and not in the view of it (A52).

    In the view a summary in the user's name begins the loop where it replaced its first rounds.
    """
    shown = find_loop_opener(view)
    if shown is None or has_leading_reasoning(view[shown]):
        return False
    opener = find_loop_opener(raw)
    return opener is not None and has_leading_reasoning(raw[opener])


def is_missing_reasoning(raw: Sequence[Message], shown: Sequence[Message]) -> bool:
    """Whether the first answer of the running tool loop lost the reasoning that it begins with (A52).

    `shown`: the same messages with their parts as edited.
    """
    opener = find_loop_opener(raw)
    return opener is not None and has_leading_reasoning(raw[opener]) and not has_leading_reasoning(shown[opener])


def find_loop_opener(messages: Sequence[Message]) -> int | None:
    """Return the index of the first answer of the running tool loop; None if the messages do not end in results."""
    opener = None
    if messages and _has_results(messages[-1]):
        for index in range(len(messages) - 1, -1, -1):
            message = messages[index]
            if message.role == "user" and not _has_results(message):
                break
            opener = index if message.role == "assistant" and message.parts else opener
    return opener


def has_leading_reasoning(message: Message) -> bool:
    """Whether a message begins with reasoning."""
    return bool(message.parts) and message.parts[0].kind == "reasoning"


def _has_results(message: Message) -> bool:
    """Whether a message contains results: a user text in the same message continues the turn."""
    return any(part.kind == "tool_result" for part in message.parts)
