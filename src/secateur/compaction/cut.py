"""Where to cut: which rows a summary replaces, and which of them stay nevertheless.

Rule: the tail begins with a turn if one fits, an oversized turn is split between rounds, and no round is ever split.
The newest user message, calls without a result and interim results stay in place. Cut content is not read here.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.conversation import ViewEntry, get_text, is_round_split
from secateur.compaction.settings import Compaction
from secateur.compaction.waiting import find_pending_rows
from secateur.plan import find_loop_opener, has_leading_reasoning
from secateur.text.own_text import is_summary

Span = tuple[int, int]


class HistoryCut(Struct, frozen=True):
    """Rows [start, end) are replaced, except for those of `stays`; `split` is where the turn begins that contains the
    tail.
    """

    start: int
    end: int
    stays: tuple[Span, ...] = ()
    split: int | None = None

    def iterate_segments(self) -> Iterator[Span]:
        """Yield the runs of rows to be replaced, in order."""
        here = self.start
        for start, end in self.stays:
            if here < start:
                yield here, start
            here = max(here, end)
        if here < self.end:
            yield here, self.end


def cut(
    rows: Sequence[ViewEntry],
    settings: Compaction,
    usable: int,
    every_user: bool = False,
    share: float = 1.0,
    leads: bool = False,
) -> HistoryCut:
    """What a compaction may take. `usable` tokens are in the window beside the reserve; `every_user`: whatever a user
    message says begins a turn (SEEDS S.5); `share` is the part of the tail that there is still room for; `leads`: a
    tool loop in progress has to begin with reasoning (API rule A52).
    """
    head = settings.head_messages if settings.layout == "middle" else 0
    start = find_head_end(rows, head)
    turns = tuple(turn_starts(rows, every_user))
    end = _find_tail(rows, start, turns, _Keep.of(settings, usable, share))
    end = max(start, _move_to_reasoning(rows, end) if leads else end)
    firm = (*_find_kept_rows(rows), *_find_head_after_summary(rows, start, head))
    stays = () if start == end else expand_to_rounds(rows, start, end, firm)
    begun = max((place for place in turns if place < end), default=None)
    split = begun if end < len(rows) and end not in turns and begun is not None and begun >= start else None
    return HistoryCut(start, end, stays, split)


def keep_unanswered(found: HistoryCut, rows: Sequence[ViewEntry], room: int) -> HistoryCut:
    """Return the cut with what the model has not answered yet kept: rounds with results, and what was said since.

    Of what was said only as much as has room, in tokens, the newest first.
    """
    last = max((place for place, row in enumerate(rows) if row.message.is_output), default=-1)
    places: list[int] = []
    for place in range(found.end - 1, max(last + 1, found.start) - 1, -1):
        row = rows[place]
        is_said = row.message.role == "user" and row.is_fresh and row.tokens <= room
        room -= row.tokens if is_said else 0
        if is_said or _has_result(row):
            places.append(place)
    more = _find_rounds(rows, found.start, found.end, reversed(places))
    return replace(found, stays=tuple(_merge_spans((*found.stays, *more))))


def find_head_end(rows: Sequence[ViewEntry], head: int) -> int:
    """Return the end of the head: leading system messages and `head` more, no split round, before any summary."""
    place = 0
    while place < len(rows) and rows[place].message.role == "system" and rows[place].is_fresh:
        place += 1
    stop = min(place + head, len(rows))
    while place < stop and not rows[place].is_summary and rows[place].new is None:
        place += 1
    while place < len(rows) and is_round_split(rows, place):
        place += 1
    return place


def _find_head_after_summary(rows: Sequence[ViewEntry], start: int, head: int) -> range:
    """Return the head where an earlier compaction left it after its summary, as hosts do."""
    first = all(row.message.role == "system" or row.message.origin == "synthetic" for row in rows[:start])
    if not first or start >= len(rows) or rows[start].new is not None or not is_summary(get_text(rows[start].message)):
        return range(0)
    return range(start + 1, min(start + 1 + head, len(rows)))


def turn_starts(rows: Sequence[ViewEntry], every_user: bool) -> Iterator[int]:
    """Rows with which a turn begins: what the user says, or whatever is in the user's name."""
    for place, row in enumerate(rows):
        spoken = row.message.role == "user" and (every_user or row.message.origin == "user")
        if spoken and not row.is_summary and not row.is_carried and not is_round_split(rows, place):
            yield place


def expand_to_rounds(rows: Sequence[ViewEntry], start: int, end: int, places: Iterable[int]) -> tuple[Span, ...]:
    """Return the rows of [start, end) at these places, expanded to whole rounds."""
    return tuple(_merge_spans(_find_rounds(rows, start, end, places)))


def find_newest_user_row(rows: Sequence[ViewEntry]) -> int | None:
    """Return the row of the newest user message."""
    for place in range(len(rows) - 1, -1, -1):
        message = rows[place].message
        says = any(part.kind in ("text", "media") for part in message.parts)
        if message.role == "user" and message.origin == "user" and rows[place].new is None and says:
            return place
    return None


