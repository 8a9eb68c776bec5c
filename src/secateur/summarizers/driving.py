"""A compaction's questions, carried to a summarizer and answered, within a deadline.

    outcome, answers = drive(compact(scene, settings, after), summarizer, 60)

Rule: the generator runs in the caller's thread and the connection in another, which is left behind when time is over:
whatever a server, a resolver or a caller's own function does, the caller goes on. A question for which there is no
time left is answered at once, with that. Called off, it raises `CancelledError` and nothing is left of it.
"""

import asyncio
from collections.abc import Coroutine, Generator
from concurrent.futures import CancelledError, Future
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.summarizers.protocol import Summarizer
from secateur.summarizers.trying import try_answer

GRACE_S = 0.25  # for a timeout to be told by whoever asked, before it is told by whoever waits

T = TypeVar("T")


class Stop:
    """Calls a summary off, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: Future[SummaryAnswer] | None = None
        self.called = False

    def cancel(self) -> None:
        """Cancel the running question."""
        with self._lock:
            self.called = True
            if self._waiting is not None:
                self._waiting.cancel()

    def watch(self, waiting: Future[SummaryAnswer] | None = None) -> None:
        """What is to be given up, if anything. Raises CancelledError if it has been called off already."""
        with self._lock:
            self._waiting = waiting
            if self.called:
                raise CancelledError


def drive(
    steps: Generator[Ask, SummaryAnswer, T], by: Summarizer, deadline_s: float, stop: Stop | None = None
) -> tuple[T, tuple[SummaryAnswer, ...]]:
    """What the generator returns, and the answers that it was given."""
    stop = stop or Stop()
    ends = monotonic() + deadline_s
    answers: list[SummaryAnswer] = []
    with _Aside() as aside:
        try:
            ask = next(steps)
            while True:
                answers.append(_run_ask(aside, ask, by, (ends - monotonic(), stop)))
                ask = steps.send(answers[-1])
        except StopIteration as done:
            return done.value, tuple(answers)
        finally:
            steps.close()


def _run_ask(aside: "_Aside", ask: Ask, by: Summarizer, limits: tuple[float, Stop]) -> SummaryAnswer:
    seconds, stop = limits
    stop.watch()
    if seconds <= 0:
        return SummaryAnswer(error="no time is left", failure="timeout", by=by.name, tries=0)
    waiting = aside.run(try_answer(ask, by, seconds))
    try:
        stop.watch(waiting)
        return waiting.result(seconds + GRACE_S)
    except TimeoutError:
        return SummaryAnswer(error=f"no answer came within {seconds:.1f} s", failure="timeout", by=by.name)
    finally:
        waiting.cancel()  # whatever happened: nobody listens any more


class _Aside:
    """A thread with an event loop, for as long as one compaction takes. It starts with the first question."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> "_Aside":
        return self

    def run(self, work: Coroutine[Any, Any, SummaryAnswer]) -> Future[SummaryAnswer]:
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
