"""How a summarizer is asked: in one question if the span fits its window, else part by part and then about the notes.

Rule: no question is longer than the window it goes to, however long the history is; notes that are too long together
are noted again. A part that cannot be had fails the whole. Answers are not judged here, but for being there.
"""

from collections.abc import Callable, Generator, Sequence

from secateur.compaction.ask import (
    Ask,
    SummaryAnswer,
    SummaryTask,
    ask,
    build_part_ask,
    count_overhead,
    merge_ask,
    render_row,
    split_into_parts,
)
from secateur.compaction.rows import ViewEntry
from secateur.compaction.settings import Compaction

MARGIN = 0.9  # of the room: counts are estimates
LEAST_ROOM = 400  # tokens: with less for the conversation no part says anything
ROUNDS = 6  # notes on notes

Count = Callable[[str], int]
Asked = Generator[Ask, SummaryAnswer, tuple[SummaryAnswer, int]]


def ask_for_summary(
    rows: Sequence[ViewEntry], task: SummaryTask, at: tuple[int, int], count: Count, settings: Compaction
) -> Asked:
    """Return the answer and the number of questions; `at` is the window in tokens and the attempt's number."""
    window, attempt = at
    pieces = [text for row in rows if (text := render_row(row, settings.max_tool_chars))]
    room = _compute_room(window, task, count)
    if room is None or sum(count(piece) + 2 for piece in pieces) <= room:
        answer = yield ask(pieces, task, count, attempt)
        return answer, 1
    if room < LEAST_ROOM:
        return SummaryAnswer(error=f"a window of {window:,} tokens has no room for the question", failure="window"), 0
    return (yield from _ask_by_parts(pieces, task, room, (count, attempt)))


def _compute_room(window: int, task: SummaryTask, count: Count) -> int | None:
    """Return the tokens a question has for the conversation; None for any number."""
    if window <= 0:
        return None
    return int((window - count_overhead(task, count) - task.most_tokens) * MARGIN)


def _ask_by_parts(pieces: Sequence[str], task: SummaryTask, room: int, how: tuple[Count, int]) -> Asked:
    count, attempt = how
    asks = 0
    for _ in range(ROUNDS):
        runs = split_into_parts(pieces, room, count)
        notes: list[str] = []
        for number, run in enumerate(runs, 1):
            answer, more = yield from _take_notes(run, task, (number, len(runs)), count)
            asks += more
            if answer.error:
                return answer, asks
            notes.append(answer.text.strip())
        if sum(count(note) + 12 for note in notes) <= room:
            answer = yield merge_ask(notes, task, count, attempt)
            return answer, asks + 1
        pieces = notes
    return SummaryAnswer(error="the notes on the parts do not become short enough for one question"), asks


def _take_notes(run: Sequence[str], task: SummaryTask, place: tuple[int, int], count: Count) -> Asked:
    """Return notes on one part, retrying once if there are none. Notes that were cut off count as notes."""
    answer = SummaryAnswer()
    for attempt in (1, 2):
        answer = yield build_part_ask(run, task, place, count)
        if answer.error:
            return answer, attempt
        if answer.text.strip() and not answer.calls:
            return answer, attempt
    return SummaryAnswer(error=f"no notes came on part {place[0]} of {place[1]}", by=answer.by), 2
