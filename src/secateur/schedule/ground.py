"""What each proposed edit would cost and has cost already: the numbers that schedules with prices decide by.

Rule: one walk from the newest part backwards. A place is a proposed part and all proposals behind it, since once it is
edited the rest is written anew whatever happens to it. The cache holds what stood in the request before: everything
before the newest answer, up to the first part that is edited anyway; nothing where it is cold.
"""

from bisect import bisect_right
from collections.abc import Container
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from secateur.bounds import index_of, running
from secateur.budget import Budget
from secateur.model import Message, Remove, Rewrite
from secateur.schedule.offer import Choice, Offer
from secateur.schedule.prefixes import Prefixes
from secateur.schedule.waited import Waited
from secateur.timespan import spoken


class Place(Struct, frozen=True):
    """Everything proposed from one part on. Costs are in tokens of plain input."""

    key: str
    freed: int  # tokens
    rent: float  # paid so far for reading what goes
    penalty: float  # to write anew what stands in the cache behind it, and bound reasoning that is void then
    now: float  # saved in this request, the penalty aside


class Ground:
    """The places of an offer, the newest first; `cold` says why the cache is gone, "" where it is warm."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        self.cold = cold(offer.budget)
        self.places: tuple[Place, ...] = tuple(self._places()) if offer.edits else ()

    @cached_property
    def prefixes(self) -> Prefixes:
        """What the plan's epochs left to read from."""
        return Prefixes(self.offer)

    def choice(self, place: Place, least_tokens: int, why: str) -> Choice:
        """Everything proposed from a place on, if it is worth an epoch."""
        if place.freed < max(1, least_tokens):
            return Choice(gate=f"{place.freed:,} tokens would come free, and the policy asks for {least_tokens:,}")
        behind = {one.key for one in self.places[: self.places.index(place) + 1]}
        return Choice({key: edit for key, edit in self.offer.edits.items() if key in behind}, why=why)

    def _places(self) -> list[Place]:
        offer, tariff = self.offer, self.offer.budget.tariff
        messages = offer.seen.messages
        first = _first(messages, offer.edits.keys())
        waited = Waited(offer.seen, offer.budget, first)
        assistants = index_of(offer.seen).assistants
        end = self._end(messages)
        stripped = running(offer.seen) if tariff.strips_reasoning else 0
        prefixes, totals = self.prefixes, [sum([part.tokens for part in one.parts]) for one in messages]
        sizes, edits = _ends(messages, totals, stripped), offer.edits
        fixed = max(0, offer.budget.used - sum(totals))
        found: list[Place] = []
        freed = inside = 0
        rent = now = survives = thought = 0.0
        for number in range(len(messages) - 1, first - 1, -1):
            cached = number < end
            for part in reversed(messages[number].parts):
                edit = edits.get(part.key)
                if part.within and part.within in edits:
                    inside += part.tokens
                    continue
                if edit is None or not isinstance(edit, Rewrite | Remove):
                    if cached:
                        survives += 0 if number < stripped and part.kind == "reasoning" else part.tokens
                    if part.bound:
                        thought += part.tokens
                    continue
                left = offer.count(edit.text) if isinstance(edit, Rewrite) else 0
                gain, inside = part.tokens + inside - left, 0
                survives += left * cached
                freed += gain
                asked = len(assistants) - bisect_right(assistants, _since(offer, part.key, waited.since(number, part)))
                now += gain * (tariff.r if cached else tariff.w)
                rent += gain * (tariff.r * asked + (tariff.r if cached else tariff.w))
                whole = sizes[min(prefixes.before(number), end)]
                whole = whole if fixed + whole >= tariff.minimum_tokens else -fixed * bool(end)
                written = survives + sizes[min(number, end)] - whole
                penalty = max(0.0, tariff.w - tariff.r) * written + tariff.o * thought
                found.append(Place(part.key, freed, rent, penalty, now))
        return found

    def _end(self, messages: tuple[Message, ...]) -> int:
        """The message at which the cache ends."""
        if self.cold:
            return 0
        end = next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == "assistant"), 0)
        if self.offer.forced:
            end = min(end, _first(messages, self.offer.forced))
        return end


def _ends(messages: tuple[Message, ...], totals: list[int], stripped: int) -> list[int]:
    """Tokens before each message, and of all; `stripped`: before this message the provider takes reasoning out."""
    thought = (sum([part.tokens for part in one.parts if part.kind == "reasoning"]) for one in messages[:stripped])
    sizes = [total - less for total, less in zip(totals, thought, strict=False)]
    return [0, *accumulate(sizes + totals[stripped:])]


def cold(budget: Budget) -> str:
    """Why the prompt cache is gone; "" where it may be alive.

    Where no call is known, by the clock or the plan, there is no cache that could be lost.
    """
    if budget.cold:
        return budget.cold
    if budget.idle_s is None:
        return "" if budget.edited else "no earlier call is known, so there is no prompt cache to lose"
    ttl_s = budget.tariff.ttl_s
    if budget.idle_s >= ttl_s:
        return f"the last call was {spoken(budget.idle_s)} ago, and the prompt cache lives {spoken(ttl_s)}"
    return ""


def _since(offer: Offer, key: str, aged: int) -> int:
    """The message with which a part could go first, if its place allowed it from `aged` on."""
    stale = offer.since.get(key, aged)
    return min(stale, aged) if offer.by_age else stale


def _first(messages: tuple[Message, ...], keys: Container[str]) -> int:
    """The first message that holds one of these parts."""
    for number, message in enumerate(messages):
        if any([part.key in keys for part in message.parts]):
            return number
    return len(messages)
