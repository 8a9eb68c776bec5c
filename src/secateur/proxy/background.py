"""A proxy in a thread of its own, for as long as a block of code runs.

Rule: it handles no signals and prints nothing; it stops with the block.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread

from secateur.proxy.server import RunningServer, serve
from secateur.proxy.settings import ProxySettings


@contextmanager
def start_in_thread(settings: ProxySettings) -> Iterator[RunningServer]:
    """A proxy that takes requests. Raises ConfigError if it cannot be started."""
    told: SimpleQueue[RunningServer | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            serve(settings, told.put)
        except BaseException as error:
            told.put(error)

    thread = Thread(target=run, name="secateur-proxy", daemon=True)
    thread.start()
    running = told.get()
    if isinstance(running, BaseException):
        raise running
    try:
        yield running
    finally:
        running.stop()
        thread.join()
