"""What pruning has cost and saved so far, told from the history and the plan: the bound on regret.

Rule: both bills, of the history as it came and of the views that the plan's epochs made of it, are summed up request by
request, each with a prompt cache of its own (`cached`). What a place would cost is told by the same cache. Nothing that
is not certain counts as saved: a pause that no message's time tells of, reasoning that left the view.
"""

from msgspec.structs import replace

from secateur.budget import Budget
from secateur.cachecost.request_log import Asked
from secateur.cachecost.prompt_cache import Cached
from secateur.cachecost.applied_edits import Cut, Standing
from secateur.cachecost.cut_costs import Place
from secateur.proposal import Offer
from secateur.cachecost.prefixes import Prefixes
from secateur.view_totals import Walked
from secateur.tariff import CachePricing

# Of the bound so much is used. Tokens are estimates: an error that all texts share is one of both bills, and of a
# single kind of text they are seldom more than 15 % off (benchmarks/tokens.py).
SAFE = 0.85
STEPS = 5  # requests for which a shorter prompt may fall on the wrong side of a step


class Account:
    """Of an offer's history and plan, with the prefixes that its epochs left.

    In tokens of plain input, this request included, nothing new being pruned for it.
    """

    def __init__(self, offer: Offer, prefixes: Prefixes) -> None:
        walked, self._tariff = offer.walked(), estimated(offer.budget)
        self._asked = asked = Asked(offer, prefixes, walked)
        bills = _bills(offer, asked, walked, self._tariff)
        uncut = asked.prompt(asked.last, Standing())
        whole = bills.whole + bills.plain.cost(uncut)
        self.unpruned = whole + self._tariff.output * asked.spoken  # the bill of the history as it came
        self._plain, self._pruned, self._paid, now = bills.plain, bills.pruned, bills.paid - whole, asked.now()
        self._tokens, self._fewer = now.tokens, uncut.tokens - now.tokens
        self.above = self._paid + self._pruned.cost(now)  # what the plan's views cost more than that; below zero: less
        self.reserve = reserve(self._tariff)
        edits = offer.edits.keys()
        self._cuts = {
            part.key: Cut(asked.last, number, sum([one.tokens for one in offer.seen.messages[number].parts[:n]]))
            for number in offer.holding(edits)
            for n, part in enumerate(offer.seen.messages[number].parts)
            if part.key in edits
        }

    def bears(self, place: Place, most: float) -> bool:
        """Whether pruning from a place on keeps the bill within `most`, a share, above the unpruned one."""
        limit = SAFE * most * self.unpruned
        if self._least(place) + self.reserve > limit + 1:
            return False
        return self.after(place) + self.reserve + self._turning(place) <= limit

    def after(self, place: Place) -> float:
        """What the bill is above the unpruned one once everything from a place on is pruned."""
        return self._paid + self._pruned.cost(self._asked.now(self._cut(place)))

    def _turning(self, place: Place) -> float:
        """What the next turn of the user would cost more than the unpruned one, where it strips reasoning: that would
        read up to there, and what is edited before it, and not marked, is written anew."""
        tariff, stripped = self._tariff, self._asked.stripped_next()
        kept = self._plain.longest(stripped[0]) if stripped else None
        if stripped is None or kept is None or stripped[1] - kept[0] > tariff.look_back:
            return 0.0
        prompt = self._asked.now(self._cut(place))
        if prompt.first is None or prompt.first > kept[0] or any([block == kept[0] for block, _ in prompt.marks]):
            return 0.0
        fewer = self._tokens - prompt.tokens + self._fewer
        return max(
            0.0, (tariff.cache_write - tariff.cache_read) * (kept[1] - self._asked.fixed) - tariff.cache_write * fewer
        )

    def _least(self, place: Place) -> float:
        """What that is at least: as if all that stands before the place were read."""
        tariff, read = self._tariff, self._asked.readable(self._cut(place))
        tokens = self._tokens - place.freed
        if read is None or tariff.cache_write < tariff.cache_read or tokens < tariff.minimum_tokens:
            return float("-inf")
        return self._paid + tariff.cache_write * tokens - (tariff.cache_write - tariff.cache_read) * read

    def _cut(self, place: Place) -> Cut:
        at = self._cuts[place.key]
        return Cut(at.request, at.message, at.before, place.freed)


class _Bills:
    """Both bills, up to the request that is made now."""

    def __init__(self, tariff: CachePricing) -> None:
        self.plain, self.pruned = Cached(tariff), Cached(tariff)
        self.whole = self.paid = 0.0  # of the history as it came, and of the views
        self._standing, self._cuts, self._requests = Standing(), 0, 0

    def go_on(self, asked: Asked) -> None:
        """Take the requests that were made since."""
        nothing = Standing()
        for request in range(self._requests, asked.last):
            first, self._cuts = self._cuts, _behind(asked.cuts, self._cuts, request)
            made = asked.cuts[first : self._cuts]
            if made:
                self._standing.add(made)
            self.whole += self.plain.send(asked.prompt(request, nothing))
            self.paid += self.pruned.send(asked.prompt(request, self._standing, made[0] if made else None))
        self._requests = asked.last


def _behind(made: tuple[Cut, ...], place: int, request: int) -> int:
    """The place behind the cuts of a request."""
    while place < len(made) and made[place].request == request:
        place += 1
    return place


def _bills(offer: Offer, asked: Asked, walked: Walked, tariff: CachePricing) -> _Bills:
    """The bills so far: those of the request before, gone on with, as long as nothing was edited since."""
    cuts = tuple(one for one in asked.cuts if one.request < asked.last)
    about = (offer.plan.epochs, tariff, asked.fixed, cuts)
    known = walked.kept("bills")
    bills: _Bills = known[1] if known is not None and known[0] == about else _Bills(tariff)
    bills.go_on(asked)
    walked.keep("bills", (about, bills), asked.held(asked.last - 1) if asked.last else 0)
    return bills


def estimated(budget: Budget) -> CachePricing:
    """The tariff with its limits in our own count, in which both bills are.

    The ratio is taken to one decimal: it moves a little with each report, and every change means both bills anew.
    """
    tariff, ratio = budget.pricing, round(budget.ratio, 1)
    if ratio == 1:
        return tariff
    least, step = round(tariff.minimum_tokens / ratio), max(1, round(tariff.step_tokens / ratio))
    return replace(tariff, minimum_tokens=least, step_tokens=step)


def reserve(tariff: CachePricing) -> float:
    """What a shorter prompt may cost more where the cache is read in steps."""
    return STEPS * (tariff.step_tokens - 1) * max(0.0, 1 - tariff.cache_read)
