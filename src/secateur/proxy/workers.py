"""Several processes that serve one port: started, replaced and ended together; and their numbers, taken together.

Rule: the process that was started serves nothing itself. It opens the port, forks the workers, and replaces one that
dies; when it is gone, they end. Sessions are shared by the store alone. Each worker writes its numbers into a folder of
the proxy's own once a second, so that whichever is asked answers for all.
"""

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from secateur.errors import ConfigError

WRITTEN_S = 1.0  # how often a worker writes its numbers
_QUICK_S = 1.0  # a worker that lived for less was not well when it began
_MOST_QUICK = 5  # quick ends in a row, after which restarting is useless
_SESSIONS = 500
_NOW = ("active", "held_bytes")  # what ends with its worker
_SUMS = ("requests", "answered", "refused", "disconnected", "broken", "cut", "failed", "left_out")
_ROUNDS = ("recall_rounds", "recall_tokens", "recall_dollars")
_SESSION_SUMS = (
    *("requests", "failed", "epochs", "tokens_raw", "tokens_saved", "saved_dollars", "cost_dollars"),
    *("input_tokens", "read_tokens", "write_tokens", "output_tokens"),
    *_ROUNDS,
)
_SESSION_TOTALS = ("tokens_saved", "saved_dollars", "cost_dollars", *_ROUNDS)

Runs = Callable[["WorkerReports", Callable[[], None], int], None]


def run_workers(count: int, runs: Runs, announce: Callable[[Callable[[], object]], None]) -> None:
    """Run this many workers until a signal ends them. `announce` receives the function that stops them, once all are
    ready.

    `runs` is what a worker does: its arguments are where numbers are shared, the function to call when it is ready, and
    a file descriptor that is readable when the worker should end. Raises ConfigError if a worker cannot be started.
    """
    if not hasattr(os, "fork"):
        raise ConfigError("several workers need a system that can fork: leave out --workers")
    with tempfile.TemporaryDirectory(prefix="secateur-workers-") as folder:
        _Supervisor(runs, Path(folder)).run(count, announce)


class _Supervisor:
    """The process above the workers."""

    def __init__(self, runs: Runs, folder: Path) -> None:
        self._runs = runs
        self._folder = folder
        self._alive = os.pipe()  # nothing writes to it: it closes with this process
        self._begun: dict[int, float] = {}  # by process, by the clock of `time.monotonic`
        self._stopping = False
        self._quick = 0

    def run(self, count: int, announce: Callable[[Callable[[], object]], None]) -> None:
        """Start the workers, and watch over them."""
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            wrong = [self._start() for _ in range(count)]
            if any(wrong):
                self._stop()
            elif not self._stopping:
                announce(lambda: os.kill(os.getpid(), signal.SIGTERM))
            while self._begun:
                self._replace(os.wait()[0])
            if said := "".join(wrong[:1]) or next(filter(None, wrong), ""):
                raise ConfigError(said)
        finally:
            for end in self._alive:
                os.close(end)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _start(self) -> str:
        """Start a worker, and wait until it takes requests; what went wrong, or ""."""
        read, write = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if not pid:
            os.close(read)
            self._run_worker(write)
        os.close(write)
        self._begun[pid] = time.monotonic()
        if self._stopping:
            self._tell(pid)
        with os.fdopen(read) as told:
            said = told.read()
        return "" if said == "." else said or "a worker ended before it took requests"

    def _run_worker(self, write: int) -> None:
        """Be a worker, and end with it."""
        code = 0
        try:
            os.setpgid(0, 0)  # else it would get a terminal's signal, and its parent's as well
            os.close(self._alive[1])
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)

            def say_ready() -> None:
                os.write(write, b".")
                os.close(write)

            self._runs(WorkerReports(self._folder), say_ready, self._alive[0])
        except BaseException as error:
            code = 1
            with suppress(OSError):
                os.write(write, (str(error) or type(error).__name__).encode("utf-8", "replace"))
        os._exit(code)

    def _replace(self, pid: int) -> None:
        """A worker is gone: start another, unless all are to end."""
        begun = self._begun.pop(pid, None)
        if begun is None or self._stopping:
            return
        self._quick = self._quick + 1 if time.monotonic() - begun < _QUICK_S else 0
        if self._quick >= _MOST_QUICK:
            self._stop()
            return
        time.sleep(_QUICK_S if self._quick else 0)
        self._start()

    def _stop(self, *_: Any) -> None:
        self._stopping = True
        for pid in list(self._begun):
            self._tell(pid)

    def _tell(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


class WorkerReports:
    """The reports of one proxy's workers, in a folder that they share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = ""

    def write(self, report: dict[str, Any], metrics: bytes) -> None:
        """Write this worker's numbers, and the same as Prometheus scrapes them."""
        told = {name: value for name, value in report.items() if name != "uptime_s"}
        text = json.dumps({**told, "metrics": metrics.decode()})
        if text != self._written:
            path = self._folder / f"{os.getpid()}.json"
            new = path.with_suffix(".new")
            new.write_text(text)
            new.replace(path)
            self._written = text

    def merge(self, own: dict[str, Any]) -> dict[str, Any]:
        """The numbers of all workers, those that are gone among them."""
        others = [one for one in self._read() if one["pid"] != own["pid"]]
        alive = [own, *(one for one in others if _is_running(one["pid"]))]
        merged = {**own, "pid": os.getppid(), "workers": sorted(one["pid"] for one in alive)}
        merged |= {name: sum(one[name] for one in alive) for name in _NOW}
        merged |= {name: sum(one[name] for one in (own, *others)) for name in _SUMS}
        merged["last_error"] = own["last_error"] or next((one["last_error"] for one in others if one["last_error"]), "")
        sessions = _merge_sessions(row for one in (own, *others) for row in one["sessions"])
        merged |= {name: round(sum(row[name] for row in sessions), 6) for name in _SESSION_TOTALS}
        merged["subscription"] = any(row["subscription"] for row in sessions)
        return {**merged, "sessions": sessions}

    def merge_metrics(self, own: bytes) -> bytes:
        """The samples of all workers, added up by their names and labels."""
        texts = [own.decode(), *(one["metrics"] for one in self._read() if one["pid"] != os.getpid())]
        samples: dict[str, str | float] = {}
        for text in texts:
            for line in text.splitlines():
                name, _, value = line.rpartition(" ")
                if line.startswith("#") or not name:
                    samples.setdefault(line, line)
                else:
                    samples[name] = float(value) + float(samples.get(name, 0))
        lines = (name if isinstance(value, str) else f"{name} {value!r}" for name, value in samples.items())
        return ("\n".join(lines) + "\n").encode()

    def _read(self) -> list[dict[str, Any]]:
        found = []
        for path in sorted(self._folder.glob("*.json")):
            with suppress(OSError, ValueError):
                found.append(json.loads(path.read_text()))
        return found


def _merge_sessions(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each session, the last used first."""
    merged: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in sorted(rows, key=lambda one: one["last_at"]):
        key = (row["tenant"], row["session"], row["client"])
        before = merged.pop(key, {})
        merged[key] = {**row, **{name: round(row[name] + before.get(name, 0), 6) for name in _SESSION_SUMS}}
    return list(reversed(merged.values()))[:_SESSIONS]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
