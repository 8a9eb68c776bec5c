"""The requests of a session, reconstructed from its history and plan: what each held, and what was edited by then.

Every answer of a model is one request, and the last request is the one that is made now. A request is described by
numbers alone (`PromptShape`): how many tokens and blocks it has, and where it first differs from the one before. Three
things make a prompt differ other than by growth. An edit made at it changes everything behind its message. A new user
turn takes the reasoning of earlier turns out of the prompt, with providers that strip it. A pause that the cache does
not outlive leaves nothing to read.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter

from secateur.budget import explain_cold
from secateur.cachecost.applied_edits import AppliedEdit, AppliedEdits, build_range_edit, find_applied_edits
from secateur.cachecost.history import History, find_answers, find_pauses
from secateur.cachecost.prefixes import CachedPrefixes
from secateur.cachecost.prompt_cache import Prefix, PromptShape
from secateur.model import Replace
from secateur.proposal import ViewTotals


class RequestLog:
    """The requests of a history, by number; `last` is the one that is made now."""

    def __init__(self, history: History, prefixes: CachedPrefixes) -> None:
        totals = history.totals
        self._history, self._pricing, self._turns = history, history.budget.pricing, history.index.user_turns
        self._answers, self._size = find_answers(history), len(history.messages)
        self.last = len(self._answers)
        self.edits = find_applied_edits(history, self._sent)
        self.applied = AppliedEdits(self.edits)
        parts = [edit for edit in self.edits if edit.range is None]
        self._freed_parts = AppliedEdits(parts) if self.applied.has_ranges else self.applied
        self._added = {piece.request: piece.kept for piece in prefixes.pieces if piece.kept}
        self._pauses, self._is_cold = find_pauses(history), bool(explain_cold(history.budget))
        self._blocks, self._thought, self._thoughts = totals.blocks, totals.thought, totals.thoughts
        self._tokens, self.fixed = totals.tokens, history.fixed_tokens
        self._head: tuple[Prefix, ...] = ((0, self.fixed),) if self.fixed else ()
        edits = [edit for edit in parts if _has_number(self._answers, edit.message)]
        # Tokens of all answers as received, without reasoning: whether that was paid for is not recorded everywhere.
        self.output_tokens = _count_output(self._answers, totals) + sum([edit.gain for edit in edits])

    @property
    def _sent(self) -> list[int]:
        return [*self._answers, self._size]

    def count_messages(self, request: int) -> int:
        """The number of messages in a request."""
        return self._answers[request] if request < self.last else self._size

    def build_range_edits(self, edits: Sequence[Replace]) -> list[AppliedEdit]:
        """Ranges that would be replaced at the request that is made now."""
        found = [edit for edit in self.edits if edit.range is not None]
        known = len(found)
        for edit in edits:
            found += build_range_edit(self._history, self._sent, edit, found, self.last)
        return found[known:]

    def build_current(self, more: Sequence[AppliedEdit] = ()) -> PromptShape:
        """The request that is made now, with more edits."""
        first = min([*more, *self.current_edits], key=attrgetter("message", "before"), default=None)
        return self.build_prompt(self.last, AppliedEdits(more, self.applied) if more else self.applied, first)

    def list_compacted(self, edits: Sequence[AppliedEdit]) -> list[AppliedEdit]:
        """Those of the edits that replace a range, or edited what one replaces now."""
        return [edit for edit in edits if edit.range is not None or self.applied.is_hidden(edit.message)]

    @cached_property
    def current_edits(self) -> list[AppliedEdit]:
        """The edits of the plan that are made at the request that is made now."""
        return [edit for edit in self.edits if edit.request == self.last]

    def count_readable(self, edit: AppliedEdit) -> int | None:
        """At most so many tokens of the current request can be read after one more edit; None: not known."""
        sent = self.count_messages(self.last - 1) if self.last else 0
        if edit.message >= sent:
            return None
        ranges = self.applied.sum_freed_before(edit.message) - self._freed_parts.sum_freed_before(edit.message)
        return self.fixed + self._tokens[edit.message] - ranges + edit.before

    def find_next_strip(self) -> Prefix | None:
        """Find where the user's next turn will change the prompt, if it strips the reasoning of this one.

        Returns the last block before that, and the current last block. Later ones follow it.
        """
        turn, size = self._find_turn(self.last, self.applied), self._size
        first = self._find_thought(turn, size, self.applied) if self._pricing.strips_reasoning else None
        if first is None:
            return None
        return self._find_block(first, turn, self.applied), self._find_block(size, size, self.applied)

    def build_prompt(self, request: int, applied: AppliedEdits, first: AppliedEdit | None = None) -> PromptShape:
        """A request, with what had been edited by then, and the first edit that was made at it."""
        size, turn, pricing = self.count_messages(request), self._find_turn(request, applied), self._pricing
        tokens, last = self._count_tokens(size, turn, applied) - applied.freed, self._find_block(size, turn, applied)
        thought = self._find_stripped(request, turn, applied)
        is_cold, is_grown = self._is_cold_at(request), first is None and thought is None
        if is_grown and pricing.positions == "marks" and self._head and pricing.breakpoints > 1:  # most of them
            return PromptShape(tokens, last, last - pricing.look_back, None, 0, self._head, is_cold)
        before = self.count_messages(request - 1) if request else 0
        changed, inside = None, 0
        if first is not None and first.message < before:
            changed, inside = first.message, first.before if pricing.any_prefix else 0
        if thought is not None and (changed is None or thought < changed):
            changed, inside = thought, 0
        added: list[int] = []
        if first is not None:
            added = self._find_added(size, min(first.message, before), turn, applied)
        marks = [(self._find_block(at, turn, applied), self._count_before(at, turn, applied)) for at in added]
        marks += self._head if len(added) + 1 < pricing.breakpoints else ()
        return PromptShape(
            tokens,
            last,
            self._find_since(size, turn, min(added, default=size), applied),
            None if changed is None else self._find_block(changed, turn, applied) + 1,
            0 if changed is None else self._count_before(changed, turn, applied) + inside,
            tuple(sorted(marks)),
            is_cold,
            self._find_answer(request, turn, applied) if pricing.positions == "answers" and changed is None else (),
        )

    def _is_cold_at(self, request: int) -> bool:
        """Whether nothing of the request before could be read any more."""
        paused = not request or _has_number(self._pauses, self.count_messages(request))
        return paused or (request == self.last and self._is_cold)

    def _find_turn(self, request: int, applied: AppliedEdits) -> int:
        """The message that began the turn of a request, if that strips the reasoning before it; else 0."""
        if not self._pricing.strips_reasoning:
            return 0
        at = bisect_left(self._turns, self.count_messages(request)) - 1
        while at >= 0 and applied.has_ranges and applied.is_hidden(self._turns[at]):
            at -= 1
        return self._turns[at] if at >= 0 else 0

    def _find_stripped(self, request: int, turn: int, applied: AppliedEdits) -> int | None:
        """The first message whose reasoning left the prompt with this request."""
        if not self._pricing.strips_reasoning:
            return None
        return self._find_thought(self._find_turn(request - 1, applied) if request else 0, turn, applied)

    def _find_thought(self, start: int, end: int, applied: AppliedEdits) -> int | None:
        """The first message of [start, end) that has reasoning and is not replaced."""
        while self._thoughts[end] > self._thoughts[start]:
            found = bisect_right(self._thoughts, self._thoughts[start]) - 1
            if not applied.has_ranges or not applied.is_hidden(found):
                return found
            start = max(found + 1, applied.skip_range(found))
            if start >= end:
                return None
        return None

    def _find_added(self, size: int, at: int, turn: int, applied: AppliedEdits) -> list[int]:
        """The messages before which an edited request leaves a prefix: where it changes, and before the next edits."""
        wanted = [at] if self._find_block(at, turn, applied) < self._find_block(size, turn, applied) else []
        users = self._turns[: bisect_left(self._turns, size)][-1:] if not applied.has_ranges else ()
        added = self._added.get(size) or (size, *(number + 1 for number in users if number >= at))
        places = [applied.skip_range(number) if applied.has_ranges else number for number in (*wanted, *added)]
        places = [number for number in places if number and self._find_block(number, turn, applied) >= 0]
        return places[: self._pricing.free_breakpoints]

    def _find_since(self, size: int, turn: int, marked: int, applied: AppliedEdits) -> int:
        """The first block at which a prefix is found that is not marked there.

        From the first mark backwards, or as far as message ends are searched.
        """
        pricing = self._pricing
        if pricing.positions == "marks":
            return self._find_block(marked, turn, applied) - pricing.look_back
        if pricing.positions != "messages" or not pricing.look_back:
            return int(bool(self.fixed))
        number = applied.find_back(size, pricing.look_back - 1)
        return max(int(bool(self.fixed)), self._find_block(number, turn, applied))

    def _find_answer(self, request: int, turn: int, applied: AppliedEdits) -> tuple[Prefix, ...]:
        """The prefix of the previous answer, if answers leave prefixes."""
        if not request:
            return ()
        size = self.count_messages(request - 1) + 1
        return ((self._find_block(size, turn, applied), self._count_before(size, turn, applied)),)

    def _find_block(self, size: int, turn: int, applied: AppliedEdits) -> int:
        """The last block of so many messages; system prompt and tools are one, if there are any."""
        shown = min(size, turn)
        block = bool(self.fixed) + self._blocks[size] - self._thoughts[shown] - 1
        if applied.has_ranges:
            block += applied.sum_ranges_before(shown).thoughts - applied.sum_ranges_before(size).blocks
        return block

    def _count_before(self, size: int, turn: int, applied: AppliedEdits) -> int:
        """Tokens of so many messages, with what comes before them all."""
        return self._count_tokens(size, turn, applied) - applied.sum_freed_before(size)

    def _count_tokens(self, size: int, turn: int, applied: AppliedEdits) -> int:
        """The same, had nothing been freed."""
        shown = min(size, turn)
        tokens = self.fixed + self._tokens[size] + self._freed_parts.sum_freed_before(size) - self._thought[shown]
        return tokens + applied.sum_ranges_before(shown).thought if applied.has_ranges else tokens


def _count_output(answers: list[int], totals: ViewTotals) -> int:
    """Tokens of these answers as they read now, without reasoning."""
    total, known = totals.recall("output") or (0, 0)
    if known < len(answers):
        tokens, thought = totals.tokens, totals.thought
        total += sum([tokens[n + 1] - tokens[n] - thought[n + 1] + thought[n] for n in answers[known:]])
        totals.keep("output", (total, len(answers)), answers[-1] + 1)
    return total


def _has_number(numbers: Sequence[int], number: int) -> bool:
    """Whether a number is one of these, which are in order."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
