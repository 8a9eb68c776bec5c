"""How a summarizer is asked: in one question if the span fits its window, else about parts, and then about the notes.

Rule: questions and answers fit the summarizer's own window, however long the history is and however large the window
of the session; notes that are too long together are noted again. Questions about parts are put together, and whoever
asks puts as many side by side as the summarizer takes. Only a part without notes is asked about again, and notes serve
every later question. Answers are not judged here, but for being there.
"""

from collections.abc import Callable, Generator, Sequence

from msgspec.structs import replace

from secateur.compaction.ask import (
    Ask,
    SummaryAnswer,
    SummaryTask,
    ask,
    ask_behind_request,
    build_part_ask,
    count_overhead,
    count_part_overhead,
    merge_ask,
    render_row,
    split_into_parts,
)
from secateur.compaction.conversation import SessionRequest, ViewEntry
from secateur.compaction.settings import Compaction
from secateur.text.excerpt import excerpt

MARGIN = 0.9  # of the room: counts are estimates
LEAST_ROOM = 400  # tokens: with less for the conversation no part says anything
ROUNDS = 6  # notes on notes
ANSWER_SHARE = 0.25  # of a summarizer's window, the most that its answer takes
KNOWN_SHARE = 0.125  # of it, the most that the facts in a question take, and that the summary so far takes

Count = Callable[[str], int]
Asked = Generator[tuple[Ask, ...], tuple[SummaryAnswer, ...], tuple[SummaryAnswer, int]]


class Interview:
    """The questions to one summarizer about one span. It keeps the notes that it was given.

    With `own`, the question goes behind the session's own request, which has all of the conversation.
    """

    def __init__(
        self,
        rows: Sequence[ViewEntry],
        window: int,
        count: Count,
        settings: Compaction,
        own: SessionRequest | None = None,
    ) -> None:
        self._window, self._count, self._own = window, count, own  # a window of 0 has room for any question
        self._pieces = [text for row in rows if (text := render_row(row, settings.max_tool_chars))]
        self._notes: list[str] = []

    def ask_for_summary(self, task: SummaryTask, attempt: int) -> Asked:
        """Return the answer and the number of questions."""
        if self._own is not None:
            end = self._pieces[-1] if self._pieces else ""
            question = ask_behind_request(self._own.add_question, end, task, self._own.tokens, self._count)
            (answer,) = yield (replace(question, attempt=attempt),)
            return answer, 1
        fits = fit_task(task, self._window, self._count)
        room = self._compute_room(fits, count_overhead(fits, self._count), fits.most_tokens)
        if room is None or (not self._notes and self._count_all(self._pieces, 2) <= room):
            (answer,) = yield (ask(self._pieces, fits, self._count, attempt),)
            return answer, 1
        if room < LEAST_ROOM:
            text = f"a window of {self._window:,} tokens has no room for the question"
            return SummaryAnswer(error=text, failure="window"), 0
        failed, asks = yield from self._take_all_notes(fits, room)
        if failed.error:
            return failed, asks
        (answer,) = yield (merge_ask(self._notes, fits, self._count, attempt),)
        return answer, asks + 1

    def _take_all_notes(self, task: SummaryTask, room: int) -> Asked:
        """Take notes, and notes on notes, until they fit the room of one question."""
        pieces, asks = self._notes or self._pieces, 0
        part = self._compute_room(task, count_part_overhead(task, self._count), task.most_tokens) or room
        for _ in range(ROUNDS):
            if self._notes and self._count_all(self._notes, 12) <= room:
                return SummaryAnswer(), asks
            failed, more = yield from self._take_notes(split_into_parts(pieces, part, self._count), task)
            asks += more
            if failed.error:
                return failed, asks
            pieces = self._notes
        return SummaryAnswer(error="the notes on the parts do not become short enough for one question"), asks

    def _take_notes(self, runs: Sequence[Sequence[str]], task: SummaryTask) -> Asked:
        """Ask about every part, and once more about those without notes. Notes that were cut off count as notes."""
        of = len(runs)
        asks = tuple(build_part_ask(run, task, (at, of), self._count) for at, run in enumerate(runs, 1))
        answers = list((yield asks))
        failed = next((one for one in answers if one.error), None)
        if failed is not None:
            return failed, of
        missing = [at for at, one in enumerate(answers) if not _has_notes(one)]
        if missing:
            for at, answer in zip(missing, (yield tuple(asks[at] for at in missing)), strict=True):
                answers[at] = answer
        bad = next((at for at in missing if answers[at].error or not _has_notes(answers[at])), None)
        if bad is not None:
            none = SummaryAnswer(error=f"no notes came on part {bad + 1} of {of}", by=answers[bad].by)
            return (answers[bad] if answers[bad].error else none), of + len(missing)
        self._notes = [one.text.strip() for one in answers]
        return SummaryAnswer(), of + len(missing)

    def _compute_room(self, task: SummaryTask, overhead: int, answer: int) -> int | None:
        """Return the tokens a question has for the conversation; None for any number."""
        return int((self._window - overhead - answer) * MARGIN) if self._window > 0 else None

    def _count_all(self, texts: Sequence[str], frame: int) -> int:
        return sum(self._count(text) + frame for text in texts)


def fit_task(task: SummaryTask, window: int, count: Count) -> SummaryTask:
    """Return the task for a summarizer of this window: if it is small, less is requested and less is told."""
    if window <= 0:
        return task
    known = int(window * KNOWN_SHARE)
    return replace(
        task,
        most_tokens=min(task.most_tokens, int(window * ANSWER_SHARE)),
        kept=_shorten(task.kept, known, count),
        facts=_shorten(task.facts, known, count),
    )


def _shorten(text: str, room: int, count: Count) -> str:
    tokens = count(text)
    return text if tokens <= room else excerpt(text, int(len(text) * room / tokens))


def _has_notes(answer: SummaryAnswer) -> bool:
    return bool(answer.text.strip()) and not answer.calls
