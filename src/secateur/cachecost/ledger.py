"""What pruning has cost and saved so far, told from the history and the plan: the bound on regret.

Rule: both bills, of the history as it came and of the views that the plan's epochs made of it, are summed up request by
request, each with a prompt cache of its own (`cached`). What a point would cost is told by the same cache. Nothing that
is not certain counts as saved: a pause that no message's time tells of, reasoning that left the view.
"""

from msgspec.structs import replace

from secateur.budget import Budget
from secateur.cachecost.applied_edits import AppliedEdit, AppliedEdits
from secateur.cachecost.cut_costs import CutPoint
from secateur.cachecost.prefixes import CachedPrefixes
from secateur.cachecost.prompt_cache import PromptCache
from secateur.cachecost.request_log import RequestLog
from secateur.proposal import Proposal
from secateur.tariff import CachePricing
from secateur.view_totals import ViewTotals

# Of the bound so much is used. Tokens are estimates: an error that all texts share is one of both bills, and of a
# single kind of text they are seldom more than 15 % off (benchmarks/tokens.py).
SAFE = 0.85
STEPS = 5  # requests for which a shorter prompt may fall on the wrong side of a step


class CostLedger:
    """Of a proposal's history and plan, with the prefixes that its epochs left.

    In tokens of plain input, this request included, nothing new being pruned for it.
    """

    def __init__(self, proposal: Proposal, prefixes: CachedPrefixes) -> None:
        totals, self._tariff = proposal.totals(), scale_pricing(proposal.budget)
        self._asked = asked = RequestLog(proposal, prefixes, totals)
        bills = _bills(proposal, asked, totals, self._tariff)
        uncut = asked.prompt(asked.last, AppliedEdits())
        whole = bills.whole + bills.plain.cost(uncut)
        self.unpruned = whole + self._tariff.output * asked.spoken  # the bill of the history as it came
        self._plain, self._pruned, self._paid, now = bills.plain, bills.pruned, bills.paid - whole, asked.now()
        self._tokens, self._fewer = now.tokens, uncut.tokens - now.tokens
        self.overspend = self._paid + self._pruned.cost(
            now
        )  # what the plan's views cost more than that; below zero: less
        self.reserve = step_reserve(self._tariff)
        edits = proposal.edits.keys()
        self._cuts = {
            part.key: AppliedEdit(
                asked.last, number, sum([one.tokens for one in proposal.view.messages[number].parts[:n]])
            )
            for number in proposal.holding(edits)
            for n, part in enumerate(proposal.view.messages[number].parts)
            if part.key in edits
        }

    def allows(self, point: CutPoint, most: float) -> bool:
        """Whether pruning from a point on keeps the bill within `most`, a share, above the unpruned one."""
        limit = SAFE * most * self.unpruned
        if self._least(point) + self.reserve > limit + 1:
            return False
        return self.overspend_after(point) + self.reserve + self._turning(point) <= limit

    def overspend_after(self, point: CutPoint) -> float:
        """What the bill is above the unpruned one once everything from a point on is pruned."""
        return self._paid + self._pruned.cost(self._asked.now(self._cut(point)))

    def _turning(self, point: CutPoint) -> float:
        """What the next turn of the user would cost more than the unpruned one, where it strips reasoning: that would
        read up to there, and what is edited before it, and not marked, is written anew."""
        tariff, stripped = self._tariff, self._asked.stripped_next()
        kept = self._plain.longest(stripped[0]) if stripped else None
        if stripped is None or kept is None or stripped[1] - kept[0] > tariff.look_back:
            return 0.0
        prompt = self._asked.now(self._cut(point))
        if prompt.first is None or prompt.first > kept[0] or any([block == kept[0] for block, _ in prompt.marks]):
            return 0.0
        fewer = self._tokens - prompt.tokens + self._fewer
        return max(
            0.0, (tariff.cache_write - tariff.cache_read) * (kept[1] - self._asked.fixed) - tariff.cache_write * fewer
        )

    def _least(self, point: CutPoint) -> float:
        """What that is at least: as if all that stands before the point were read."""
        tariff, read = self._tariff, self._asked.readable(self._cut(point))
        tokens = self._tokens - point.freed
        if read is None or tariff.cache_write < tariff.cache_read or tokens < tariff.minimum_tokens:
            return float("-inf")
        return self._paid + tariff.cache_write * tokens - (tariff.cache_write - tariff.cache_read) * read

    def _cut(self, point: CutPoint) -> AppliedEdit:
        at = self._cuts[point.key]
        return AppliedEdit(at.request, at.message, at.before, point.freed)


class _Bills:
    """Both bills, up to the request that is made now."""

    def __init__(self, tariff: CachePricing) -> None:
        self.plain, self.pruned = PromptCache(tariff), PromptCache(tariff)
        self.whole = self.paid = 0.0  # of the history as it came, and of the views
        self._standing, self._cuts, self._requests = AppliedEdits(), 0, 0

    def go_on(self, asked: RequestLog) -> None:
        """Take the requests that were made since."""
        nothing = AppliedEdits()
        for request in range(self._requests, asked.last):
            first, self._cuts = self._cuts, _behind(asked.cuts, self._cuts, request)
            made = asked.cuts[first : self._cuts]
            if made:
                self._standing.add(made)
            self.whole += self.plain.send(asked.prompt(request, nothing))
            self.paid += self.pruned.send(asked.prompt(request, self._standing, made[0] if made else None))
        self._requests = asked.last


def _behind(made: tuple[AppliedEdit, ...], point: int, request: int) -> int:
    """The point behind the cuts of a request."""
    while point < len(made) and made[point].request == request:
        point += 1
    return point


def _bills(proposal: Proposal, asked: RequestLog, totals: ViewTotals, tariff: CachePricing) -> _Bills:
    """The bills so far: those of the request before, gone on with, as long as nothing was edited since."""
    cuts = tuple(one for one in asked.cuts if one.request < asked.last)
    about = (proposal.plan.epochs, tariff, asked.fixed, cuts)
    known = totals.kept("bills")
    bills: _Bills = known[1] if known is not None and known[0] == about else _Bills(tariff)
    bills.go_on(asked)
    totals.keep("bills", (about, bills), asked.held(asked.last - 1) if asked.last else 0)
    return bills


def scale_pricing(budget: Budget) -> CachePricing:
    """The tariff with its limits in our own count, in which both bills are.

    The ratio is taken to one decimal: it moves a little with each report, and every change means both bills anew.
    """
    tariff, ratio = budget.pricing, round(budget.ratio, 1)
    if ratio == 1:
        return tariff
    least, step = round(tariff.minimum_tokens / ratio), max(1, round(tariff.step_tokens / ratio))
    return replace(tariff, minimum_tokens=least, step_tokens=step)


def step_reserve(tariff: CachePricing) -> float:
    """What a shorter prompt may cost more where the cache is read in steps."""
    return STEPS * (tariff.step_tokens - 1) * max(0.0, 1 - tariff.cache_read)
