"""A compaction's questions, carried to a summarizer and answered, within a deadline.

    outcome, answers = drive(compact(scene, settings, after), summarizer, 60)

Questions that come together are put side by side, as many as the summarizer takes.

Rule: the generator runs in the caller's thread and the connection in another, which is left behind when time is over:
whatever a server, a resolver or a caller's own function does, the caller continues. A question for which there is no
time left is answered at once, with that. Called off, it raises `CancelledError` and nothing is left of it.
"""

import asyncio
from collections.abc import Coroutine, Generator
from concurrent.futures import CancelledError, Future
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from msgspec.structs import replace

from secateur.compaction.ask import Ask, SummaryAnswer, SummaryUsage
from secateur.summarizers.errors import try_answer
from secateur.summarizers.protocol import Summarizer, get_max_parallel

GRACE_S = 0.25  # so that the caller reports a timeout before whoever waits for the caller does

T = TypeVar("T")


class Stop:
    """Calls a summary off, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: Future[tuple[SummaryAnswer, ...]] | None = None
        self.called = False

    def cancel(self) -> None:
        """Cancel the running question."""
        with self._lock:
            self.called = True
            if self._waiting is not None:
                self._waiting.cancel()

    def watch(self, waiting: Future[tuple[SummaryAnswer, ...]] | None = None) -> None:
        """Register what to cancel, if anything. Raises CancelledError if it has been cancelled already."""
        with self._lock:
            self._waiting = waiting
            if self.called:
                raise CancelledError


def drive(
    steps: Generator[tuple[Ask, ...], tuple[SummaryAnswer, ...], T],
    by: Summarizer,
    deadline_s: float,
    stop: Stop | None = None,
) -> tuple[T, tuple[SummaryAnswer, ...]]:
    """Run the generator, and return its result and the answers that it was given."""
    stop = stop or Stop()
    ends = monotonic() + deadline_s
    answers: list[SummaryAnswer] = []
    with _Aside() as aside:
        try:
            asks = next(steps)
            while True:
                made = _run_asks(aside, asks, by, (ends, stop))
                answers += made
                asks = steps.send(made)
        except StopIteration as done:
            return done.value, tuple(answers)
        finally:
            steps.close()


def _run_asks(
    aside: "_Aside", asks: tuple[Ask, ...], by: Summarizer, limits: tuple[float, Stop]
) -> tuple[SummaryAnswer, ...]:
    ends, stop = limits
    stop.watch()
    seconds = ends - monotonic()
    if seconds <= 0:
        return (_make_late_answer(by),) * len(asks)
    waiting = aside.run(_answer_all(asks, by, ends))
    try:
        stop.watch(waiting)
        return waiting.result(seconds + GRACE_S)
    except TimeoutError:
        late = SummaryAnswer(error=f"no answer came within {seconds:.1f} s", failure="timeout", by=by.name)
        return (late,) * len(asks)
    finally:
        waiting.cancel()  # in any case: nothing listens any more


async def _answer_all(asks: tuple[Ask, ...], by: Summarizer, ends: float) -> tuple[SummaryAnswer, ...]:
    """Put all questions, at most as many side by side as the summarizer takes. After a failure none is begun."""
    free = asyncio.Semaphore(get_max_parallel(by))
    failed: list[SummaryAnswer] = []

    async def answer(ask: Ask) -> SummaryAnswer:
        async with free:
            if failed:
                return replace(failed[0], tries=0, spent=SummaryUsage())
            seconds = ends - monotonic()
            made = await try_answer(ask, by, seconds) if seconds > 0 else _make_late_answer(by)
            failed.extend([made] if made.error else [])
            return made

    return tuple(await asyncio.gather(*map(answer, asks)))


def _make_late_answer(by: Summarizer) -> SummaryAnswer:
    return SummaryAnswer(error="the deadline has passed", failure="timeout", by=by.name, tries=0)


class _Aside:
    """A thread with an event loop, for as long as one compaction takes. It starts with the first question."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> "_Aside":
        return self

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=_run_loop, args=(self._loop,), name="secateur-summaries", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def __exit__(self, *_: object) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(GRACE_S)


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for one in left:
            one.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
