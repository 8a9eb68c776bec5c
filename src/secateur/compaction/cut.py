"""Where: which rows give way to a summary, and which of them stay all the same.

Rule: the tail begins with a turn where one fits, an oversized turn is split between rounds, and no round is ever
parted. The newest user message, calls without a result and interim results stay where they stand. What is cut is not
read here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.rows import ViewEntry, splits_round, text_of
from secateur.compaction.settings import Compaction
from secateur.model import Part
from secateur.own_text import is_summary

Span = tuple[int, int]
_INTERIM = re.compile(
    r'"?(?:status|state)"?\s*[:=]\s*"?(?:pending|running|in[_ -]?progress|queued|awaiting[_ a-z]*)\b', re.I
)
_INTERIM_CHARS = 400  # a result that only says that it is not there yet is short


class HistoryCut(Struct, frozen=True):
    """Rows [start, end) give way, but for those of `stays`; `split` is where the turn begins that the tail is in."""

    start: int
    end: int
    stays: tuple[Span, ...] = ()
    split: int | None = None

    def segments(self) -> Iterator[Span]:
        """The runs of rows that give way, in order."""
        here = self.start
        for start, end in self.stays:
            if here < start:
                yield here, start
            here = max(here, end)
        if here < self.end:
            yield here, self.end


def cut(
    rows: Sequence[ViewEntry], settings: Compaction, usable: int, every_user: bool = False, share: float = 1.0
) -> HistoryCut:
    """What a compaction may take. `usable` tokens are in the window beside the reserve; `every_user`: whatever a user
    message says begins a turn (SEEDS S.5); `share` is the part of the tail that there is still room for.
    """
    head = settings.head_messages if settings.layout == "middle" else 0
    start = head_end(rows, head)
    turns = tuple(turn_starts(rows, every_user))
    end = max(start, _tail(rows, start, turns, _Keep.of(settings, usable, share)))
    firm = (*_firm(rows), *_head_after_summary(rows, start, head))
    stays = () if start == end else staying(rows, start, end, firm)
    begun = max((place for place in turns if place < end), default=None)
    split = begun if end < len(rows) and end not in turns and begun is not None and begun >= start else None
    return HistoryCut(start, end, stays, split)


def sparing(found: HistoryCut, rows: Sequence[ViewEntry]) -> HistoryCut:
    """The same cut; rounds with results stay that the model has not answered yet, whatever was said since."""
    last = max((place for place, row in enumerate(rows) if row.message.is_output), default=-1)
    places = (place for place in range(max(last + 1, found.start), found.end) if _has_result(rows[place]))
    more = _rounds(rows, found.start, found.end, places)
    return replace(found, stays=tuple(_merged((*found.stays, *more))))


def head_end(rows: Sequence[ViewEntry], head: int) -> int:
    """Where the head ends: behind leading system messages and `head` more, never within a round, before any summary."""
    place = 0
    while place < len(rows) and rows[place].message.role == "system" and rows[place].is_fresh:
        place += 1
    stop = min(place + head, len(rows))
    while place < stop and not rows[place].is_summary and rows[place].new is None:
        place += 1
    while place < len(rows) and splits_round(rows, place):
        place += 1
    return place


def _head_after_summary(rows: Sequence[ViewEntry], start: int, head: int) -> range:
    """The head, where an earlier compaction left it behind its summary: hosts have no other place for it."""
    first = all(row.message.role == "system" or row.message.origin == "synthetic" for row in rows[:start])
    if not first or start >= len(rows) or rows[start].new is not None or not is_summary(text_of(rows[start].message)):
        return range(0)
    return range(start + 1, min(start + 1 + head, len(rows)))


def turn_starts(rows: Sequence[ViewEntry], every_user: bool) -> Iterator[int]:
    """Rows with which a turn begins: what the user says, or whatever stands in the user's name."""
    for place, row in enumerate(rows):
        spoken = row.message.role == "user" and (every_user or row.message.origin == "user")
        if spoken and not row.is_summary and not row.is_carried and not splits_round(rows, place):
            yield place


def staying(rows: Sequence[ViewEntry], start: int, end: int, places: Iterable[int]) -> tuple[Span, ...]:
    """The rows of [start, end) that these stand in, as whole rounds."""
    return tuple(_merged(_rounds(rows, start, end, places)))


def newest_user(rows: Sequence[ViewEntry]) -> int | None:
    """The row of what the user said last."""
    for place in range(len(rows) - 1, -1, -1):
        message = rows[place].message
        says = any(part.kind in ("text", "media") for part in message.parts)
        if message.role == "user" and message.origin == "user" and rows[place].new is None and says:
            return place
    return None


def pending(rows: Sequence[ViewEntry]) -> Iterator[int]:
    """Rows with calls that have no result yet, or whose result says that it is still to come."""
    for place, row in enumerate(rows):
        calls = [part for part in row.message.parts if part.kind == "tool_call"]
        if row.message.role == "assistant" and calls:
            given: dict[str, list[Part]] = {}
            for part in (part for other in _answers(rows, place) for part in other.message.parts):
                if part.kind == "tool_result":
                    given.setdefault(part.call_id, []).append(part)
            if any(_waits(given.get(call.call_id, ())) for call in calls) and not _answered_later(rows, place, calls):
                yield place


class _Keep(Struct, frozen=True):
    """How much stays behind the summary."""

    turns: int  # 0: any number
    tokens: int  # 0: any number
    messages: int
    at_rounds: bool

    @classmethod
    def of(cls, settings: Compaction, usable: int, share: float) -> "_Keep":
        tokens = settings.keep_tokens
        if isinstance(tokens, float):
            tokens = max(settings.keep_min_tokens, int(tokens * usable))
            tokens = min(tokens, settings.keep_max_tokens or tokens)
        if share < 1:  # the whole tail has no room: whatever is said otherwise, tokens are what is short
            tokens = int((tokens or usable) * share) or 1
        return cls(settings.keep_turns, tokens, int(settings.keep_messages * share), settings.cut_at == "rounds")


