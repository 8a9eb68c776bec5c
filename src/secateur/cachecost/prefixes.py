"""Which prefixes of a history a provider still holds: what an edit would find to read from.

Rule: between edits each request leaves a prefix at its end, so one ends near any place. The request that opens an epoch
writes all that is behind its first edit as one piece, with a few prefixes more (`render.breakpoints`): an edit inside
that piece pays for it from there. Providers that find any common prefix have no such gaps.
"""

from bisect import bisect_left, bisect_right

from msgspec import Struct

from secateur.bounds import get_index, is_eligible
from secateur.budget import get_original
from secateur.model import Epoch, Part, Replace
from secateur.plan import list_active_epochs
from secateur.proposal import Proposal
from secateur.strategy import is_final
from secateur.view_totals import ViewTotals


class WrittenSpan(Struct, frozen=True):
    """What one epoch wrote anew. All are message numbers."""

    request: int  # messages of the history it was opened for
    first: int  # its first edit
    kept: tuple[int, ...] = ()  # before these messages it left a prefix as well


class CachedPrefixes:
    """The pieces of a plan's epochs in a history, oldest first."""

    def __init__(self, proposal: Proposal, totals: ViewTotals | None = None) -> None:
        self._tariff, self._assistants = proposal.budget.pricing, get_index(proposal.view).assistant_messages
        self._blocks = (totals or proposal.totals()).blocks
        self.pieces, self._lowest, self._places = ([], [], []) if self._tariff.any_prefix else _pieces(proposal, totals)

    def before(self, number: int) -> int:
        """The message before which the last prefix ends that an edit of message `number` leaves whole.

        Where no breakpoint can be added, it is found from the end of the request alone. That an edit may stand further
        behind it than the provider looks back is left to the account (`regret`).
        """
        tariff, found = self._tariff, self._left(number)
        if tariff.free_breakpoints or tariff.positions != "marks":
            return found
        return found if self._blocks[-1] - self._blocks[found] <= tariff.look_back else 0

    def _left(self, number: int) -> int:
        place = bisect_right(self._lowest, number)
        piece = self.pieces[self._places[place - 1]] if place else None
        if piece is None:
            return self._end(number)
        if number >= piece.request:
            return max(piece.request, self._end(number))
        free = self._tariff.free_breakpoints
        return max((one for one in piece.kept[: max(0, free - 1)] if one <= number), default=piece.first if free else 0)

    def _end(self, number: int) -> int:
        """Where the last request ended before that message: an answer came behind it."""
        if self._tariff.any_prefix:
            return number
        place = bisect_right(self._assistants, number)
        return self._assistants[place - 1] if place else 0


def find_pauses(proposal: Proposal, totals: ViewTotals | None = None) -> list[int]:
    """The requests, by how many messages they held, that came when the cache of the one before was gone."""
    messages, ttl_ms = proposal.view.messages, proposal.budget.pricing.ttl_s * 1000
    known = totals or proposal.totals()
    found, last, asked = known.kept(("pauses", ttl_ms)) or ([], 0, 0)
    assistants, size = get_index(proposal.view).assistant_messages, 0
    for place in range(asked, len(assistants)):
        size = assistants[place]
        if size:
            found, last = _paused(found, messages[size - 1].recorded_ms or last, last, size, ttl_ms)
    if size:
        known.keep(("pauses", ttl_ms), (found, last, len(assistants)), size + 1, shape=True)
    end = len(messages)
    return _paused(found, messages[end - 1].recorded_ms or last, last, end, ttl_ms)[0] if end else found


def _request(piece: WrittenSpan) -> int:
    return piece.request


def _paused(found: list[int], at: int, last: int, size: int, ttl_ms: float) -> tuple[list[int], int]:
    """The pauses, the one before a request of so many messages counted in, and the time that it was sent."""
    return [*found, size] if last and at - last >= ttl_ms else found, at


def _pieces(proposal: Proposal, totals: ViewTotals | None) -> tuple[list[WrittenSpan], list[int], list[int]]:
    """All pieces; where those begin that no newer one begins before, lowest first, and their places among all."""
    known = totals or proposal.totals()
    epochs, paused = _opened(proposal, known), find_pauses(proposal, known)
    stripped = _stripped(proposal, known) if proposal.budget.pricing.strips_reasoning else _NONE
    made = known.kept("pieces")
    if made is None or made[0] is not epochs or made[1] is not paused or made[2] is not stripped:
        pieces = sorted([*epochs, *(WrittenSpan(number, 0) for number in paused), *stripped], key=_request)
        places: list[int] = []
        for place, piece in enumerate(pieces):
            while places and pieces[places[-1]].first >= piece.first:
                places.pop()
            places.append(place)
        made = known.keep("pieces", (epochs, paused, stripped, (pieces, [pieces[n].first for n in places], places)), 0)
    found: tuple[list[WrittenSpan], list[int], list[int]] = made[3]
    return found


