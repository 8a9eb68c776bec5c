"""Which prefixes of a history a provider still holds: what an edit would find to read from.

Rule: between edits each request leaves a prefix at its end, so one ends near any place. The request that opens an epoch
writes all that stands behind its first edit as one piece, with a few prefixes more (`session.ahead`): an edit inside
that piece pays for it from there. Providers that find any common prefix have no such gaps.
"""

from bisect import bisect_left, bisect_right
from itertools import pairwise

from msgspec import Struct

from secateur.bounds import eligible, index_of
from secateur.budget import settled
from secateur.model import Part, Replace
from secateur.plan import alive
from secateur.schedule.offer import Offer


class Piece(Struct, frozen=True):
    """What one epoch wrote anew. All are message numbers."""

    request: int  # messages of the history it was opened for
    first: int  # its first edit
    kept: tuple[int, ...] = ()  # before these messages it left a prefix as well


class Prefixes:
    """The pieces of a plan's epochs in a history, oldest first."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._epochs = [
            (epoch.tip, {edit.key for edit in epoch.edits if not isinstance(edit, Replace)})
            for epoch in alive(offer.plan)
        ]
        tariff = offer.budget.tariff
        index = index_of(offer.seen)
        self._anywhere, self._assistants, self._turns = tariff.anywhere, index.assistants, index.turns
        found = [] if tariff.anywhere else self._found()
        if not tariff.anywhere:
            found += [Piece(number, 0) for number in pauses(offer)]
        if tariff.strips_reasoning and not tariff.anywhere:
            found += _stripped(offer)
        self.pieces = sorted(found, key=lambda piece: piece.request)

    def before(self, number: int, request: int | None = None) -> int:
        """The message before which the last prefix ends that an edit of message `number` leaves whole.

        `request`: as it was for that many messages, the epochs opened for them aside.
        """
        for piece in reversed(self.pieces):
            if piece.first <= number and (request is None or piece.request < request):
                if number >= piece.request:
                    return max(piece.request, self._end(number))
                return max((one for one in piece.kept if one <= number), default=piece.first)
        return self._end(number)

    def _end(self, number: int) -> int:
        """Where the last request ended before that message: an answer came behind it."""
        if self._anywhere:
            return number
        place = bisect_right(self._assistants, number)
        return self._assistants[place - 1] if place else 0

    def _found(self) -> list[Piece]:
        messages = self._offer.seen.messages
        places = {message.key: number for number, message in enumerate(messages)} if self._epochs else {}
        latest = {key: place for place, (_, keys) in enumerate(self._epochs) for key in keys}
        where = {part.key: number for number, one in enumerate(messages) for part in one.parts if part.key in latest}
        later = self._later(latest, min(where.values(), default=len(messages)))
        found = []
        for place, (tip, keys) in enumerate(self._epochs):
            first = min((where[key] for key in keys if key in where), default=None)
            if first is not None and tip in places:
                request = places[tip] + 1
                kept = [_next(later, first, request, place)]
                turn = bisect_right(self._turns, places[tip])
                if turn and self._turns[turn - 1] >= first:
                    kept.append(self._turns[turn - 1] + 1)
                found.append(Piece(request, first, tuple(kept)))
        return found

    def _later(self, latest: dict[str, int], first: int) -> list[tuple[int, int]]:
        """The results from message `first` on that went or may go yet: message, and the last epoch that edited it."""
        messages, never = self._offer.seen.messages, len(self._epochs)
        found: list[tuple[int, int]] = []
        for number in range(first, len(messages)):
            for part in messages[number].parts:
                if part.kind != "tool_result":
                    continue
                if part.key in latest:
                    found.append((number, latest[part.key]))
                elif self._may_go(number, part):
                    found.append((number, never))
        return found

    def _may_go(self, number: int, part: Part) -> bool:
        protect = self._offer.budget.protect
        worth = len(part.text) >= protect.worth_chars
        may = worth and not settled(self._offer.budget, part)
        return may and eligible(self._offer.seen, number, part, protect)


def _next(later: list[tuple[int, int]], first: int, request: int, epoch: int) -> int:
    """The first message from `first` on that held a result which might go after that epoch."""
    for place in range(bisect_left(later, (first, -1)), len(later)):
        number, last = later[place]
        if number >= request:
            break
        if last > epoch:
            return number
    return request


def pauses(offer: Offer) -> list[int]:
    """The requests, by how many messages they held, that came when the cache of the one before was gone."""
    messages, ttl_ms = offer.seen.messages, offer.budget.tariff.ttl_s * 1000
    found, last = [], 0
    sent = [number for number in index_of(offer.seen).assistants if number]
    for number in [*sent, len(messages)] if messages else ():
        at = messages[number - 1].at or last
        if last and at - last >= ttl_ms:
            found.append(number)
        last = at
    return found


def _stripped(offer: Offer) -> list[Piece]:
    """What new user turns wrote anew, because the reasoning of the turn before left the prompt."""
    messages, turns = offer.seen.messages, index_of(offer.seen).turns
    return [
        Piece(turn + 1, before + 1)
        for before, turn in pairwise(turns)
        if any(part.kind == "reasoning" for one in messages[before:turn] for part in one.parts)
    ]
