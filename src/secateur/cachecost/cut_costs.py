"""What each proposed edit would cost and has cost already: the numbers by which schedules with prices decide.

A cut point is a proposed part together with all proposals behind it: once the part is edited, everything behind it is
written anew whatever happens to the other proposals. The cache holds what the last request contained: everything before
the newest answer, up to the first part that is edited anyway; nothing where it is cold.

How long a result has been eligible follows from the history alone: it is the first message with which the policy's
protection would have allowed the edit. Conditions on the whole view (its weight, its share of the window) are taken as
they are now.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from secateur.bounds import find_turn_start, find_working_set, get_index, is_eligible
from secateur.budget import Budget, explain_cold
from secateur.cachecost.applied_edits import AppliedEdit
from secateur.cachecost.history import History, read_history
from secateur.cachecost.ledger import CostLedger
from secateur.cachecost.prefixes import CachedPrefixes
from secateur.cachecost.rereads import Bar, compute_bar
from secateur.model import Message, Part, Remove, Rewrite, Transcript
from secateur.proposal import Decision, Proposal, ViewTotals
from secateur.protect import count_protected_tokens
from secateur.receipt import EditCost


class CutPoint(Struct, frozen=True):
    """Everything proposed from one part on. Costs are in tokens of plain input."""

    key: str
    freed: int  # tokens
    carrying_cost: float  # paid so far for reading what would be freed
    rewrite_cost: float  # to rewrite what the cache holds after it, and for bound reasoning that becomes invalid


class CutCosts:
    """The cut points of a proposal, the newest first; `cold_reason` says why the cache is gone, "" where it is warm."""

    def __init__(self, proposal: Proposal) -> None:
        self.proposal = proposal
        self.cold_reason = explain_cold(proposal.budget)
        self._totals = proposal.take_totals()
        budget = proposal.budget
        stripped = self._totals.thought[find_turn_start(proposal.view)] if budget.pricing.strips_reasoning else 0
        self.tokens_sent: int = budget.tokens_used - budget.scale_to_reported(stripped)
        self.points: tuple[CutPoint, ...] = tuple(self._find_points()) if proposal.edits else ()

    @cached_property
    def _history(self) -> History:
        return read_history(self.proposal, self._totals)

    @cached_property
    def _prefixes(self) -> CachedPrefixes:
        return CachedPrefixes(self._history)

    @cached_property
    def ledger(self) -> CostLedger:
        """The session's costs so far. Most requests are decided without it."""
        return CostLedger(self._history, self._prefixes)

    @cached_property
    def bar(self) -> Bar:
        """How much more than usual an edit must have earned, since the agent read removed results again."""
        return compute_bar(self._history, self.ledger) if self.proposal.plan.epochs else Bar()

    def can_afford(self, point: CutPoint, max_overspend: float) -> bool:
        """Whether the bound on the overspend allows everything from a point on."""
        return self.ledger.can_afford([self.build_edit(point)], max_overspend, beside_compactions=True)

    def is_free(self, point: CutPoint) -> bool:
        """Whether everything from a point on costs nothing, at this request and at the next turn of the user."""
        return self.ledger.is_free([self.build_edit(point)])

    @property
    def is_compacted(self) -> bool:
        """Whether a summary or digests stand for a part of the history."""
        return bool(self._history.ranges)

    def build_edit(self, point: CutPoint) -> AppliedEdit:
        """Everything from a point on as one edit."""
        return self.ledger.build_part_edit(point.key, point.freed)

    def decide_from(self, point: CutPoint, min_tokens_freed: int, reason: str) -> Decision:
        """Everything proposed from a point on, if it is worth an epoch."""
        if point.freed < max(1, min_tokens_freed):
            asked = f"the policy asks for {min_tokens_freed:,}"
            return Decision(skipped_reason=f"{point.freed:,} tokens would be freed, and {asked}")
        behind = {one.key for one in self.points[: self.points.index(point) + 1]}
        return Decision({key: edit for key, edit in self.proposal.edits.items() if key in behind}, reason=reason)

    def _find_points(self) -> list[CutPoint]:
        """All cut points, found in one walk from the newest proposal backwards.

        The walk sums up what a cut at the current part frees, and what survives after it: tokens that the cache holds
        and the cut would rewrite. Messages without a proposal are not visited: their sums are differences of the view's
        totals. Inside a message the walk goes part by part; `unvisited` are the cached tokens of its parts that precede
        the current one, since a prefix can only end between messages. Media inside a result belong to it.
        """
        proposal, pricing, totals = self.proposal, self.proposal.budget.pricing, self._totals
        messages, edits = proposal.view.messages, proposal.edits
        numbers = proposal.find_holding(edits.keys())
        eligibility = _Eligibility(proposal, totals, numbers[0] if numbers else len(messages))
        end = self._find_cache_end()
        stripped = find_turn_start(proposal.view) if pricing.strips_reasoning else 0
        size = _StrippedSizes(totals, stripped) if stripped else totals.tokens
        found: list[CutPoint] = []
        freed = inside = 0
        carrying_cost = survives = voided = 0.0
        behind = len(messages)
        for number in reversed(numbers):
            survives += size[min(behind, end)] - size[min(number + 1, end)]
            voided += totals.bound[behind] - totals.bound[number + 1]
            behind, is_cached = number, number < end
            unvisited = size[min(number + 1, end)] - size[min(number, end)]
            for part in reversed(messages[number].parts):
                edit = edits.get(part.key)
                held = part.tokens if is_cached and not (number < stripped and part.kind == "reasoning") else 0
                unvisited -= held
                if part.container_key and part.container_key in edits:
                    inside += part.tokens
                    continue
                if edit is None or not isinstance(edit, Rewrite | Remove):
                    survives += held
                    voided += part.tokens * part.prefix_bound
                    continue
                left = proposal.count(edit.text) if isinstance(edit, Rewrite) else 0
                gain, inside = part.tokens + inside - left, 0
                survives += left * is_cached
                freed += gain
                requests = eligibility.count_requests_since(number, part)
                price = pricing.cache_read if is_cached else pricing.cache_write
                carrying_cost += gain * (pricing.cache_read * requests + price)
                written = survives + unvisited * (not pricing.any_prefix)
                written += size[min(number, end)] - self._find_readable(number, end, size)
                rewrite_cost = max(0.0, pricing.cache_write - pricing.cache_read) * written + pricing.output * voided
                found.append(CutPoint(part.key, freed, carrying_cost, rewrite_cost))
        return found

    def _find_readable(self, number: int, end: int, size: "_StrippedSizes | list[int]") -> int:
        """Tokens of messages that an edit of message `number` finds in the cache, which ends at message `end`."""
        if not end:
            return 0
        budget, blocks, pricing = self.proposal.budget, self._totals.blocks, self.proposal.budget.pricing
        if self._history.ranges:
            found = self._history.to_view(self._prefixes.find_before(self._history.from_view(number)))
        else:
            found = self._prefixes.find_before(number)
        if not pricing.free_breakpoints and pricing.positions == "marks":  # it is found from the request's end alone
            found = found if blocks[-1] - blocks[found] <= pricing.look_back else 0
        whole, fixed = size[min(found, end)], self._history.fixed_tokens
        return whole if budget.scale_to_reported(fixed + whole) >= pricing.minimum_tokens else -fixed

    def _find_cache_end(self) -> int:
        """The message at which the cache ends."""
        if self.cold_reason:
            return 0
        assistants = get_index(self.proposal.view).assistant_messages
        end = assistants[-1] if assistants else 0
        return min((end, *self.proposal.find_holding(self.proposal.forced_keys)[:1]))


