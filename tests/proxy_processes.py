"""`secateur serve` as a process of its own, forked from an interpreter that has imported the proxy once.

Each is what `python -W error -m secateur serve ...` would be, without the seconds that its imports take: tests that
start many would spend most of their time there. It is signaled, killed and waited for as any process.
"""

import gc
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pkgutil import walk_packages

import secateur
from cli_runs import environment

_IMPORTED = ("pytest", "uvloop", "uvicorn.protocols.http.httptools_impl", "secateur.cli.program", "secateur.cli.serve")
_NEEDED = ("api", "engine", "formats", "pricing", "proxy", "stages", "stores", "strategies", "usage")  # of the package
_ENDS_S = 60  # for a proxy to end after it was told to


class ServedProxy:
    """A running proxy."""

    def __init__(self, process: BaseProcess, out: Connection, err: Connection) -> None:
        self.process = process
        self._out, self._err = (os.fdopen(os.dup(one.fileno())) for one in (out, err))
        line = self._out.readline()
        assert line.startswith("listening on http://"), self.end()
        self.address = line.removeprefix("listening on ").strip()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self.process.pid is not None
        return self.process.pid

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int | None, str, str]:
        """Signal it, and wait; its exit code, and what else it printed."""
        if self.process.is_alive():
            os.kill(self.pid, number)
        self.process.join(_ENDS_S)
        return self.process.exitcode, self._out.read(), self._err.read()

    def close(self) -> None:
        """End it, if it has not ended."""
        self.end()
        for file in (self._out, self._err):
            file.close()


@contextmanager
def serve_forked(*arguments: str) -> Iterator[ServedProxy]:
    """A running `secateur serve` with these arguments."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_IMPORTED, *_list_modules()])
    out, its_out = context.Pipe(duplex=False)
    err, its_err = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(arguments, environment(), its_out, its_err))
    process.start()
    with its_out, its_err:
        pass
    with out, err:
        running = ServedProxy(process, out, err)
    try:
        yield running
    finally:
        running.close()


def _list_modules() -> list[str]:
    """The modules that a request may need, by name."""
    found = walk_packages(secateur.__path__, "secateur.")
    return [one.name for one in found if one.name.split(".")[1] in _NEEDED]


def _run(arguments: tuple[str, ...], variables: dict[str, str], out: Connection, err: Connection) -> None:
    """Be the command, and end with its exit code."""
    gc.freeze()  # what was imported is no garbage
    for number, stream in enumerate((out, err), 1):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(variables)
    warnings.simplefilter("error")
    sys.argv = ["secateur", "serve", *arguments]
    from secateur.__main__ import main

    sys.exit(main())
