"""How an engine compacts, what the caller of one request wants of it, and summaries made in the background.

Rule: `enabled` is checked before anything else, on every path; the options of a request never overrule it. No request
waits for a background summary. Each session has at most one at a time, made from a snapshot of frozen values; it is
used once, and dropped if it was canceled or no longer applies.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.conversation import CompactionInput
from secateur.compaction.outcome import CompactionSkipped
from secateur.compaction.settings import Compaction, Continuation
from secateur.errors import ConfigError
from secateur.hooks import NO_HOOKS, CompactDecision, Hooks
from secateur.policy.windows import get_window
from secateur.stages.summary_epoch import Range
from secateur.stores.protocol import SessionId

if TYPE_CHECKING:
    from secateur.summarizers.driver import Stop
    from secateur.summarizers.protocol import Summarizer
    from secateur.summarizers.run import CompactionRun


EARLY_SHARE = 0.8  # of the threshold: where a summary is begun
CLOSING_S = 5.0  # for a thread whose summary was called off; it ends with the process anyway


class PreparedSummary(Struct, frozen=True):
    """A summary that was made in the background, and the ranges that were replaced when it was begun."""

    made: "CompactionRun"
    known: frozenset[Range]


class BackgroundTask(Struct, frozen=True):
    """What to summarize, and how."""

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
        from secateur.summarizers.driver import Stop

        self.stop: Stop = Stop()
        self.made: CompactionRun | None = None
        self.taken = False  # a request has it in hand
        self.known = known
        self._asked, self._task, self._listed, self._deadline_s = asked, task, listed, deadline_s
        self.thread = Thread(target=self._run, name="secateur-compaction", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        from secateur.summarizers import run

        scene = self._task.scene
        reply = self._asked()
        if reply.cancel:
            self.made = run.CompactionRun(
                CompactionSkipped("vetoed", reply.reason or "the hook before_compact cancelled it")
            )
            return
        scene = replace(scene, focus=reply.focus or scene.focus, supplied=reply.summary or scene.supplied)
        task = run.CompactionTask(scene, self._task.settings, self._task.after)
        try:
            self.made = run.compact_history(task, self._listed, self._deadline_s, self.stop)
        except CancelledError:
            self.made = run.CompactionRun(CompactionSkipped("cancelled", "it was cancelled"))


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
        """Return the finished summary; None while it is made, or if there is none. It stays until `drop_taken`."""
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
        """Wait until a summary is ready, for callers that have the time: an idle host, a test."""
        job = self._jobs.get(SessionId(session, tenant))
        if job is not None:
            job.thread.join(seconds)


DEADLINE_S = 120.0


class CompactionSetup(Struct, frozen=True):
    """How an engine compacts."""

    summarizers: "tuple[Summarizer, ...]" = ()  # asked in this order; none: the summary is made without a model
    deadline_s: float = DEADLINE_S  # for all of them together
    enabled: bool = True  # False: never, whatever the policy or the caller says
    hooks: Hooks = NO_HOOKS
    background: Background | None = None  # makes summaries early, in the background; None: requests wait for them
    is_written: bool = True  # views go into their documents; False: they are only looked at, as in a replay


class CompactOptions(Struct, frozen=True):
    """The wishes of one request's caller."""

    forced: bool = False  # compact now, whatever the threshold says
    focus: str = ""  # what the summary should pay most attention to
    summary: str = ""  # a summary that the caller wrote; no model is asked
    busy_reason: str = ""  # why the host cannot compact now: a run is active, messages are queued
    stop: "Stop | None" = None  # cancels the summary

    def with_reply(self, reply: CompactDecision) -> "CompactOptions":
        """The same with what the hook called before the compaction asks for."""
        focus = "; ".join(filter(None, (self.focus, reply.focus)))
        return replace(self, focus=focus, summary=reply.summary or self.summary)


NO_OPTIONS = CompactOptions()


def resolve_summarizers(named: Any, local_only: bool = False) -> "tuple[Summarizer, ...]":
    """The summarizers of a name, a function, a `Summarizer`, or a list of these, in order.

    A name that does not resolve fails here, when the engine is made. Raises ConfigError.
    """
    if named is None or named == ():
        return ()
    from secateur.summarizers import require_local

    every = tuple(named) if isinstance(named, list | tuple) else (named,)
    made = tuple(_resolve(value) for value in every)
    if local_only:
        require_local(made)
    return made


def _resolve(named: Any) -> "Summarizer":
    from secateur.summarizers import Function, parse

    if isinstance(named, str):
        return parse(named, window_of=get_window)[0]
    if all(hasattr(named, name) for name in ("name", "host", "window_tokens", "summarize")):
        made: Summarizer = named
        return made
    if callable(named):
        return Function(getattr(named, "__name__", "function"), named)
    raise ConfigError(f"a summarizer is a name, a function or a Summarizer, not a {type(named).__name__}")
