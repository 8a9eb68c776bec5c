"""What was removed from the views of a session: which part, when, by which strategy and why, what replaced it, how to
read it back.

Rule: one entry for each part and epoch, from the receipts; the current replacement follows from the plan. A summary
replaces many parts: each has an entry of its own, as far as its bytes were stored. Removed texts are not shown here.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from secateur.lineage import HANDLE_DIGITS
from secateur.model import Edit, Epoch, Remove, Replace, Rewrite
from secateur.plan import Plan, fold
from secateur.receipt import EditRecord, Receipt
from secateur.sessions import shift_reverts
from secateur.sessions.receipt_log import VIEWS, read
from secateur.stores.protocol import BlobRef, State, Store

_NAMED = re.compile(r'\[secateur: (\S+) "(.{1,120}?)" gave \d+ chars, ')


class Removal(Struct, frozen=True):
    """One part that an epoch changed in the view."""

    request: int | None  # number of its receipt; null if there is none
    at_ms: int  # ms since 1970
    verb: str  # rewrite, remove, replace (by a summary), summed (part of what it replaced) or restore (it is back)
    strategy: str  # the strategy
    policy: str
    reason: str  # why its epoch was opened
    epoch: int | None  # its number in the plan, as `undo` takes it
    tool: str
    call_id: str
    message: int | None  # 0-based index in the transcript as read then
    user_turn: int | None  # of the user's, from 1; 0: before the first; null: not recorded
    tokens_before: int
    tokens_after: int
    key: str
    handle: str | None  # what `recall` takes; null: it left while there was no store
    bytes: int | None  # of what left, as it was; null: they are not in the store any more
    stands: str | None  # the text that was there from then on; null: nothing
    out: bool  # this edit is in force now
    summary: int | None = None  # number of the summary that replaced it, if a report lists summaries once; else null

    @property
    def subject(self) -> str:
        """Tool and main argument, of a path its last part, where the text in its place names them; else the tool."""
        named = _NAMED.match(self.stands or "")
        if not named or named[1] != self.tool:
            return self.tool
        return f"{self.tool} {named[2] if ' ' in named[2] else named[2].rpartition('/')[2]}"


def list_removals(store: Store, state: State) -> tuple[Removal, ...]:
    """Return all that left the session's views or came back, oldest first. Raises StoreError."""
    record = _Record(state, tuple(one for one in store.list_blobs(state.who) if one.kind != "raw"))
    told: list[Removal] = []
    last: Receipt | None = None
    for link in store.list_receipts(state.who):
        receipt = read(link.body)
        for entry in receipt.edits:
            if entry.verb != "replace" or entry.removed_hash:  # else something was put in, and nothing left
                told.append(record.build_removal(entry, receipt, link.sequence))
                told += record.build_part_removals(entry, receipt, link.sequence)
        last = receipt if receipt.status in VIEWS else last
    told += record.find_unreported(frozenset((one.at_ms, one.key) for one in told))
    return record.mark_in_force(tuple(sorted(told, key=lambda one: one.at_ms)), last)


def number_summaries(found: Iterable[Removal]) -> tuple[tuple[Removal, ...], tuple[str, ...]]:
    """Return the removals with each summary listed once: `stands` refers to it by number."""
    numbers: dict[str, int] = {}
    told = []
    for one in found:
        if one.verb in ("replace", "summed") and one.stands:
            one = replace(one, stands=None, summary=numbers.setdefault(one.stands, len(numbers)))
        told.append(one)
    return tuple(told), tuple(numbers)


def sum_freed_tokens(found: Iterable[Removal]) -> int:
    """Return the tokens saved by removals still in force; a summary counts once for all its parts."""
    return sum(one.tokens_before - one.tokens_after for one in found if one.out and one.verb != "summed")


