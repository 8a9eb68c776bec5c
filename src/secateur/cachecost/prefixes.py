"""Which prefixes of a history the provider still holds: what an edit would find to read from.

Between edits each request leaves a prefix at its end, so one ends near any message. The request that opens an epoch
writes everything after its first edit as one piece, with a few prefixes more (`render.breakpoints`): an edit inside
that piece pays for it from there. Providers that find any common prefix have no such gaps.
"""

from bisect import bisect_left, bisect_right

from msgspec import Struct

from secateur.bounds import is_eligible
from secateur.budget import get_original
from secateur.cachecost.history import History, find_pauses
from secateur.model import Epoch, Part, Replace
from secateur.plan import list_active_epochs
from secateur.strategy import is_final


class WrittenPiece(Struct, frozen=True):
    """What one request rewrote. All are message numbers."""

    request: int  # how many messages the request held
    first: int  # its first edit
    kept: tuple[int, ...] = ()  # before these messages it left a prefix as well


class _Pieces(Struct, frozen=True):
    """All pieces, the oldest first; and those before which no newer one begins, in order of where they begin."""

    pieces: list[WrittenPiece]
    starts: list[int]
    numbers: list[int]  # of the pieces that begin there


_NO_PIECES: list[WrittenPiece] = []


class CachedPrefixes:
    """The pieces that the epochs, pauses and turns of a history wrote."""

    def __init__(self, history: History) -> None:
        self._pricing, self._assistants = history.budget.pricing, history.index.assistant_messages
        self._found = _Pieces([], [], []) if self._pricing.any_prefix else _find_pieces(history)

    @property
    def pieces(self) -> list[WrittenPiece]:
        """The pieces, oldest first."""
        return self._found.pieces

    def find_before(self, number: int) -> int:
        """The message before which the last prefix ends that an edit of message `number` leaves whole.

        That the edit may be further behind it than the provider looks back is left to the ledger.
        """
        at = bisect_right(self._found.starts, number)
        if not at:
            return self._find_end(number)
        piece = self._found.pieces[self._found.numbers[at - 1]]
        if number >= piece.request:
            return max(piece.request, self._find_end(number))
        free = self._pricing.free_breakpoints
        return max((one for one in piece.kept[: max(0, free - 1)] if one <= number), default=piece.first if free else 0)

    def _find_end(self, number: int) -> int:
        """Find where the last request before that message ended: an answer follows it."""
        if self._pricing.any_prefix:
            return number
        at = bisect_right(self._assistants, number)
        return self._assistants[at - 1] if at else 0


def _find_pieces(history: History) -> _Pieces:
    """All pieces. Those that begin after the start of a newer one are dropped from `starts`: it rewrote them."""
    epochs, paused = _find_epoch_pieces(history), find_pauses(history)
    turns = _find_turn_pieces(history) if history.budget.pricing.strips_reasoning else _NO_PIECES
    known = history.totals.recall("pieces")
    if known is not None and known[0] is epochs and known[1] is paused and known[2] is turns:
        made: _Pieces = known[3]
        return made
    pieces = sorted([*epochs, *(WrittenPiece(size, 0) for size in paused), *turns], key=_get_request)
    numbers: list[int] = []
    for number, piece in enumerate(pieces):
        while numbers and pieces[numbers[-1]].first >= piece.first:
            numbers.pop()
        numbers.append(number)
    made = _Pieces(pieces, [pieces[number].first for number in numbers], numbers)
    history.totals.keep("pieces", (epochs, paused, turns, made), 0)
    return made


def _get_request(piece: WrittenPiece) -> int:
    return piece.request


def _find_epoch_pieces(history: History) -> list[WrittenPiece]:
    """What the plan's epochs rewrote."""
    budget, totals, epochs = history.budget, history.totals, history.plan.epochs
    known, about = totals.recall("epochs"), (epochs, budget.protect, budget.edited_by)
    if known is not None and known[0] == about and known[1].isdisjoint(totals.at):
        found: list[WrittenPiece] = known[2]
        return found
    active = list_active_epochs(history.plan)
    found = _build_epoch_pieces(history, active) if active else []
    away = {epoch.head_key for epoch in active if epoch.head_key not in totals.at}
    totals.keep("epochs", (about, away, found), max((piece.request for piece in found), default=0))
    return found


