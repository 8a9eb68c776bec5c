"""What a session's plan has cost and saved so far, and the bound on it: one ledger for prunes and digests.

Two bills are summed up request by request: of the history as it came, and of the views that the plan's epochs made of
it. Each has a prompt cache of its own (`prompt_cache`). What more edits would cost at the current request follows from
the same caches: the request is priced with them and without. Where ranges are replaced there is a third bill, of the
plan with these alone: what summaries save does not pay for other edits. Nothing that is not certain counts as saved: a
pause that no message's time tells of, reasoning that left the view.

A session grows, so the bills are kept with the totals of its messages and continued; an epoch begins them anew.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from secateur.budget import Budget
from secateur.cachecost.applied_edits import AppliedEdit, AppliedEdits
from secateur.cachecost.history import History, find_lost
from secateur.cachecost.prefixes import CachedPrefixes
from secateur.cachecost.prompt_cache import PromptCache, PromptShape
from secateur.cachecost.request_log import RequestLog
from secateur.model import Replace
from secateur.pricing.tariffs import CachePricing

# This much of the bound is used. Tokens are estimates: an error that all texts share is one of both bills, and of a
# single kind of text they are seldom more than 15 % off (benchmarks/tokens.py).
SAFETY = 0.85
STEPS = 5  # requests for which a shorter prompt may be on the wrong side of a step


class CostLedger:
    """Both bills, in tokens of plain input, the current request included; no new edit is made at it yet."""

    def __init__(self, history: History, prefixes: CachedPrefixes) -> None:
        self._pricing, self._history = scale_pricing(history.budget), history
        self._log = log = RequestLog(history, prefixes)
        bills = _continue_bills(history, log, self._pricing)
        unedited = log.build_prompt(log.last, AppliedEdits())
        whole = bills.unpruned + bills.unpruned_cache.price(unedited)
        self.unpruned = whole + self._pricing.output * log.output_tokens  # the bill of the raw history
        self._unpruned_cache, self._cache = bills.unpruned_cache, bills.cache
        self._paid, now = bills.pruned - whole, log.build_current()
        self._compacted = max(0.0, whole - bills.price_compacted(log)) if log.applied.has_ranges else 0.0
        self._tokens, self._fewer = now.tokens, unedited.tokens - now.tokens
        self.overspend = self._paid + self._cache.price(now)  # of the plan's views over that; below zero: saved
        self.reserve = compute_step_reserve(self._pricing)

    def build_part_edit(self, key: str, freed: int) -> AppliedEdit:
        """An edit at the current request: so many tokens are freed from this part on."""
        number = self._history.holding((key,))[-1]
        before = 0
        for part in self._history.messages[number].parts:
            if part.key == key:
                break
            before += part.tokens
        return AppliedEdit(self._log.last, number, before, freed)

    def build_edit(self, message: int, freed: int) -> AppliedEdit:
        """An edit at the current request: so many tokens are freed from this message on."""
        return AppliedEdit(self._log.last, message, 0, freed)

    def build_range_edits(self, edits: Sequence[Replace]) -> list[AppliedEdit]:
        """Ranges that are replaced at the current request."""
        return self._log.build_range_edits(edits)

    def estimate_overspend(self, more: Sequence[AppliedEdit]) -> float:
        """The overspend once these edits are made as well."""
        return self._paid + self._cache.price(self._log.build_current(more))

    def can_afford(
        self, more: Sequence[AppliedEdit], max_overspend: float, *, beside_compactions: bool = False
    ) -> bool:
        """Whether these edits keep the overspend within a share of the unpruned bill.

        With `beside_compactions` it is that over a session with the plan's replaced ranges alone: what these have saved
        they save in any case.
        """
        limit = SAFETY * max_overspend * self.unpruned - self._compacted * beside_compactions
        if self._find_least(more) + self.reserve > limit + 1:
            return False
        return self.estimate_overspend(more) + self.reserve + self._price_next_turn(more) <= limit

    def is_free(self, more: Sequence[AppliedEdit]) -> bool:
        """Whether these edits cost nothing, at this request and at the next turn of the user."""
        return self.estimate_overspend(more) + self._price_next_turn(more) <= self.overspend

    def _price_next_turn(self, more: Sequence[AppliedEdit]) -> float:
        """The excess of the user's next turn over the unpruned one, if it strips reasoning.

        The unpruned turn would read up to that reasoning. Edits before it without a breakpoint are rewritten.
        """
        pricing, stripped = self._pricing, self._log.find_next_strip()
        kept = self._unpruned_cache.find_longest(stripped[0]) if stripped else None
        if stripped is None or kept is None or stripped[1] - kept[0] > pricing.look_back:
            return 0.0
        prompt = self._log.build_current(more)
        if prompt.first is None or prompt.first > kept[0] or any([block == kept[0] for block, _ in prompt.marks]):
            return 0.0
        fewer = self._tokens - prompt.tokens + self._fewer
        dearer = pricing.cache_write - pricing.cache_read
        return max(0.0, dearer * (kept[1] - self._log.fixed) - pricing.cache_write * fewer)

    def _find_least(self, more: Sequence[AppliedEdit]) -> float:
        """A lower bound of the overspend, found without a lookup: as if all before the first edit were read."""
        pricing = self._pricing
        read = self._log.count_readable(min(more, key=lambda edit: (edit.message, edit.before)))
        tokens = self._tokens - sum([edit.gain for edit in more])
        if read is None or pricing.cache_write < pricing.cache_read or tokens < pricing.minimum_tokens:
            return float("-inf")
        return self._paid + pricing.cache_write * tokens - (pricing.cache_write - pricing.cache_read) * read


class _Bills:
    """Both bills, up to the current request; and, where ranges are replaced, that of the plan with these alone."""

    def __init__(self, pricing: CachePricing) -> None:
        self.unpruned_cache, self.cache, self._compacted_cache = (PromptCache(pricing) for _ in range(3))
        self.unpruned = self.pruned = self._compacted = 0.0
        self._applied, self._replaced, self._edits, self._requests = AppliedEdits(), AppliedEdits(), 0, 0

    def add_requests(self, log: RequestLog) -> None:
        """Add the requests that were made since."""
        nothing = AppliedEdits()
        for request in range(self._requests, log.last):
            first = self._edits
            while self._edits < len(log.edits) and log.edits[self._edits].request == request:
                self._edits += 1
            made = log.edits[first : self._edits]
            if made:
                self._applied.add(made)
            self.unpruned += self.unpruned_cache.send(log.build_prompt(request, nothing))
            self.pruned += self.cache.send(log.build_prompt(request, self._applied, made[0] if made else None))
            if log.applied.has_ranges:
                self._compacted += self._compacted_cache.send(self._build_compacted(log, request, made))
        self._requests = log.last

    def price_compacted(self, log: RequestLog) -> float:
        """The bill of the plan's replaced ranges alone, with the current request."""
        return self._compacted + self._compacted_cache.price(self._build_compacted(log, log.last, log.current_edits))

    def _build_compacted(self, log: RequestLog, request: int, made: Sequence[AppliedEdit]) -> PromptShape:
        more = log.list_compacted(made)
        if not more:
            return log.build_prompt(request, self._replaced)
        if request == log.last:
            return log.build_prompt(request, AppliedEdits(more, self._replaced), more[0])
        self._replaced.add(more)
        return log.build_prompt(request, self._replaced, more[0])


