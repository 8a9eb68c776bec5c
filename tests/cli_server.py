"""An interpreter that has imported the command line and forks once per run, so that a run does not pay for the imports.

    python -W error cli_server.py CHANNEL [MISSING ...]

CHANNEL is the number of an open socket; packages that are named as MISSING cannot be imported. Each message on the
socket carries five files: the request (arguments, environment and folder, as JSON), the standard streams of the run,
and a pipe that takes the exit code. Each run is a process of its own that starts where `python -m secateur` starts and
ends as any program does, but for taking apart what was imported, beside other runs; what it shares with them is the
hash seed.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pkgutil import walk_packages
from select import select
from socket import recv_fds, socket


def load() -> None:
    """Import every module that the command line may use and that can be imported here; extras may be missing."""
    import secateur

    for found in walk_packages(secateur.__path__, "secateur."):
        if not found.name.endswith("__main__") and not found.name.startswith("secateur.adapters."):
            with suppress(ImportError):
                import_module(found.name)
    gc.freeze()  # a run that ends does not look through all this for garbage: 0.05 s of processor time, not 0.2


def serve(channel: socket) -> None:
    """Fork for each request; return in the child, ready to run, and never in the parent."""
    replies: dict[int, int] = {}  # by the process whose exit code they take
    ends, wakes = os.pipe()  # readable when a process has ended
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select([channel, ends], [], [])
        if ends in ready:
            os.read(ends, 4_096)
            report(replies)
        if channel not in ready:
            continue
        _, files, _, _ = recv_fds(channel, 1, 5)
        if not files:  # whoever asked has ended
            os._exit(0)
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            channel.close()
            for file in (ends, wakes, files.pop(), *replies.values()):
                os.close(file)
            become(*files)
            return
        replies[pid] = files.pop()
        for file in files:
            os.close(file)


def report(replies: dict[int, int]) -> None:
    """Answer for the runs that have ended."""
    while replies:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        reply = replies.pop(pid)
        with suppress(BrokenPipeError):  # nobody waits for it any more
            os.write(reply, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(reply)


def become(request: int, *streams: int) -> None:
    """Take on the arguments, the environment, the folder and the streams of a run."""
    with open(request, "rb") as file:
        asked = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
        renew(("stdin", "stdout", "stderr")[number], number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv[1:] = asked["arguments"]
    sys.path[0] = asked["folder"]


def renew(name: str, number: int) -> None:
    """Open a standard stream again, as it would be at the start: a file can be sought in, a pipe cannot."""
    old = getattr(sys, name)
    buffered = os.fdopen(number, "rb" if name == "stdin" else "wb", closefd=False)
    more = {"encoding": old.encoding, "errors": old.errors, "line_buffering": buffered.isatty() or old.line_buffering}
    setattr(sys, name, TextIOWrapper(buffered, **more))
    setattr(sys, f"__{name}__", getattr(sys, name))


def end(code: int) -> None:
    """End with this exit code, but do not take apart what was imported before the fork: most of a short run's time.

    Threads, exit handlers, unreachable values and the streams are seen to first, as at any end. Return if a stream
    cannot be written: then the interpreter says so.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # as `python -m` has it, and not this folder
    sys.modules.update(dict.fromkeys(sys.argv[2:]))  # type: ignore[arg-type]  # None stands for what is not there
    load()
    serve(socket(fileno=int(sys.argv[1])))
    try:
        runpy.run_module("secateur", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, int):
            end(ended.code)
        raise