class _Record:
    """The plan and the bytes of one session, by what is asked of them."""

    def __init__(self, state: State, held: tuple[BlobRef, ...]) -> None:
        self._state = state
        self._held = held
        self._by_key = {one.key: one for one in held if one.key}
        self._sizes = {one.id[:HANDLE_DIGITS]: one.size for one in held if one.id}
        self._edits: dict[tuple[int, str, bool], tuple[int, Edit]] = {}
        for number, epoch in enumerate(state.plan.epochs):
            for edit in epoch.edits:
                ranged = isinstance(edit, Replace)
                self._edits[epoch.at_ms, edit.through if isinstance(edit, Replace) else edit.key, ranged] = (
                    number,
                    edit,
                )

    def build_removal(self, entry: EditRecord, receipt: Receipt, number: int) -> Removal:
        """Build the removal for one entry of a receipt."""
        epoch, edit = self._edits.get((entry.at_ms, entry.key, entry.verb == "replace"), (None, None))
        summed = receipt.compaction.handles if receipt.compaction and entry.verb == "replace" else ()
        handle = entry.handle or next(iter(summed), None)
        return Removal(
            request=number,
            at_ms=entry.at_ms,
            verb=entry.verb,
            strategy=entry.strategy,
            policy=receipt.policy,
            reason=entry.reason,
            epoch=epoch,
            tool=entry.tool,
            call_id=entry.call_id,
            message=entry.message,
            user_turn=entry.user_turn,
            tokens_before=entry.tokens_before,
            tokens_after=entry.tokens_after,
            key=entry.key,
            handle=handle,
            bytes=self._sizes.get(handle or ""),
            stands=_get_inserted_text(edit),
            out=False,
        )

    def build_part_removals(self, entry: EditRecord, receipt: Receipt, number: int) -> Iterator[Removal]:
        """Yield a removal for each part covered by a summary."""
        whole = self.build_removal(entry, receipt, number)
        for one in entry.parts:
            held = self._by_key.get(one.key)
            yield replace(
                whole,
                verb="summed",
                tool=one.tool,
                call_id=one.call_id,
                message=one.message,
                user_turn=one.user_turn,
                tokens_before=one.tokens,
                tokens_after=0,
                key=one.key,
                handle=(held.id[:HANDLE_DIGITS] or None) if held else None,
                bytes=held.size if held and held.id else None,
            )

    def find_unreported(self, told: frozenset[tuple[int, str]]) -> Iterator[Removal]:
        """Yield parts covered by summaries but named by no receipt; their bytes were kept with the epoch."""
        for number, epoch in enumerate(self._state.plan.epochs):
            ranges = [edit for edit in epoch.edits if isinstance(edit, Replace)]
            for held in self._held if ranges else ():
                if held.at == epoch.at_ms and held.key and (epoch.at_ms, held.key) not in told:
                    yield _build_summed_removal(held, number, epoch, ranges)
            for edit in epoch.edits if self._state.anchor.number >= 0 else ():
                if isinstance(edit, Rewrite | Remove) and (epoch.at_ms, edit.key) not in told:
                    yield _build_plan_removal(edit, self._by_key.get(edit.key), number, epoch)

    def mark_in_force(self, told: tuple[Removal, ...], last: Receipt | None) -> tuple[Removal, ...]:
        """Mark each removal as active or not, by the epochs of the last view and later ones.

        A policy whose edits do not persist lists them again with each view.
        """
        first = last.epochs[0] if last else 0
        epochs = [one for one in self._state.plan.epochs[first:] if one.reverts is None or one.reverts >= first]
        folded = fold(Plan(shift_reverts(tuple(epochs), -first)))
        parts = {(at, key) for key, (_, at) in folded.parts.items()}
        ranges = {at for _, at in folded.ranges}
        return tuple(_deduplicate_summed(replace(one, out=_is_out(one, parts, ranges)) for one in told))


def _deduplicate_summed(told: Iterable[Removal]) -> Iterator[Removal]:
    """Drop parts that an earlier summary already covers from a later one whose range holds that summary."""
    behind: set[str] = set()
    for one in told:
        if one.verb == "summed":
            if one.key in behind:
                continue
            behind |= {one.key} if one.out else set()
        yield one


def _build_summed_removal(held: BlobRef, number: int, epoch: Epoch, ranges: list[Replace]) -> Removal:
    """Build the removal of a part that a summary covers and no receipt names."""
    stands = next(filter(None, map(_get_inserted_text, ranges)), None)
    return _without_receipt("summed", ranges[0].strategy, held.key, held, stands=stands, number=number, epoch=epoch)


def _build_plan_removal(edit: Rewrite | Remove, held: BlobRef | None, number: int, epoch: Epoch) -> Removal:
    """Build the removal for an edit whose receipt was dropped by retention."""
    verb = "rewrite" if isinstance(edit, Rewrite) else "remove"
    stands = _get_inserted_text(edit)
    return _without_receipt(verb, edit.strategy, edit.key, held, stands=stands, number=number, epoch=epoch)


def _without_receipt(
    verb: str, strategy: str, key: str, held: BlobRef | None, *, stands: str | None, number: int, epoch: Epoch
) -> Removal:
    """A removal of which only the plan and the stored bytes are left."""
    return Removal(
        request=None,
        at_ms=epoch.at_ms,
        verb=verb,
        strategy=strategy,
        policy="",
        reason=epoch.reason,
        epoch=number,
        tool="",
        call_id="",
        message=None,
        user_turn=None,
        tokens_before=0,
        tokens_after=0,
        key=key,
        handle=(held.id[:HANDLE_DIGITS] or None) if held else None,
        bytes=held.size if held and held.id else None,
        stands=stands,
        out=False,
    )


def _get_inserted_text(edit: Edit | None) -> str | None:
    """Return the text that an edit inserts."""
    if isinstance(edit, Replace):
        return next((item.text for item in edit.messages if item.origin == "summary"), None)
    return edit.text if isinstance(edit, Rewrite) else None


def _is_out(one: Removal, parts: set[tuple[int, str]], ranges: set[int]) -> bool:
    return one.at_ms in ranges if one.verb in ("replace", "summed") else (one.at_ms, one.key) in parts
