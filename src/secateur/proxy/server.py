"""The proxy as a running server: its socket, and its end.

Rule: when asked to stop, it accepts no new connections, lets responses in flight end within a time limit, and leaves
nothing behind.
"""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any

import uvicorn
from msgspec import Struct

from secateur.errors import ConfigError
from secateur.proxy.app import ProxyApp
from secateur.proxy.http_connection import HttpConnection
from secateur.proxy.services import Services
from secateur.proxy.settings import ProxyLimits, ProxySettings
from secateur.proxy.status import Status
from secateur.proxy.workers import WorkerReports, run_workers
from secateur.stores import get_default_url

_KEEP_ALIVE_S = 75  # idle connections of clients
_BACKLOG = 2_048


class RunningServer(Struct, frozen=True):
    """A proxy that takes requests."""

    address: str  # such as http://127.0.0.1:8787
    stop: Callable[[], object]  # let responses in flight end, then return from `serve`; from any thread


def serve(settings: ProxySettings, announce: Callable[[RunningServer], None]) -> None:
    """Serve until a signal ends it, or `RunningServer.stop`. `announce` is called once, when requests are taken.

    Raises ConfigError.
    """
    listening = _listen(settings)
    try:
        if settings.workers > 1:
            if (settings.store or get_default_url()).startswith("memory:"):
                raise ConfigError("several workers need a store that they share: name another one than memory://")
            address = _name_address(settings.host, listening)
            runs = partial(_run_worker, settings, listening)
            run_workers(settings.workers, runs, lambda stop: announce(RunningServer(address, stop)))
        else:
            _run(_serve(settings, listening, announce))
    finally:
        listening.close()


def _run_worker(
    settings: ProxySettings,
    listening: socket.socket,
    reports: WorkerReports,
    say_ready: Callable[[], None],
    ends: int,
) -> None:
    """Serve as one of several processes."""

    def announce(running: RunningServer) -> None:
        def end() -> None:
            asyncio.get_running_loop().remove_reader(ends)
            running.stop()

        asyncio.get_running_loop().add_reader(ends, end)
        say_ready()

    _run(_serve(settings, listening, announce, reports))


async def _serve(
    settings: ProxySettings,
    listening: socket.socket,
    announce: Callable[[RunningServer], None],
    reports: WorkerReports | None = None,
) -> None:
    services = Services(settings, Status(settings), reports)
    server = _Server(_configure(ProxyApp(services), settings.limits))
    try:
        sharing = asyncio.create_task(services.write_numbers())
        running = asyncio.create_task(server.serve([listening]))
        while not server.started and not running.done():
            await asyncio.sleep(0.001)
        stop = partial(asyncio.get_running_loop().call_soon_threadsafe, server.handle_exit, signal.SIGTERM, None)
        announce(RunningServer(_name_address(settings.host, listening), stop))
        await running
        sharing.cancel()
    finally:
        await services.close()


def _configure(app: ProxyApp, limits: ProxyLimits) -> uvicorn.Config:
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it would print addresses, and how clients left
    return uvicorn.Config(
        app,
        http=partial(HttpConnection, limits),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # client addresses are not needed
        server_header=False,
        date_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(limits.drain_s)),
    )


class _Server(uvicorn.Server):
    """A server that ends with exit code 0 on the first signal to stop, and at once on the second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopping = asyncio.Event()

    async def main_loop(self) -> None:
        """Wait for the signal to stop."""
        await self._stopping.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal to stop."""
        super().handle_exit(sig, frame)
        self._stopping.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop by SIGINT and SIGTERM."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread, or Windows
                loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def _listen(settings: ProxySettings) -> socket.socket:
    """A socket that is bound to the address. Raises ConfigError."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, number, _, address = found[0]
        listening = socket.socket(family, kind, number)
    except OSError as error:
        raise ConfigError(f"{settings.host} is not an address to listen on: {error}") from error
    try:
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        why = f"{settings.host}:{settings.port} cannot be listened on: {error.strerror or error}"
        raise ConfigError(f"{why}; give another --port, or 0 for any that is free") from error
    listening.setblocking(False)
    return listening


def _name_address(host: str, listening: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}"


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run on the fastest event loop that is installed."""
    try:
        factory = import_module("uvloop").new_event_loop
    except ImportError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main)
