"""Progress on standard error: a spinner, or a bar.

Rule: nothing is shown for short work or without a terminal, and nothing remains on the screen.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from secateur.cli.output.terminal import clean, make_console

_PATIENCE_S = 2.0  # shorter work needs no progress display


@contextmanager
def show_work(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done, once it takes long. Yields a function that changes the text."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    job = _Spinner(what)
    try:
        yield job.rename
    finally:
        job.stop()


@contextmanager
def show_count(what: str, whole: int) -> Iterator[Callable[[str], None]]:
    """Show a bar of how much is done, once it takes long. Yields a function that counts one more."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = Progress(*columns, console=make_console(err=True), transient=True)
    bar = shown.add_task(what, total=whole)
    timer = threading.Timer(_PATIENCE_S, shown.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda name: shown.update(bar, advance=1, description=f"{what} {clean(name)[-40:]}")
    finally:
        timer.cancel()
        timer.join()  # it may be starting the display just now
        shown.stop()


class _Spinner:
    """A line with a spinner and the elapsed time."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._since = time.monotonic()
        self._lock = threading.Lock()
        self._over = False
        self._status: Any = None
        self._timer = threading.Timer(_PATIENCE_S, self._show_spinner)
        self._timer.daemon = True
        self._timer.start()

    def rename(self, what: str) -> None:
        self._what = what

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def _show_spinner(self) -> None:
        from rich.live import Live
        from rich.spinner import Spinner

        with self._lock:
            if self._over:
                return
            spinner = Spinner("dots")
            self._status = Live(
                get_renderable=lambda: self._draw_spinner(spinner), transient=True, console=make_console(err=True)
            )
            self._status.start()

    def _draw_spinner(self, spinner: Any) -> Any:
        spinner.update(text=f"{clean(self._what)} ({int(time.monotonic() - self._since)} s)")
        return spinner
