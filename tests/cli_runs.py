"""The command line as a person runs it: in a process of its own, with its output; and small documents to run it on.

`secateur` forks an interpreter that has imported the command line already (see cli_server.py); `afresh` starts a new
interpreter. Both give the same for the same arguments. `write_command` makes a program that does as one of them.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from select import select
from shlex import quote
from socket import send_fds, socketpair
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO, cast

from msgspec import Struct

from native import Native, calls, named, pi_call, pi_result, pi_session, tool, user

LONG = "\n".join(f"line {number} of an output that nobody needs any more" for number in range(400))


class Done(Struct, frozen=True):
    """How a command ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)


def secateur(*args: object, stdin: bytes = b"", **env: str) -> Done:
    """Run `python -m secateur ARGS`: no terminal, 80 columns, warnings are errors."""
    if sys.platform == "win32" or any(name.startswith(("PYTHON", "LC_")) for name in env):  # read as Python starts
        return afresh(*args, stdin=stdin, **env)
    return _fork(_find_server(), args, environment(**env), stdin)


def secateur_in(folder: Path, environment: Mapping[str, str], *args: object, seconds: int = 60) -> Done:
    """The same in this folder, and in this environment alone."""
    return _fork(_find_server(), args, environment, b"", folder, seconds)


def secateur_on(terminal: BinaryIO, environment: Mapping[str, str], *args: object, seconds: int = 60) -> int:
    """The exit code of a run whose output and errors go to this terminal, in this environment alone."""
    with _written(_describe(args, environment, None)) as asked, _written(b"") as given:
        return _find_server().run(seconds, asked, given, terminal, terminal)


def without(package: str, *args: object) -> Done:
    """The same where a package is not installed."""
    return _fork(_find_server(package), args, environment(), b"")


def _fork(
    server: "_Server",
    args: tuple[object, ...],
    environment: Mapping[str, str],
    stdin: bytes,
    folder: Path | None = None,
    seconds: int = 60,
) -> Done:
    request = _describe(args, environment, folder)
    with _written(request) as asked, _written(stdin) as given, TemporaryFile() as out, TemporaryFile() as err:
        code = server.run(seconds, asked, given, out, err)
        return Done(code, _read(out), _read(err).decode())


def _describe(args: tuple[object, ...], environment: Mapping[str, str], folder: Path | None) -> bytes:
    """A run, as cli_server.py is asked for it."""
    where = str(folder or Path.cwd())
    return json.dumps({"arguments": [*map(str, args)], "environment": dict(environment), "folder": where}).encode()


def _written(data: bytes) -> BinaryIO:
    file = cast(BinaryIO, TemporaryFile())  # noqa: SIM115  # who asks for it closes it
    file.write(data)
    file.seek(0)
    return file


def afresh(*args: object, stdin: bytes = b"", **env: str) -> Done:
    """The same in a new interpreter."""
    argv = [sys.executable, "-W", "error", "-m", "secateur", *map(str, args)]
    ran = subprocess.run(argv, input=stdin, capture_output=True, timeout=60, check=False, env=environment(**env))
    return Done(ran.returncode, ran.stdout, ran.stderr.decode())


def write_command(path: Path, *, is_forked: bool) -> tuple[int, ...]:
    """A program that runs `python -m secateur ARGS`; the files that are to be passed on to it.

    Forked are commands that end by themselves, where processes can be forked; others start a new interpreter, and so do
    those that are to find packages of their own (another `PYTHONPATH`).
    """
    text = f'exec "{sys.executable}" -W error -m secateur "$@"\n'
    files: tuple[int, ...] = ()
    if is_forked and sys.platform != "win32":
        files = (_find_server().channel.fileno(),)
        client = f'"{sys.executable}" -I -S "{Path(__file__).with_name("cli_client.py")}" {files[0]}'
        ours = quote(os.environ.get("PYTHONPATH", ""))
        forked = f'case "$1" in serve|run|mcp|bridge) ;; *) exec {client} "$@" ;; esac'
        text = f'[ "$PYTHONPATH" != {ours} ] || {forked}\n{text}'
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return files


def _read(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


class _Server:
    """A running cli_server.py."""

    def __init__(self, *missing: str) -> None:
        self.channel, theirs = socketpair()
        with theirs:
            program = Path(__file__).with_name("cli_server.py")
            argv = [sys.executable, "-W", "error", str(program), str(theirs.fileno()), *missing]
            none = subprocess.DEVNULL
            self.process = subprocess.Popen(
                argv, env=environment(), pass_fds=[theirs.fileno()], stdin=none, stdout=none, start_new_session=True
            )

    def run(self, seconds: int, *files: BinaryIO) -> int:
        """The exit code of a run that reads and writes these files. Threads may call this at the same time."""
        answer, reply = os.pipe()
        try:
            try:
                send_fds(self.channel, [b"."], [*(file.fileno() for file in files), reply])
            finally:
                os.close(reply)
            if not select([answer], [], [], seconds)[0]:
                _server.cache_clear()
                self.end()
                raise TimeoutError(f"a run has not ended in {seconds} s")
            said = os.read(answer, 8)
        finally:
            os.close(answer)
        assert said, "cli_server.py has ended; what it said is above"
        return int(said)

    def end(self) -> None:
        """Stop it, and the runs that have not ended."""
        self.channel.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_starting = Lock()


def _find_server(*missing: str) -> _Server:
    with _starting:  # one for all threads
        return _server(*missing)


@cache
def _server(*missing: str) -> _Server:
    server = _Server(*missing)
    atexit.register(server.end)
    return server


def environment(**more: str) -> dict[str, str]:
    """The environment of a run."""
    mine = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "SECATEUR_DEBUG")
    }
    return mine | {"COLUMNS": "80", "LC_ALL": "C.UTF-8"} | more


def chat(*messages: Native, **more: Any) -> bytes:
    """A Chat Completions body."""
    return json.dumps({"model": "gpt-5", "messages": list(messages)} | more, indent=1).encode()


def worked(*outputs: str) -> list[Native]:
    """Four turns with two calls in each of the first two; `outputs` are what the four calls brought."""
    one, two, three, four = outputs
    return [
        user("fix the login"),
        calls(("c1", "read"), ("c2", "bash")),
        tool(one, "c1"),
        tool(two, "c2"),
        user("and the logout"),
        calls(("c3", "read"), ("c4", "skill")),
        tool(three, "c3"),
        tool(four, "c4"),
        user("now the tests"),
        user("and the docs"),
    ]


def pi_worked() -> bytes:
    """A Pi session in which three long outputs are older than the last two turns, and one is newer."""
    return pi_session(
        [
            user("fix the login"),
            pi_call("c1", "read", path="a.py"),
            pi_result("c1", LONG, "read"),
            pi_call("c2", "bash", command="ls"),
            pi_result("c2", LONG, "bash"),
            pi_call("c3", "skill", topic="docs"),
            pi_result("c3", LONG, "skill"),
            user("and the logout"),
            pi_call("c4", "read", path="b.py"),
            pi_result("c4", LONG, "read"),
            user("thanks"),
        ]
    )


def saved(folder: Path, data: bytes, name: str = "session.jsonl") -> Path:
    """The document as a file."""
    path = folder / name
    path.write_bytes(data)
    return path


def own_shape(*texts: str) -> bytes:
    """A list of messages whose results name their tool in `metadata`."""
    return json.dumps(
        [user("1"), *(named(text, "bash", time={"x": 1}) for text in texts), user("2"), user("3")]
    ).encode()
