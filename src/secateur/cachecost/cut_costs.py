"""What each proposed edit would cost and has cost already: the numbers that schedules with prices decide by.

Rule: one walk from the newest proposal backwards; what stands between them was summed up before (`walked`). A place is
a proposed part and all proposals behind it, since once it is edited the rest is written anew whatever happens to it.
The cache holds what stood in the request before: everything before the newest answer, up to the first part that is
edited anyway; nothing where it is cold.
"""

from bisect import bisect_right
from functools import cached_property

from msgspec import Struct

from secateur.bounds import find_turn_start, get_index
from secateur.budget import Budget
from secateur.model import Remove, Rewrite
from secateur.proposal import Choice, Offer
from secateur.cachecost.prefixes import Prefixes
from secateur.cachecost.waited import Waited
from secateur.view_totals import Walked
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
        self.walked = offer.walked()
        self._fixed = max(0, offer.budget.estimated - self.walked.tokens[-1])
        self.places: tuple[Place, ...] = tuple(self._places()) if offer.edits else ()

    @cached_property
    def prefixes(self) -> Prefixes:
        """What the plan's epochs left to read from."""
        return Prefixes(self.offer, self.walked)

    def choice(self, place: Place, least_tokens: int, why: str) -> Choice:
        """Everything proposed from a place on, if it is worth an epoch."""
        if place.freed < max(1, least_tokens):
            return Choice(gate=f"{place.freed:,} tokens would come free, and the policy asks for {least_tokens:,}")
        behind = {one.key for one in self.places[: self.places.index(place) + 1]}
        return Choice({key: edit for key, edit in self.offer.edits.items() if key in behind}, why=why)

    def _places(self) -> list[Place]:
        offer, tariff = self.offer, self.offer.budget.pricing
        messages, edits, walked = offer.seen.messages, offer.edits, self.walked
        numbers = offer.holding(edits.keys())
        waited = Waited(offer.seen, offer.budget, walked, numbers[0] if numbers else len(messages))
        assistants = get_index(offer.seen).assistant_messages
        end = self._end()
        stripped = find_turn_start(offer.seen) if tariff.strips_reasoning else 0
        size = _Sizes(walked, stripped) if stripped else walked.tokens
        found: list[Place] = []
        freed = inside = 0
        rent = now = survives = thought = 0.0
        behind = len(messages)
        for number in reversed(numbers):
            survives += size[min(behind, end)] - size[min(number + 1, end)]
            thought += walked.bound[behind] - walked.bound[number + 1]
            behind, cached = number, number < end
            beside = size[min(number + 1, end)] - size[min(number, end)]  # in this message, before what is walked to
            for part in reversed(messages[number].parts):
                edit = edits.get(part.key)
                held = part.tokens if cached and not (number < stripped and part.kind == "reasoning") else 0
                beside -= held
                if part.container_key and part.container_key in edits:
                    inside += part.tokens
                    continue
                if edit is None or not isinstance(edit, Rewrite | Remove):
                    survives += held
                    thought += part.tokens * part.prefix_bound
                    continue
                left = offer.count(edit.text) if isinstance(edit, Rewrite) else 0
                gain, inside = part.tokens + inside - left, 0
                survives += left * cached
                freed += gain
                asked = len(assistants) - bisect_right(assistants, _since(offer, part.key, waited.since(number, part)))
                now += gain * (tariff.cache_read if cached else tariff.cache_write)
                rent += gain * (tariff.cache_read * asked + (tariff.cache_read if cached else tariff.cache_write))
                written = survives + beside * (not tariff.any_prefix)
                written += size[min(number, end)] - self._found(number, end, size)
                penalty = max(0.0, tariff.cache_write - tariff.cache_read) * written + tariff.output * thought
                found.append(Place(part.key, freed, rent, penalty, now))
        return found

    def _found(self, number: int, end: int, size: "_Sizes | list[int]") -> int:
        """Tokens of messages that an edit of message `number` finds in the cache, which ends at message `end`."""
        whole = size[min(self.prefixes.before(number), end)]
        cached = self.offer.budget.reported(self._fixed + whole) >= self.offer.budget.pricing.minimum_tokens
        return whole if cached else -self._fixed * bool(end)

    def _end(self) -> int:
        """The message at which the cache ends."""
        if self.cold:
            return 0
        assistants, forced = get_index(self.offer.seen).assistant_messages, self.offer.forced
        end = assistants[-1] if assistants else 0
        return min((end, *self.offer.holding(forced)[:1]))


class _Sizes:
    """Tokens before each message, and of all; before message `stripped` the provider takes reasoning out."""

    def __init__(self, walked: Walked, stripped: int) -> None:
        self._tokens, self._thought, self._stripped = walked.tokens, walked.thought, stripped

    def __getitem__(self, number: int) -> int:
        return self._tokens[number] - self._thought[min(number, self._stripped)]


def cold(budget: Budget) -> str:
    """Why the prompt cache is gone; "" where it may be alive.

    Where no call is known, by clock, plan or an earlier view, there is no cache that could be lost. Where one is
    known, but not when it was, the cache may be alive.
    """
    if budget.cold_reason:
        return budget.cold_reason
    if budget.idle_s is None:
        known = budget.edited_by or budget.has_prior_view
        return "" if known else "no earlier call is known, so there is no prompt cache to lose"
    ttl_s = budget.pricing.ttl_s
    if budget.idle_s >= ttl_s:
        return f"the last call was {spoken(budget.idle_s)} ago, and the prompt cache lives {spoken(ttl_s)}"
    return ""


def _since(offer: Offer, key: str, aged: int) -> int:
    """The message with which a part could go first, if its place allowed it from `aged` on."""
    stale = offer.since.get(key, aged)
    return min(stale, aged) if offer.by_age else stale