def _tail(rows: Sequence[ViewEntry], first: int, turns: Sequence[int], keep: _Keep) -> int:
    """The row with which the tail begins."""
    place = len(rows)
    if keep.at_rounds:
        place = _enough(rows, first, keep.tokens)
    elif keep.turns or keep.tokens:
        place = _whole_turns(rows, [turn for turn in turns if turn >= first], keep)
    if keep.messages:
        place = min(place, _back(rows, max(first, len(rows) - keep.messages)))
    return min(place, _unread(rows))


def _whole_turns(rows: Sequence[ViewEntry], turns: Sequence[int], keep: _Keep) -> int:
    """Turns from the newest back while they fit; of the first that does not, the rounds at its end that do."""
    place, room = len(rows), keep.tokens
    for turn in list(reversed(turns))[: keep.turns or None]:
        tokens = sum(row.tokens for row in rows[turn:place])
        if keep.tokens and tokens > room:
            return _suffix(rows, turn + 1, place, room)
        place, room = turn, room - tokens
    if not turns:
        return _suffix(rows, 1, place, room)  # nobody has spoken: one long turn
    if keep.tokens and (not keep.turns or len(turns) < keep.turns):
        return _suffix(rows, _after_summary(rows, place), place, room)
    return place


def _after_summary(rows: Sequence[ViewEntry], end: int) -> int:
    """The first row of a turn that an earlier compaction split, in front of the first whole turn; `end` if none is."""
    for place in range(end - 1, -1, -1):
        if rows[place].is_summary or rows[place].is_carried:
            return place + 1
    return end


def _suffix(rows: Sequence[ViewEntry], first: int, end: int, room: int) -> int:
    """The earliest row from which all to `end` has room, without parting a round; `end` if none does."""
    found = end
    for place in range(end - 1, first - 1, -1):
        room -= rows[place].tokens
        if room < 0:
            break
        if not splits_round(rows, place):
            found = place
    return found


def _enough(rows: Sequence[ViewEntry], first: int, tokens: int) -> int:
    """Pi's cut: back until `tokens` are kept, then forward to the next row that is no result (findCutPoint).

    Where only results are left, back to their calls, as Pi's newest version does: the older ones keep everything.
    """
    held = 0
    for place in range(len(rows) - 1, first - 1, -1):
        if rows[place].new is not None or rows[place].is_summary:
            return place + 1
        held += rows[place].tokens
        if held >= tokens:
            after = [one for one in range(place, len(rows)) if not splits_round(rows, one)]
            return after[0] if after else max(first, _back(rows, place))
    return first


def _back(rows: Sequence[ViewEntry], place: int) -> int:
    while place > 0 and splits_round(rows, place):
        place -= 1
    return place


def _unread(rows: Sequence[ViewEntry]) -> int:
    """Where the newest round begins, if the model has not read its results yet.

    What earlier compactions put behind it says nothing of what was read.
    """
    last = len(rows) - 1
    while last >= 0 and rows[last].message.is_put_in and not rows[last].is_summary:
        last -= 1
    if last < 0 or rows[last].message.role == "assistant":
        calls = last >= 0 and any(part.kind == "tool_call" for part in rows[last].message.parts)
        return last if calls else len(rows)
    if not any(part.kind == "tool_result" for part in rows[last].message.parts):
        return len(rows)
    return _back(rows, last)


def _has_result(row: ViewEntry) -> bool:
    return any(part.kind == "tool_result" for part in row.message.parts)


def _firm(rows: Sequence[ViewEntry]) -> Iterator[int]:
    """Rows that stay whatever becomes of the others."""
    newest = newest_user(rows)
    yield from pending(rows)
    if newest is not None:
        yield newest


def _rounds(rows: Sequence[ViewEntry], start: int, end: int, places: Iterable[int]) -> Iterator[Span]:
    for place in sorted(one for one in places if start <= one < end):
        first = _back(rows, place)
        last = place + 1
        while last < len(rows) and splits_round(rows, last):
            last += 1
        yield max(start, first), min(end, last)


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    held: Span | None = None
    for start, end in sorted(spans):
        if held and start <= held[1]:
            held = (held[0], max(held[1], end))
            continue
        if held:
            yield held
        held = (start, end)
    if held:
        yield held


def _answers(rows: Sequence[ViewEntry], place: int) -> Iterator[ViewEntry]:
    """The rows in which the calls of this row may be answered: those before the model speaks again."""
    for number in range(place + 1, len(rows)):
        row = rows[number]
        if row.message.role == "assistant":
            return
        yield row


def _waits(results: Sequence[Part]) -> bool:
    """Whether a call with these results has none yet that stands."""
    return all(is_interim(part.text) for part in results)


def _answered_later(rows: Sequence[ViewEntry], place: int, calls: Sequence[Part]) -> bool:
    """Whether a later result under the same, non-empty id says how all of these calls ended."""
    ids = {part.call_id for part in calls if part.call_id}
    later = [part for row in rows[place + 1 :] for part in row.message.parts if part.kind == "tool_result"]
    ended = {part.call_id for part in later if part.call_id in ids and not is_interim(part.text)}
    return len(ids) == len(calls) and ended == ids


def is_interim(text: str) -> bool:
    """Whether a result says that it is still to come."""
    return len(text) <= _INTERIM_CHARS and _INTERIM.search(text) is not None