def compute_tail_room(settings: Compaction, usable: int) -> int:
    """Return the tokens that may stay behind a summary; 0: any number."""
    return _Keep.of(settings, usable, 1.0).tokens


class _Keep(Struct, frozen=True):
    """How much stays after the summary."""

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
        if share < 1:  # the whole tail has no room: whatever else is stated, tokens are short
            tokens = int((tokens or usable) * share) or 1
        return cls(settings.keep_turns, tokens, int(settings.keep_messages * share), settings.cut_at == "rounds")


def _find_tail(rows: Sequence[ViewEntry], first: int, turns: Sequence[int], keep: _Keep) -> int:
    """Return the row at which the tail begins."""
    place = len(rows)
    if keep.at_rounds:
        place = _find_pi_cut(rows, first, keep.tokens)
    elif keep.turns or keep.tokens:
        place = _fit_whole_turns(rows, [turn for turn in turns if turn >= first], keep)
    if keep.messages:
        place = min(place, _move_to_round_start(rows, max(first, len(rows) - keep.messages)))
    return min(place, _find_unread(rows))


def _move_to_reasoning(rows: Sequence[ViewEntry], end: int) -> int:
    """Return the row at which the tail begins if the tool loop in progress is still to begin with reasoning.

    The next such round, or where it is not read yet the last one before; `end` if the loop did not begin so.
    """
    messages = [row.message for row in rows]
    opener = find_loop_opener(messages)
    if opener is None or end <= opener or not has_leading_reasoning(messages[opener]):
        return end
    answers = [place for place in range(opener, len(rows)) if messages[place].role == "assistant"]
    places = [place for place in answers if has_leading_reasoning(messages[place]) and not is_round_split(rows, place)]
    unread = _find_unread(rows)
    later = [place for place in places if end <= place <= unread]
    return later[0] if later else max((place for place in places if place < end), default=end)


def _fit_whole_turns(rows: Sequence[ViewEntry], turns: Sequence[int], keep: _Keep) -> int:
    """Go back by whole turns while they fit; of the first that does not, keep the last rounds that do."""
    place, room = len(rows), keep.tokens
    for turn in list(reversed(turns))[: keep.turns or None]:
        tokens = sum(row.tokens for row in rows[turn:place])
        if keep.tokens and tokens > room:
            return _fit_suffix(rows, turn + 1, place, room)
        place, room = turn, room - tokens
    if not turns:
        return _fit_suffix(rows, 1, place, room)  # no user message: one long turn
    if keep.tokens and (not keep.turns or len(turns) < keep.turns):
        return _fit_suffix(rows, _find_split_turn(rows, place), place, room)
    return place


def _find_split_turn(rows: Sequence[ViewEntry], end: int) -> int:
    """Return the first row of a turn split by an earlier compaction, before the first whole turn, or `end`."""
    for place in range(end - 1, -1, -1):
        if rows[place].is_summary or rows[place].is_carried:
            return place + 1
    return end


def _fit_suffix(rows: Sequence[ViewEntry], first: int, end: int, room: int) -> int:
    """Return the earliest row from which all to `end` fits without splitting a round, or `end`."""
    found = end
    for place in range(end - 1, first - 1, -1):
        room -= rows[place].tokens
        if room < 0:
            break
        if not is_round_split(rows, place):
            found = place
    return found


def _find_pi_cut(rows: Sequence[ViewEntry], first: int, tokens: int) -> int:
    """Cut as Pi does: back until `tokens` are kept, then forward to the next row that is not a result (findCutPoint).

    Where only results are left, back to their calls, as Pi's newest version does: the older ones keep everything.
    """
    held = 0
    for place in range(len(rows) - 1, first - 1, -1):
        if rows[place].new is not None or rows[place].is_summary:
            return place + 1
        held += rows[place].tokens
        if held >= tokens:
            after = [one for one in range(place, len(rows)) if not is_round_split(rows, one)]
            return after[0] if after else max(first, _move_to_round_start(rows, place))
    return first


def _move_to_round_start(rows: Sequence[ViewEntry], place: int) -> int:
    while place > 0 and is_round_split(rows, place):
        place -= 1
    return place


def _find_unread(rows: Sequence[ViewEntry]) -> int:
    """Return where the newest round begins if the model has not read its results yet.

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
    return _move_to_round_start(rows, last)


def _has_result(row: ViewEntry) -> bool:
    return any(part.kind == "tool_result" for part in row.message.parts)


def _find_kept_rows(rows: Sequence[ViewEntry]) -> Iterator[int]:
    """Yield rows that stay whatever happens to the others."""
    newest = find_newest_user_row(rows)
    yield from find_pending_rows(rows)
    if newest is not None:
        yield newest


def _find_rounds(rows: Sequence[ViewEntry], start: int, end: int, places: Iterable[int]) -> Iterator[Span]:
    for place in sorted(one for one in places if start <= one < end):
        first = _move_to_round_start(rows, place)
        last = place + 1
        while last < len(rows) and is_round_split(rows, last):
            last += 1
        yield max(start, first), min(end, last)


def _merge_spans(spans: Iterable[Span]) -> Iterator[Span]:
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