class _StrippedSizes:
    """Tokens before each message, and of all; before message `stripped` the provider takes reasoning out."""

    def __init__(self, totals: ViewTotals, stripped: int) -> None:
        self._tokens, self._thought, self._stripped = totals.tokens, totals.thought, stripped

    def __getitem__(self, number: int) -> int:
        return self._tokens[number] - self._thought[min(number, self._stripped)]


class _Eligibility:
    """How long the parts at or after message `first` have been eligible."""

    def __init__(self, proposal: Proposal, totals: ViewTotals, first: int) -> None:
        transcript, budget = proposal.view, proposal.budget
        self._proposal, self._protect = proposal, budget.protect
        protect, index = budget.protect, get_index(transcript)
        self._users, self._assistants = index.user_messages, index.assistant_messages
        kept = (
            (index.user_messages if protect.count_all_user_messages else index.user_turns, protect.last_turns),
            (index.assistant_messages, protect.last_assistant_messages),
            (_find_calling_messages(transcript, first) if protect.last_rounds else [], protect.last_rounds),
        )
        self._kept = [(messages, count) for messages, count in kept if count]
        self._left = find_working_set(transcript, protect, budget.originals).left
        self._results, self._order = totals.results, totals.order
        reach = count_protected_tokens(protect, budget.window)
        self._outgrown = _find_outgrown(transcript, budget, first, reach) if reach else {}

    def count_requests_since(self, number: int, part: Part) -> int:
        """The requests since a part of message `number` became eligible: by its age, or because it became stale."""
        aged = self._find_since(number, part)
        since = self._proposal.stale_since.get(part.key, aged)
        since = min(since, aged) if self._proposal.by_age else since
        return len(self._assistants) - bisect_right(self._assistants, since)

    def _find_since(self, number: int, part: Part) -> int:
        """The number of the first message with which a part of message `number` was old enough."""
        protect = self._protect
        since = max(number + protect.last_messages, self._left.get(part.key, 0))
        for messages, count in self._kept:
            since = max(since, _find_nth_behind(messages, number, count))
        if part.kind != "tool_result":
            since = max(since, _find_nth_behind(self._users, number, 1))  # a running turn keeps what the model wrote
        if protect.last_results and part.key in self._order:
            order = self._order[part.key] + 1
            newer = self._results[order : order + protect.last_results]
            since = max(since, newer[-1] if newer else number)
        return max(since, self._outgrown.get(part.key, number))