def _continue_bills(history: History, log: RequestLog, pricing: CachePricing) -> _Bills:
    """The bills of the request before, continued, as long as nothing was edited since."""
    edits = tuple(edit for edit in log.edits if edit.request < log.last)
    about = (history.plan.epochs, pricing, log.fixed, edits, find_lost(history))
    known = history.totals.recall("bills")
    bills: _Bills = known[1] if known is not None and known[0] == about else _Bills(pricing)
    bills.add_requests(log)
    history.totals.keep("bills", (about, bills), log.count_messages(log.last - 1) if log.last else 0)
    return bills


def scale_pricing(budget: Budget) -> CachePricing:
    """The prices with their limits in our own count, which both bills use.

    The ratio is rounded to one decimal: it moves a little with each report, and every change restarts both bills.
    """
    pricing, ratio = budget.pricing, round(budget.ratio, 1)
    if ratio == 1:
        return pricing
    least, step = round(pricing.minimum_tokens / ratio), max(1, round(pricing.step_tokens / ratio))
    return replace(pricing, minimum_tokens=least, step_tokens=step)


def compute_step_reserve(pricing: CachePricing) -> float:
    """What a shorter prompt can cost more if the cache is read in steps."""
    return STEPS * (pricing.step_tokens - 1) * max(0.0, 1 - pricing.cache_read)
