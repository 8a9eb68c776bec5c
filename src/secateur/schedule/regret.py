"""What pruning has cost and saved so far, told from the history and the plan: the bound on regret.

Rule: both bills, of the history as it came and of the views that the plan's epochs made of it, are summed up request by
request, each with a prompt cache of its own (`cached`). What a place would cost is told by the same cache. Nothing that
is not certain counts as saved: a pause that no message's time tells of, reasoning that left the view.
"""

from secateur.schedule.asked import Asked
from secateur.schedule.cached import Cached
from secateur.schedule.cuts import Cut
from secateur.schedule.ground import Place
from secateur.schedule.offer import Offer
from secateur.schedule.prefixes import Prefixes
from secateur.tariff import Tariff

SAFE = 0.85  # of the bound is used: tokens are estimates
STEPS = 5  # requests for which a shorter prompt may fall on the wrong side of a step


class Account:
    """In tokens of plain input, this request included, nothing new being pruned for it."""

    def __init__(self, offer: Offer, prefixes: Prefixes) -> None:
        self._asked = asked = Asked(offer, prefixes, offer.walked())
        tariff = offer.budget.tariff
        plain, self._pruned = Cached(tariff), Cached(tariff)
        as_it_came = [plain.send(prompt) for prompt in asked.prompts()]
        *before, now = asked.prompts(asked.cuts)
        paid = sum([self._pruned.send(prompt) for prompt in before]) - sum(as_it_came)
        self.unpruned = sum(as_it_came) + tariff.o * asked.spoken  # the bill of the history as it came
        self.above = paid + self._pruned.cost(now)  # what the plan's views cost more than that; below zero: less
        self.reserve = reserve(tariff)
        self._paid = paid
        edits = offer.edits.keys()
        self._cuts = {
            part.key: Cut(
                len(asked.sent) - 1, number, sum([one.tokens for one in offer.seen.messages[number].parts[:n]])
            )
            for number in offer.holding(edits)
            for n, part in enumerate(offer.seen.messages[number].parts)
            if part.key in edits
        }

    def bears(self, place: Place, most: float) -> bool:
        """Whether pruning from a place on keeps the bill within `most`, a share, above the unpruned one."""
        return self.after(place) + self.reserve <= SAFE * most * self.unpruned

    def after(self, place: Place) -> float:
        """What the bill is above the unpruned one once everything from a place on is pruned."""
        at = self._cuts[place.key]
        cut = Cut(at.request, at.message, at.before, place.freed)
        return self._paid + self._pruned.cost(self._asked.now(cut))


def account(offer: Offer, prefixes: Prefixes) -> Account:
    """The account of an offer's history and plan, with the prefixes that its epochs left."""
    return Account(offer, prefixes)


def reserve(tariff: Tariff) -> float:
    """What a shorter prompt may cost more where the cache is read in steps."""
    return STEPS * (tariff.step_tokens - 1) * max(0.0, 1 - tariff.r)
