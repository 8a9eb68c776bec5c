"""What a session's plan has cost and saved so far, compactions included: the bound on a digest's regret.

Rule: two bills are summed up request by request, of the history as it came and of the views that the plan made of it,
for a cache that finds whatever was sent before the first change. A pause that it does not outlive is told from the
messages' times; where there are none, there was no pause, so that nothing counts as saved that was not.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from msgspec import Struct

from secateur.cachecost.ledger import SAFE, step_reserve
from secateur.model import Message, Replace
from secateur.plan import list_active_epochs
from secateur.session import Projection
from secateur.session.projection import sum_tokens
from secateur.tariff import CachePricing


class Toll(Struct, frozen=True):
    """In tokens of plain input, this request included."""

    unpruned: float  # the bill of the history as it came, output included
    above: float  # what the plan's views cost more than that; below zero: less
    reserve: float = 0.0  # what a cache that reads in steps may read less for a few requests

    def bears(self, more: float, most: float) -> bool:
        """Whether so much more keeps the bill within `most`, a share, above the unpruned one."""
        return self.above + more + self.reserve <= SAFE * most * self.unpruned


class _Gain(Struct, frozen=True):
    message: int
    tokens: int
    request: int  # for which it was made


def toll(work: Projection, tariff: CachePricing, fixed_tokens: int) -> Toll:
    """The account of this session so far."""
    messages = work.document.transcript.messages
    answers = [number for number, one in enumerate(messages) if one.role == "assistant"]
    sent = [*(number for number in answers if number), len(messages)]
    ends = [0, *accumulate(_size(one, tariff) for one in messages)]
    gains = sorted(_gains(work, sent, tariff), key=lambda one: one.message)
    cold = _cold(messages, sent, tariff)
    plain = _bill([fixed_tokens + ends[n] for n in sent], cold, {}, tariff)
    more = [0] * (len(sent) + 1)
    for one in gains:
        more[max(one.request, bisect_left(sent, one.message + 1))] += one.tokens
    freed = list(accumulate(more))
    sizes = [fixed_tokens + ends[n] - less for n, less in zip(sent, freed, strict=False)]
    pruned = _bill(sizes, cold, _kept(gains, ends, fixed_tokens), tariff)
    spoken = tariff.output * sum(sum_tokens(messages[number]) for number in answers)
    return Toll(plain + spoken, pruned - plain, step_reserve(tariff))


def _gains(work: Projection, sent: list[int], tariff: CachePricing) -> Iterator[_Gain]:
    """What came free, message by message and range by range, each with the request that it was made for last."""
    messages = work.document.transcript.messages
    tips = {epoch.head_key for epoch in list_active_epochs(work.branch_plan)}
    places = {one.key: number for number, one in enumerate(messages) if one.key in tips}
    made: dict[int, int] = {}
    ranges: list[tuple[Replace, int]] = []
    for epoch in list_active_epochs(work.branch_plan):
        request = bisect_left(sent, places.get(epoch.head_key, 0) + 1)
        ranges += [(edit, request) for edit in epoch.edits if isinstance(edit, Replace)]
        keys = {edit.key for edit in epoch.edits if not isinstance(edit, Replace)}
        made |= dict.fromkeys(work.message_index.find(keys), request)
    for number, request in made.items():
        yield _Gain(number, _size(messages[number], tariff) - _size(work.projected_messages[number], tariff), request)
    for i, j, edit in work.ranges:
        left = sum(work.count(item.text) for item in edit.messages)
        request = next((request for one, request in reversed(ranges) if one is edit), 0)
        yield _Gain(i, sum(_size(one, tariff) for one in work.projected_messages[i:j]) - left, request)


def _kept(gains: list[_Gain], ends: list[int], fixed_tokens: int) -> dict[int, int]:
    """By request that something was edited for: the tokens that stood before the first edit."""
    found: dict[int, int] = {}
    for place, one in enumerate(gains):
        if one.request not in found:
            gone = sum(earlier.tokens for earlier in gains[:place] if earlier.request < one.request)
            found[one.request] = fixed_tokens + ends[one.message] - gone
    return found


def _bill(sizes: list[int], cold: list[bool], kept: dict[int, int], tariff: CachePricing) -> float:
    """Input alone."""
    bill, before = 0.0, 0
    for request, size in enumerate(sizes):
        read = 0 if cold[request] else min(before, kept.get(request, before), size)
        read = read if read >= tariff.minimum_tokens else 0
        bill += tariff.cache_read * read + tariff.cache_write * (size - read)
        before = size
    return bill


def _cold(messages: tuple[Message, ...], sent: list[int], tariff: CachePricing) -> list[bool]:
    """By request: whether it came when the cache of the one before was gone."""
    found, last = [], 0
    for request, number in enumerate(sent):
        at = (messages[number - 1].recorded_ms if number else 0) or last
        found.append(not request or bool(last and at - last >= tariff.ttl_s * 1000))
        last = at
    return found


def _size(message: Message, tariff: CachePricing) -> int:
    """Tokens; of reasoning that the next turn takes out none, so that the bill is rather too low."""
    return sum(part.tokens for part in message.parts if not (tariff.strips_reasoning and part.kind == "reasoning"))
