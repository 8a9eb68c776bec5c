"""A running proxy: the real server, in a thread of its own, in front of upstreams that a test starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Thread
from typing import Any

from secateur.proxy.server import Running, serve
from secateur.proxy.settings import Limits, ProxySettings


@contextmanager
def proxy(upstream: str, limits: dict[str, Any] | None = None, **settings: Any) -> Iterator[str]:
    """The address of a proxy that sends everything to one upstream."""
    upstreams = dict.fromkeys(("anthropic", "openai", "gemini"), upstream)
    told: Queue[Running | BaseException] = Queue()
    made = ProxySettings(**{"upstreams": upstreams, "limits": Limits(**(limits or {})), **settings})

    def run() -> None:
        try:
            serve(made, told.put)
        except BaseException as error:
            told.put(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    running = told.get(timeout=30)
    if isinstance(running, BaseException):
        raise running
    try:
        yield running.address
    finally:
        running.stop()
        thread.join(timeout=30)
        assert not thread.is_alive()
