"""What the model reads: a plan applied to a history, kept from request to request so that each costs only what is new.

Rule: everything here follows from the request and the plan, so dropping it changes no byte. A projection knows nothing
about documents' bytes, and decides nothing.
"""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from itertools import compress
from operator import is_not

from msgspec.structs import replace

from secateur import plan as plans
from secateur import strategy
from secateur.bounds import extend_index
from secateur.budget import Budget
from secateur.documents import Document
from secateur.model import Edit, Epoch, Message, MessagePositions, Part, Remove, Replace, Restore, Rewrite, Transcript
from secateur.plan import FoldedPlan, Plan
from secateur.projection.message_index import Counting, MessageIndex, Tallies, Tally, count_parts
from secateur.projection.messages import Shown, locate_shown, project_message, sum_tokens
from secateur.proposal import ViewTotals
from secateur.protect import Protection


class Projection:
    """A history and the view that a plan makes of it."""

    def __init__(
        self, protect: Protection, counts: Counting, stamp: bool = False, weighed: bool = True, is_written: bool = True
    ) -> None:
        """`weighed`: a schedule needs the view's size by the policy's counter; `is_written`: views become documents."""
        self.protect, self._weighed = protect, weighed and not counts.alike
        self.is_pruned = True  # a policy has strategies that ask which results may be removed
        self.is_observed = False  # the policy makes no edit of any kind
        self.binds = False  # some reasoning of this history is bound to its prefix
        self._bound = 0  # the first message with such
        self.counting, self._is_written = counts, is_written
        self.count, self.gauge = self.counting.both
        self.message_index = MessageIndex()
        self.plan = Plan()  # of the whole session, all its branches
        self.branch_plan = self.plan  # what of it holds for this history
        self.apart: tuple[str, ...] = ()  # branches that continued from where this history stands
        self.document: Document  # the request as it was read
        self.last_document: Document | None = None  # the same; None before the first request
        self.markers: tuple[Document | None, bool, int] = (None, False, 0)  # found in it: a long lifetime, slots in use
        self.unchanged = False  # this request and its plan are those of the last one
        self.known = 0  # messages before this one were there, under this plan, at the last request
        self._awaited: frozenset[str] = frozenset()  # keys with which other epochs would hold, or some no more
        self.fold = FoldedPlan()  # the edits in force
        self._held = False  # the provider holds history that is not here: no edit of any plan is made
        self._folded = self.plan, FoldedPlan()  # the edits of all branches, where they were asked for
        self.ranges: tuple[tuple[int, int, Replace], ...] = ()  # [i, j) of messages that are replaced, in order
        self.projected_messages: tuple[Message, ...] = ()  # one by one as the model reads them, ranges aside
        self._weights: tuple[int, int, int] = (0, 0, 0)  # tokens raw, tokens of the view, the view by the gauge
        self._view: Transcript | None = None
        self._shown: Shown | None = None  # replacements of ranges; None: none was replaced yet
        self._tally, self._gauge_tally, self.tallies = Tally(sum_tokens), Tally(self._measure_message), Tallies()
        self._stamps = stamp  # the time of an edit is recorded where the host has a place for it
        self.same = 0  # leading messages that are in the last request as they are
        self.edited: dict[str, str] = {}  # key -> strategy, of all edits in force
        self.raw: dict[str, Part] = {}  # key -> the part as received, of those in this history

    @cached_property
    def history_totals(self) -> ViewTotals:
        """Of the history, message by message as the model reads it."""
        return ViewTotals()

    @cached_property
    def view_totals(self) -> ViewTotals:
        """Of the view, where ranges are replaced."""
        return ViewTotals()

    def ingest(self, new: Document, same: int, plan: Plan | None) -> None:
        """Take over a document of which the first `same` messages are those of the last one, under a plan.

        Without a plan the projection's own is continued.
        """
        old = self.last_document
        if old is None and not self.counting.can_count(new.transcript.model):
            self.counting = Counting.of(self.counting.names, new.transcript.model)
            self.count, self.gauge = self.counting.both
        # What was derived from a message stays true as long as three things stay: the message, everything before it,
        # and the edits that apply to it. So the first `same` messages keep what is known of them, unless the plan is
        # another one or another part of it applies now: then everything is derived again
        plan_stays = plan is None or plan == self.plan
        held = new.transcript.partial
        if not plan_stays or held != self._held:
            self.plan, same, self._held = self.plan if plan is None else plan, 0, held
            self._refold()
        known = old.transcript.messages if old is not None else ()
        messages = new.transcript.messages
        goes_on = 0 < len(known) <= len(messages) and all(
            known[at].key == messages[at].key for at in range(max(0, min(same, len(known)) - 1), len(known))
        )
        first = len(known) if goes_on and plan_stays else 0
        self.known = first
        self.unchanged = new is old and plan_stays
        is_planned = bool(self.plan.epochs or self.branch_plan.epochs)
        if is_planned and not self.unchanged and self._update_branch(messages, first):
            same = self.known = 0
        self.document = self.last_document = new
        if not self.unchanged:
            if known:
                self._forget(known, same)
            self._learn(messages, same)
        self.same = same

    def _update_branch(self, messages: tuple[Message, ...], first: int) -> bool:
        """Update the part of the plan that applies; messages from `first` on are new. Whether it changed."""
        here = plans.collect_keys(messages[first:])
        if first and not self._awaited & here:
            return False
        before = self.branch_plan
        self.branch_plan = plans.branch_for(self.plan, here if not first else plans.collect_keys(messages))
        self._awaited = plans.find_pending_keys(self.plan, self.branch_plan)
        if self.branch_plan != before:
            self._refold()
        return self.branch_plan != before

    def _forget(self, known: tuple[Message, ...], same: int) -> None:
        """Drop what was derived from messages that are not the same any more."""
        self.binds = self.binds and self._bound < same
        self.message_index.forget(same)
        if not same:
            self._weights, self.projected_messages = (0, 0, 0), ()
            return
        raw, view, gauge = self._weights
        for before, after in zip(known[same:], self.projected_messages[same:], strict=True):
            raw -= sum_tokens(before)
            view -= sum_tokens(after)
            gauge -= self._measure_message(after)
        self._weights = (raw, view, gauge)
        self.projected_messages = self.projected_messages[:same]

    def _learn(self, messages: tuple[Message, ...], same: int) -> None:
        """Count and project the messages behind the first `same` ones."""
        raw, view, gauge = self._weights
        new = messages[same:]
        sizes, bound = count_parts(new, self.counting.once or self.count)
        if bound is not None and not self.binds:
            self.binds, self._bound = True, same + bound
        if not self.fold.parts:
            fresh, lefts = new, sizes
        else:
            fresh = tuple([project_message(message, self.fold, self.count) for message in new])
            edited = map(is_not, fresh, new)
            lefts = [
                sum_tokens(after) if is_edited else size
                for after, size, is_edited in zip(fresh, sizes, edited, strict=True)
            ]
            for message in compress(new, map(is_not, fresh, new)):
                self._remember_raw(message)
        more = sum(lefts)
        self._weights = (
            raw + sum(sizes),
            view + more,
            gauge + (sum(map(self._measure_message, fresh)) if self._weighed else more),
        )
        self.projected_messages += fresh
        self.message_index.learn(messages, same, self.is_observed)
        ranges = self.fold.ranges
        self.ranges = tuple(plans.resolve_ranges(ranges, messages, self.message_index.numbers)) if ranges else ()
        self._spend(range(same, len(messages)))

    def _measure_message(self, message: Message) -> int:
        if not self._weighed:
            return sum_tokens(message)
        gauge = self.gauge
        return sum([part.tokens if part.kind == "media" else gauge(part.text) for part in message.parts])

    def _spend(self, touched: Iterable[int] | None = None) -> None:
        """Find the messages with a result that the policy could still edit: among all of them, or among these again."""
        self._view = None
        if not self.is_pruned:
            return
        known, own = self.edited, self.message_index.own
        budget = Budget(window=0, tokens_used=0, count=self.gauge, protect=self.protect, edited_by=known, own_keys=own)
        is_final = partial(strategy.is_final, budget)
        self.message_index.update_prunable(self.document.transcript, self.protect, is_final, touched)

    def set_protection(self, protect: Protection) -> None:
        """Protection otherwise from now on: pins came or went."""
        if protect != self.protect:
            self.protect = protect
            self.message_index.reset_prunable()
            self._spend()

    def get_view(self) -> Transcript:
        """The transcript as the model reads it."""
        if self._view is None:
            messages, index = self.projected_messages, self.message_index.positions
            if self.ranges:
                written_in = self.document.format if self._is_written else None
                self._shown = self._shown or Shown()
                messages, index = self._shown.build_view(messages, index, self.ranges, written_in, self.count)
            self._view = replace(self.document.transcript, messages=messages, index=index)
        return self._view

    def preview(self, edits: dict[str, Edit]) -> Transcript:
        """The same with more edits, which may yet come to nothing."""
        now = self.get_view()
        more = {key: (edit, 0) for key, edit in edits.items() if isinstance(edit, Rewrite | Remove)}
        back = edits.keys() - more.keys()  # restored parts: only the raw history has them
        shown, raw = list(now.messages), self.document.transcript.messages
        for number in self.find_holding(edits):
            message = shown[number]
            if back and not self.ranges and any(part.key in back for part in raw[number].parts):
                kept = {key: edit for key, edit in self.fold.parts.items() if key not in back}
                message = project_message(raw[number], FoldedPlan(kept, stamps=self._stamps), self.count)
            shown[number] = project_message(message, FoldedPlan(more, stamps=self._stamps), self.count)
        return replace(now, messages=tuple(shown))

    def find_holding(self, keys: Iterable[str]) -> list[int]:
        """The messages of the view that hold these parts."""
        found = self.message_index.find(keys)
        return locate_shown(self.ranges, found) if self.ranges else found

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of the raw history and of the view; fixed tokens aside."""
        raw, view, _ = self._weights
        return raw, self._tally.sum_messages(self.get_view().messages) if self.ranges else view

    @property
    def used(self) -> int:
        """Tokens of the view by the policy's counter, where a gate asks for it; else by the reports' counter."""
        return self._gauge_tally.sum_messages(self.get_view().messages) if self.ranges else self._weights[2]

    @property
    def index(self) -> MessagePositions:
        """The index of the history."""
        return self.message_index.positions or extend_index(self.document.transcript.messages)

    def apply_epoch(self, epoch: Epoch) -> None:
        """Add an epoch to the plan and lay it over the history."""
        before = self.fold
        if self.apart:
            epoch = replace(epoch, excluded_keys=self.apart)
        self.plan = self.plan.with_epoch(epoch)
        self.branch_plan = plans.branch_for(self.plan, self.message_index)
        self._awaited |= {*self.apart}
        self._refold()
        keys = {edit.key for edit in epoch.edits if not isinstance(edit, Replace)}
        if epoch.reverts is not None:
            keys |= before.parts.keys() ^ self.fold.parts.keys()
        touched, messages = self.message_index.find(keys), self.document.transcript.messages
        self._show(touched)
        ranges = self.fold.ranges
        self.ranges = tuple(plans.resolve_ranges(ranges, messages, self.message_index.numbers)) if ranges else ()
        back = epoch.reverts is not None or any(isinstance(edit, Restore) for edit in epoch.edits)
        if back:
            self.message_index.reset_prunable()  # what came back may be removed again
        self._spend(None if back else touched)

    def seal(self, first: int, sealed: Callable[[Epoch, tuple[Message, ...]], Epoch]) -> None:
        """Complete the epochs from the `first` on, which this request applied."""
        epochs, messages = self.plan.epochs, self.document.transcript.messages
        self.plan = Plan((*epochs[:first], *[sealed(epoch, messages) for epoch in epochs[first:]]))
        self.branch_plan = plans.branch_for(self.plan, self.message_index)

    def fold_all(self) -> FoldedPlan:
        """The edits in force on any branch: a rewritten history has none of the places where they were made."""
        if self.plan is self.branch_plan:
            return self.fold
        if self._folded[0] is not self.plan:
            self._folded = self.plan, plans.fold(self.plan)
        return self._folded[1]

    def _refold(self) -> None:
        self.fold = replace(FoldedPlan() if self._held else plans.fold(self.branch_plan), stamps=self._stamps)
        active = {key: edit.strategy for key, (edit, _) in self.fold.parts.items()}
        self.edited = plans.collect_blocked_keys(self.branch_plan) | active

    def _show(self, touched: list[int]) -> None:
        """Project these messages again."""
        _, view, gauge = self._weights
        shown = list(self.projected_messages)
        for number in touched:
            message, was = self.document.transcript.messages[number], shown[number]
            now = shown[number] = project_message(message, self.fold, self.count)
            more = sum_tokens(now) - sum_tokens(was)
            view += more
            gauge += self._measure_message(now) - self._measure_message(was) if self._weighed else more
            self._remember_raw(message)
        self._weights = (self._weights[0], view, gauge)
        self.projected_messages = tuple(shown)

    def _remember_raw(self, message: Message) -> None:
        for part in message.parts:
            if part.key in self.fold.parts:
                self.raw[part.key] = part
