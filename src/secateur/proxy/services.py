"""Shared by all exchanges of one proxy: the editor, the provider's side, threads, and later bookkeeping.

Rule: engine work runs in threads, so that no stream waits for it; bookkeeping after a response never keeps a client
waiting, and is bounded.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from secateur.answers.savings import keep_observed
from secateur.pricing import bill_answer
from secateur.proxy.asked import Asked, Edited
from secateur.proxy.callers import Tenants, read_secret
from secateur.proxy.editing import CompactingSetup, Editor, EditorLimits
from secateur.proxy.metrics import render_metrics
from secateur.proxy.refusals import Refusal
from secateur.proxy.request_record import RequestRecord
from secateur.proxy.served.offer import ServedRecall
from secateur.proxy.settings import Mode, ProxySettings
from secateur.proxy.status import Status
from secateur.proxy.traces import Tracer
from secateur.proxy.upstream import Upstream
from secateur.proxy.workers import WRITTEN_S, WorkerReports
from secateur.sessions.store_access import WAIT_S
from secateur.stores import get_default_url, open_store
from secateur.stores.memory import MemoryStore
from secateur.usage import Usage, UsageBill

_THREADS = 4
_AFTERWARDS = 64  # pieces of work after responses that wait at once; more are left out
_OBSERVED = 2_000  # requests after which the memory of `observe` is cleared; earlier if it is large

P = ParamSpec("P")
R = TypeVar("R")


class Services:
    """The services that exchanges need; created inside the event loop."""

    def __init__(self, settings: ProxySettings, status: Status, reports: WorkerReports | None = None) -> None:
        self.settings = settings
        self.status = status
        self._reports = reports  # of all workers, where there are several
        store = open_store(_make_address(settings.store or get_default_url()))
        self._store = store
        self._editors: dict[Mode, Editor] = {"prune": self._make_editor()}
        if "full" in (settings.mode, *(rule.mode for rule in settings.rules)):
            self._editors["full"] = self._make_editor(CompactingSetup(settings.summarizers))
        self.served = ServedRecall() if settings.recall == "served" else None
        self.tenants = Tenants(read_secret(store), settings.tenant, settings.is_shared)
        self._observer = self._make_observer()
        self._observed = 0
        self._removed = 0  # bytes that the observer keeps of them, about
        self._waiting = 0
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="secateur")
        self.upstream = Upstream(settings.limits)  # last: invalid settings have been reported by now
        self._afterwards: set[asyncio.Task[None]] = set()
        self._tracer = Tracer() if settings.traces else None

    def _make_editor(self, compacting: CompactingSetup | None = None) -> Editor:
        known = self.settings
        sizes = EditorLimits(known.limits.cached_bytes, known.limits.stored_bytes)
        return Editor(known.policy, self._store, known.target_tokens, compacting, sizes, known.recall)

    def _make_observer(self) -> Editor:
        known, sizes = self.settings, EditorLimits(self.settings.limits.cached_bytes // 2)
        return Editor(known.policy, MemoryStore(), known.target_tokens, limits=sizes)

    def report_status(self) -> dict[str, Any]:
        """Report what the proxy did, over all its workers."""
        own = self.status.report()
        return own if self._reports is None else self._reports.merge(own)

    def render_metrics(self) -> tuple[bytes, bytes]:
        """The same as Prometheus scrapes it: its type, and the text. Raises ImportError."""
        kind, text = render_metrics(self.status.totals, self.status.report())
        return kind, text if self._reports is None else self._reports.merge_metrics(text)

    async def write_numbers(self) -> None:
        """Publish this worker's numbers to the others, as long as it runs."""
        while self._reports is not None:
            metrics = b""
            with suppress(ImportError):
                metrics = render_metrics(self.status.totals, self.status.report())[1]
            self._reports.write(self.status.report(), metrics)
            await asyncio.sleep(WRITTEN_S)

    async def close(self) -> None:
        """Finish what is being written down, and let everything go."""
        if self._afterwards:
            await asyncio.wait(self._afterwards, timeout=self.settings.limits.drain_s)
        await self.upstream.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for editor in self._editors.values():
            editor.close()
        self._store.close()

    def get_editor(self, mode: Mode) -> Editor:
        """The editor of a mode that edits."""
        return self._editors[mode]

    async def edit(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """Run for a request, in a thread. Raises Refusal where too many requests wait for one."""
        if self._waiting >= self.settings.limits.waiting:
            raise Refusal(503, f"{self._waiting:,} requests wait to be read: try again in a moment")
        self._waiting += 1
        try:
            return await self.run(work, *args, **named)
        finally:
            self._waiting -= 1

    async def run(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """Run in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: work(*args, **named))

    def report(self, record: RequestRecord) -> None:
        """An exchange is over: count it, log it, trace it."""
        record.finish()
        self.status.note_record(record)
        if self._tracer is not None:
            self._tracer.add(record, self.settings.find_upstream(record.route.api))

    async def check_health(self) -> dict[str, Any]:
        """Whether requests reach their providers: as the last ones did, or as a connection now shows."""
        for api in self.status.list_unproven():
            self.status.note_reach(api, await self.upstream.probe(self.settings.find_upstream(api)))
        return self.status.report_health()

    def finish(self, mode: Mode, asked: Asked, edited: Edited, usage: Usage | None) -> None:
        """Write down what a request cost that was sent on as the editor made it."""
        if usage is not None:
            self.status.note_usage(asked.caller, usage)
            self._do_afterwards(lambda: self.get_editor(mode).record(asked, edited, usage))

    def finish_rounds(self, mode: Mode, asked: Asked, edited: Edited, rounds: UsageBill) -> None:
        """Write down what it cost to serve the model's read-backs."""
        self.status.note_recall_rounds(asked.caller, rounds)
        self._do_afterwards(lambda: self.get_editor(mode).record_rounds(asked, edited, rounds))

    def observe(self, understand: Callable[[], Asked], usage: Usage | None) -> None:
        """Find out what would have been done to a request that was sent as received."""

        def work() -> None:
            try:
                asked = understand()
            except Refusal as refusal:
                loop.call_soon_threadsafe(self.status.note_unread, refusal.message)
                return
            edited = self._observer.edit(asked)
            if usage is not None and edited.how == "unchanged":
                self._observer.record(asked, edited, usage)
            loop.call_soon_threadsafe(self._note_observed, asked, edited, usage)
            if (receipt := edited.receipt) is not None:
                bill = UsageBill() if usage is None else bill_answer(receipt.model, usage, receipt.at_ms)
                keep_observed(self._store.with_wait_limit(WAIT_S), edited.who, receipt, bill)

        loop = asyncio.get_running_loop()
        self._do_afterwards(work)

    def _note_observed(self, asked: Asked, edited: Edited, usage: Usage | None) -> None:
        caller, raw_bytes = asked.caller, len(asked.body)
        self.status.note_request(caller, edited, "observe")
        if usage is not None:
            self.status.note_usage(caller, usage)
        self._observed += 1
        if edited.receipt is not None and edited.receipt.opened:
            self._removed += raw_bytes - len(edited.body)
        if self._observed >= _OBSERVED or self._removed > self.settings.limits.cached_bytes // 2:
            self._observed = self._removed = 0
            self._observer = self._make_observer()

    def _do_afterwards(self, work: Callable[[], None]) -> None:
        if len(self._afterwards) >= _AFTERWARDS:
            self.status.left_out += 1
            return
        task = asyncio.get_running_loop().create_task(self._finish(work))
        self._afterwards.add(task)
        task.add_done_callback(self._afterwards.discard)

    async def _finish(self, work: Callable[[], None]) -> None:
        with suppress(Exception):  # the client has its response; nothing of ours may follow
            await self.run(work)


def _make_address(url: str) -> str:
    """The address of a store that does not wait for the disk with each request.

    A power failure may then lose the last epochs, which are decided again; what they removed is in the client's
    history.
    """
    return f"{url}?synchronous=normal" if url.startswith("sqlite:") and "?" not in url else url