_NONE: list[WrittenSpan] = []


def _opened(proposal: Proposal, totals: ViewTotals) -> list[WrittenSpan]:
    """What the plan's epochs wrote anew."""
    budget, epochs = proposal.budget, proposal.plan.epochs
    made = totals.kept("epochs")
    if made is not None and made[0] == (epochs, budget.protect, budget.edited_by) and made[1].isdisjoint(totals.at):
        known: list[WrittenSpan] = made[2]
        return known
    live = list_active_epochs(proposal.plan)
    found = _found(proposal, totals, live) if live else []
    away = {epoch.head_key for epoch in live if epoch.head_key not in totals.at}
    size = max((piece.request for piece in found), default=0)
    totals.keep("epochs", ((epochs, budget.protect, budget.edited_by), away, found), size)
    return found


def _found(proposal: Proposal, totals: ViewTotals, epochs: list[Epoch]) -> list[WrittenSpan]:
    messages, turns = proposal.view.messages, get_index(proposal.view).user_turns
    edited = [{edit.key for edit in epoch.edits if not isinstance(edit, Replace)} for epoch in epochs]
    latest = {key: place for place, keys in enumerate(edited) for key in keys}
    where = {part.key: n for n in proposal.holding(latest) for part in messages[n].parts if part.key in latest}
    later = _later(proposal, latest, where, len(epochs))
    found = []
    for place, keys in enumerate(edited):
        first = min((where[key] for key in keys if key in where), default=None)
        tip = totals.at.get(epochs[place].head_key)
        if first is not None and tip is not None:
            kept = [_next(later, first, tip + 1, place)]
            turn = bisect_right(turns, tip)
            if turn and turns[turn - 1] >= first:
                kept.append(turns[turn - 1] + 1)
            found.append(WrittenSpan(tip + 1, first, tuple(kept)))
    return found


def _later(proposal: Proposal, latest: dict[str, int], where: dict[str, int], never: int) -> list[tuple[int, int]]:
    """The results from the first edit on that went or may go yet: message, and the last epoch that edited it."""
    messages, first = proposal.view.messages, min(where.values(), default=len(proposal.view.messages))
    results = (
        (number, never if _may_go(proposal, number, part) else latest[part.key])  # an excerpt may go yet
        for number in dict.fromkeys(where.values())
        for part in messages[number].parts
        if part.kind == "tool_result" and part.key in latest
    )
    may = get_index(proposal.view).prunable
    numbers = range(first, len(messages)) if may is None else may[bisect_left(may, first) :]
    free = ((number, part) for number in numbers for part in messages[number].parts if part.key not in latest)
    return sorted([*results, *((number, never) for number, part in free if _may_go(proposal, number, part))])


def _may_go(proposal: Proposal, number: int, part: Part) -> bool:
    """Whether it may go yet, by what it was when it came: so `render.breakpoints` asks."""
    budget, protect = proposal.budget, proposal.budget.protect
    whole = get_original(budget, part)
    worth = part.kind == "tool_result" and len(whole.text) >= protect.min_prunable_chars
    return worth and not is_final(budget, part) and is_eligible(proposal.view, number, whole, protect)


def _next(later: list[tuple[int, int]], first: int, request: int, epoch: int) -> int:
    """The first message from `first` on that held a result which might go after that epoch."""
    for place in range(bisect_left(later, (first, -1)), len(later)):
        number, last = later[place]
        if number >= request:
            break
        if last > epoch:
            return number
    return request


def _stripped(proposal: Proposal, totals: ViewTotals) -> list[WrittenSpan]:
    """What new user turns wrote anew, because the reasoning of the turn before left the prompt."""
    turns, thoughts = get_index(proposal.view).user_turns, totals.thoughts
    found, asked = totals.kept("stripped") or ([], 1)
    for place in range(asked, len(turns)):
        before, turn = turns[place - 1], turns[place]
        if thoughts[turn] > thoughts[before]:
            found = [*found, WrittenSpan(turn + 1, before + 1)]
    if asked < len(turns):
        totals.keep("stripped", (found, len(turns)), turns[-1] + 1)
    return found
