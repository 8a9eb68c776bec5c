"""An interpreter that has imported the command line and forks once per run, so that a run does not pay for the imports.

    python -W error cli_server.py CHANNEL [MISSING ...]

CHANNEL is the number of an open socket; packages that are named as MISSING cannot be imported. Each message on the
socket carries four files: the request (arguments, environment and folder, as JSON) and the standard streams of the run;
the answer is the exit code. Each run is a process of its own that starts where `python -m secateur` starts and ends as
any program does; what it shares with the others is the hash seed.
"""

import gc
import json
import os
import runpy
import sys
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
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
    while True:
        _, files, _, _ = recv_fds(channel, 1, 4)
        if not files:  # whoever asked has ended
            os._exit(0)
        pid = os.fork()
        if not pid:
            channel.close()
            become(*files)
            return
        for file in files:
            os.close(file)
        channel.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def become(request: int, *streams: int) -> None:
    """Take on the arguments, the environment, the folder and the streams of a run."""
    with open(request, "rb") as file:
        asked = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv[1:] = asked["arguments"]
    sys.path[0] = asked["folder"]


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # as `python -m` has it, and not this folder
    sys.modules.update(dict.fromkeys(sys.argv[2:]))  # type: ignore[arg-type]  # None stands for what is not there
    load()
    serve(socket(fileno=int(sys.argv[1])))
    runpy.run_module("secateur", run_name="__main__", alter_sys=True)
