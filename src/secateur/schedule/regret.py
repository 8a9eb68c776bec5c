"""What pruning has cost and saved so far, told from the history and the plan: the bound on regret.

Rule: both bills, of the history as it came and of the views that the plan's epochs made of it, are summed up request by
request for a cache that finds whatever was sent before. A pause that it does not outlive is told from the messages'
times; where there are none, there was no pause, so that nothing counts as saved that was not.
"""

from bisect import bisect_left
from itertools import accumulate

from msgspec import Struct

from secateur.bounds import index_of
from secateur.budget import Budget
from secateur.model import Message, Part, Replace
from secateur.plan import Plan, alive
from secateur.schedule.ground import Place
from secateur.schedule.offer import Offer
from secateur.schedule.prefixes import Prefixes, pauses
from secateur.tariff import Tariff

SAFE = 0.85  # of the bound is used: tokens are estimates
STEPS = 5  # requests for which a shorter prompt may fall on the wrong side of a step


class Account(Struct, frozen=True):
    """In tokens of plain input, this request included, nothing new being pruned for it."""

    unpruned: float  # the bill of the history as it came, output included
    above: float  # what the plan's views cost more than that; below zero: less
    reserve: float = 0.0  # what a cache that reads in steps may read less for a few requests

    def bears(self, place: Place, most: float) -> bool:
        """Whether pruning from a place on keeps the bill within `most`, a share, above the unpruned one."""
        return self.above + place.penalty - place.now + self.reserve <= SAFE * most * self.unpruned


class _Edited(Struct, frozen=True):
    message: int
    gain: int  # tokens that came free
    request: int  # for which it was edited


def account(offer: Offer, prefixes: Prefixes) -> Account:
    """The account of an offer's history and plan, with the prefixes that its epochs left."""
    messages, budget = offer.seen.messages, offer.budget
    raw = [sum([_size(budget.raw.get(part.key, part), budget) for part in one.parts]) for one in messages]
    assistants = index_of(offer.seen).assistants
    sent = [*(number for number in assistants if number), len(messages)]
    edited = _edited(messages, offer.plan, budget, sent)
    ends = [0, *accumulate(raw)]
    fixed = max(0, budget.used - (ends[-1] - sum(one.gain for one in edited)))
    gone = set(pauses(offer))
    cold = [not request or number in gone for request, number in enumerate(sent)]
    plain = _bill([fixed + ends[number] for number in sent], cold, {}, budget)
    gained = [0] * (len(sent) + 1)
    for one in edited:
        gained[max(one.request, bisect_left(sent, one.message + 1))] += one.gain
    freed = list(accumulate(gained))
    sizes = [fixed + ends[number] - less for number, less in zip(sent, freed, strict=False)]
    kept = {
        request: fixed + ends[prefixes.before(first, sent[request])] - before
        for request, (first, before) in _firsts(edited).items()
    }
    pruned = _bill(sizes, cold, kept, budget)
    spoken = budget.tariff.o * sum(raw[number] for number in assistants)
    return Account(plain + spoken, pruned - plain, reserve(budget.tariff))


def reserve(tariff: Tariff) -> float:
    """What a shorter prompt may cost more where the cache is read in steps."""
    return STEPS * (tariff.step_tokens - 1) * max(0.0, 1 - tariff.r)


def _size(part: Part, budget: Budget) -> int:
    """Tokens; of reasoning that the next turn takes out none, so that the bill is rather too low."""
    return 0 if budget.tariff.strips_reasoning and part.kind == "reasoning" else part.tokens


def _edited(messages: tuple[Message, ...], plan: Plan, budget: Budget, sent: list[int]) -> list[_Edited]:
    """The edits in force, oldest part first, each with its request: this one, where no epoch has it yet."""
    places = {message.key: number for number, message in enumerate(messages)}
    opened: dict[str, int] = {}
    for epoch in alive(plan):
        request = bisect_left(sent, places.get(epoch.tip, 0) + 1)
        opened |= {edit.key: request for edit in epoch.edits if not isinstance(edit, Replace)}
    return [
        _Edited(number, budget.raw[part.key].tokens - part.tokens, opened.get(part.key, len(sent) - 1))
        for number, message in enumerate(messages)
        for part in message.parts
        if part.key in budget.raw
    ]


def _firsts(edited: list[_Edited]) -> dict[int, tuple[int, int]]:
    """By request that opened an epoch: the message of its first edit, and tokens that were gone before it already."""
    found: dict[int, tuple[int, int]] = {}
    for place, one in enumerate(edited):
        if one.request not in found:
            gone = sum(earlier.gain for earlier in edited[:place] if earlier.request < one.request)
            found[one.request] = (one.message, gone)
    return found


def _bill(sizes: list[int], cold: list[bool], kept: dict[int, int], budget: Budget) -> float:
    """Input alone. What stands before an edit is read, as far as it was sent before."""
    r, w = budget.tariff.r, budget.tariff.w
    bill, before = 0.0, 0
    for request, size in enumerate(sizes):
        read = 0 if cold[request] else min(before, kept.get(request, before), size)
        read = read if read >= budget.tariff.minimum_tokens else 0
        bill += r * read + w * (size - read)
        before = size
    return bill