def _find_nth_behind(messages: tuple[int, ...] | list[int], number: int, count: int) -> int:
    """The `count`-th of these messages behind message `number`; the last one where there are fewer."""
    first = bisect_right(messages, number)
    behind = messages[first : first + count]
    return behind[-1] if behind else number


def _find_calling_messages(transcript: Transcript, first: int) -> list[int]:
    messages = transcript.messages
    answers = (number for number in get_index(transcript).assistant_messages if number >= first)
    return [number for number in answers if any(part.kind == "tool_call" for part in messages[number].parts)]


def _find_outgrown(transcript: Transcript, budget: Budget, first: int, reach: int) -> dict[str, int]:
    """By result: the message with which the newest results came to hold more than `reach` tokens with it."""
    counted = [
        (number, part)
        for number in range(first, len(transcript.messages))
        for part in transcript.messages[number].parts
        if part.kind == "tool_result" and is_eligible(transcript, number, part, budget.protect)
    ]
    ends = list(accumulate(budget.count(part.text) for _, part in counted))
    found: dict[str, int] = {}
    before = 0
    for (_, part), end in zip(counted, ends, strict=True):
        at = bisect_right(ends, before + reach)
        found[part.key] = counted[min(at, len(counted) - 1)][0]
        before = end
    return found


def estimate_edit_cost(before: Sequence[Message], after: Sequence[Message], budget: Budget) -> EditCost | None:
    """The cost of messages that read as `after` and no longer as `before`; None where all are the same.

    For reports, of any policy: by the prices and the cache by which schedules decide. The cache is taken to hold
    everything before the first edit.
    """
    pairs = enumerate(zip(before, after, strict=True))
    first = next((number for number, (old, new) in pairs if old is not new), None)
    if first is None:
        return None
    pricing, cold_reason = budget.pricing, explain_cold(budget)
    end = next((n for n in range(len(after) - 1, -1, -1) if after[n].role == "assistant"), 0) if not cold_reason else 0
    was, now = ([sum([part.tokens for part in one.parts]) for one in shown[first:]] for shown in (before, after))
    held = max(0, end - first)  # messages that the cache holds from the first edit on
    cached, freed = sum(was[:held]) - sum(now[:held]), sum(was) - sum(now)
    written = max(0.0, pricing.cache_write - pricing.cache_read) * sum(now[:held])
    immediate = written - pricing.cache_read * cached - pricing.cache_write * (freed - cached)
    saved = pricing.cache_read * freed
    return EditCost(
        model=pricing.model,
        immediate=round(immediate, 1),
        saved_per_request=round(saved, 1),
        break_even_requests=round(max(0.0, immediate) / saved, 1) if saved > 0 else None,
        dollars_now=round(immediate * pricing.dollars / 1_000_000, 6),
        dollars_saved=round(saved * pricing.dollars / 1_000_000, 6),
        cache_cold_reason=cold_reason,
        price_assumption=pricing.assumption,
    )