def _build_epoch_pieces(history: History, epochs: list[Epoch]) -> list[WrittenPiece]:
    """Of each epoch: where its first edit is, and where `render.breakpoints` left prefixes behind that.

    These are: behind the last range that it replaced; before the first result behind its first edited part that might
    be edited later; and behind the message that began the running turn.
    """
    messages, turns, heads = history.messages, history.index.user_turns, history.totals.at
    edited = [{edit.key for edit in epoch.edits if not isinstance(edit, Replace)} for epoch in epochs]
    latest = {key: number for number, keys in enumerate(edited) for key in keys}
    where = {part.key: n for n in history.holding(latest) for part in messages[n].parts if part.key in latest}
    later = _find_later_results(history, latest, where, len(epochs))
    found, has_ranges = [], False
    for number, epoch in enumerate(epochs):
        head, kept = heads.get(epoch.head_key), []
        ends = [history.find_range(edit) for edit in epoch.edits if isinstance(edit, Replace)]
        ranges = [one for one in ends if one is not None and one[0] < one[1]]
        has_ranges = has_ranges or any(ends)
        if ranges:
            kept.append(max(ranges)[1])
        part = min((where[key] for key in edited[number] if key in where), default=None)
        first = min([i for i, _ in ranges] + ([part] if part is not None else []), default=None)
        if first is None or head is None:
            continue
        if part is not None:
            kept.append(_find_next_result(later, part, head + 1, number))
            turn = bisect_right(turns, head)
            if turn and turns[turn - 1] >= part and not has_ranges:
                kept.append(turns[turn - 1] + 1)
        found.append(WrittenPiece(head + 1, first, tuple(kept)))
    return found


def _find_later_results(
    history: History, latest: dict[str, int], where: dict[str, int], never: int
) -> list[tuple[int, int]]:
    """The results from the first edit on that were edited or may be yet: message, and the last epoch that edited it."""
    messages, first = history.messages, min(where.values(), default=len(history.messages))
    results = (
        (number, never if _is_open(history, number, part) else latest[part.key])  # an excerpt may be cleared yet
        for number in dict.fromkeys(where.values())
        for part in messages[number].parts
        if part.kind == "tool_result" and part.key in latest
    )
    prunable = history.index.prunable
    numbers = range(first, len(messages)) if prunable is None else prunable[bisect_left(prunable, first) :]
    others = ((number, part) for number in numbers for part in messages[number].parts if part.key not in latest)
    return sorted([*results, *((number, never) for number, part in others if _is_open(history, number, part))])


def _is_open(history: History, number: int, part: Part) -> bool:
    """Whether a result may be edited yet, by what it was when it came: as `render.breakpoints` asks."""
    budget, protect = history.budget, history.budget.protect
    whole = get_original(budget, part)
    is_long = part.kind == "tool_result" and len(whole.text) >= protect.min_prunable_chars
    return is_long and not is_final(budget, part) and is_eligible(history.transcript, number, whole, protect)


def _find_next_result(later: list[tuple[int, int]], first: int, request: int, epoch: int) -> int:
    """The first message from `first` on that held a result which might be edited after that epoch."""
    for at in range(bisect_left(later, (first, -1)), len(later)):
        number, last = later[at]
        if number >= request:
            break
        if last > epoch:
            return number
    return request


def _find_turn_pieces(history: History) -> list[WrittenPiece]:
    """What new user turns rewrote, because the reasoning of the previous turn left the prompt."""
    turns, thoughts = history.index.user_turns, history.totals.thoughts
    found, known = history.totals.recall("turns") or ([], 1)
    for number in range(known, len(turns)):
        before, turn = turns[number - 1], turns[number]
        if thoughts[turn] > thoughts[before]:
            found = [*found, WrittenPiece(turn + 1, before + 1)]
    if known < len(turns):
        history.totals.keep("turns", (found, len(turns)), turns[-1] + 1)
    return found
