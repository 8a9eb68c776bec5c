"""Summaries that are made beside the requests of their sessions: begun early from a snapshot, swapped in when ready.

Rule: no request waits for one. Each session has at most one at a time; a snapshot is of frozen values, so whatever is
said meanwhile stays behind it. What comes of one that was called off, or that no longer holds, is dropped.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError
from threading import Lock, Thread
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.outcome import Refused
from secateur.compaction.scene import CompactionInput
from secateur.compaction.settings import Compaction, Continuation
from secateur.fitting.epoch import Range
from secateur.hooks import CompactDecision
from secateur.stores.protocol import SessionId

if TYPE_CHECKING:
    from secateur.compacting import Made
    from secateur.summarizers.protocol import Summarizer

EARLY_SHARE = 0.8  # of the threshold: where a summary is begun
CLOSING_S = 5.0  # for a thread whose summary was called off; it ends with the process anyway


class PreparedSummary(Struct, frozen=True):
    """A summary that was made beside earlier requests, and the ranges that were replaced when it was begun."""

    made: "Made"
    known: frozenset[Range]


class BackgroundTask(Struct, frozen=True):
    """What is to be summarized, and how."""

    scene: CompactionInput
    settings: Compaction
    after: Continuation


class SummaryJob:
    """One summary that is being made."""

    def __init__(
        self,
        asked: Callable[[], CompactDecision],
        task: BackgroundTask,
        listed: "tuple[Summarizer, ...]",
        deadline_s: float,
        known: frozenset[Range],
    ) -> None:
        from secateur.summarizers.driving import Stop

        self.stop: Stop = Stop()
        self.made: Made | None = None
        self.taken = False  # a request has it in hand
        self.known = known
        self._asked, self._task, self._listed, self._deadline_s = asked, task, listed, deadline_s
        self.thread = Thread(target=self._run, name="secateur-compaction", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        from secateur import compacting

        scene = self._task.scene
        reply = self._asked()
        if reply.cancel:
            self.made = compacting.Made(Refused("vetoed", reply.reason or "the hook before_compact cancelled it"))
            return
        scene = replace(scene, focus=reply.focus or scene.focus, supplied=reply.summary or scene.supplied)
        task = compacting.CompactionTask(scene, self._task.settings, self._task.after)
        try:
            self.made = compacting.compact_history(task, self._listed, self._deadline_s, self.stop)
        except CancelledError:
            self.made = compacting.Made(Refused("cancelled", "it was called off"))


class Background:
    """The summaries of an engine's sessions that are being made, or wait to be swapped in."""

    def __init__(self) -> None:
        self._jobs: dict[SessionId, SummaryJob] = {}
        self._lock = Lock()

    def is_begun(self, who: SessionId) -> bool:
        """Whether the session has one: it is being made, or waits to be swapped in."""
        with self._lock:
            return who in self._jobs

    def begin(self, who: SessionId, job: Callable[[], SummaryJob]) -> None:
        """Begin one, if the session has none."""
        with self._lock:
            if who.session and who not in self._jobs:
                self._jobs[who] = job()

    def take(self, who: SessionId) -> PreparedSummary | None:
        """What is ready; None while it is being made, and where there is none. It stays until it is `used`."""
        with self._lock:
            job = self._jobs.get(who)
            if job is None or job.made is None:
                return None
            job.taken = True
            return PreparedSummary(job.made, job.known)

    def drop_taken(self, who: SessionId) -> None:
        """Drop what was taken once a request that used it was sent."""
        with self._lock:
            job = self._jobs.get(who)
            if job is not None and job.taken:
                del self._jobs[who]

    def cancel(self, session: str, tenant: str = "") -> bool:
        """Call one off; whether there was one."""
        with self._lock:
            job = self._jobs.pop(SessionId(session, tenant), None)
        if job is not None:
            job.stop.cancel()
        return job is not None

    def close(self) -> None:
        """Call all of them off, and wait until their threads have ended."""
        with self._lock:
            jobs, self._jobs = [*self._jobs.values()], {}
        for job in jobs:
            job.stop.cancel()
        for job in jobs:
            job.thread.join(CLOSING_S)

    def wait(self, session: str, seconds: float, tenant: str = "") -> None:
        """Wait until a summary is ready, for whoever has the time: a host that is idle, a test."""
        job = self._jobs.get(SessionId(session, tenant))
        if job is not None:
            job.thread.join(seconds)
