"""`secateur serve` as a person runs it: one line on standard output, and an end that loses nothing."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from cli_runs import environment, secateur
from proxies import ask
from raw_upstream import Wire, raw_upstream

STARTED = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"
ENDED = b"6\r\n there\r\n0\r\n\r\n"


@contextmanager
def served(folder: Path, *args: str) -> Iterator[tuple[Any, str]]:
    """A running `secateur serve`, and its address."""
    store = ["--store", f"sqlite://{folder / 'kept.db'}"]
    argv = [sys.executable, "-W", "error", "-m", "secateur", "serve", "--port", "0", *store, *args]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), process.communicate(timeout=30)
        yield process, line.removeprefix("listening on ").strip()
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to_and_prints_one_line(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path) as (process, address):
        assert ask(address, "/_secateur/health", method="GET")[0] == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_responses_in_flight_end_before_it_does(tmp_path: Path) -> None:
    go_on = Event()

    def script(wire: Wire) -> None:
        wire.send(STARTED)
        assert go_on.wait(20)
        wire.send(ENDED)

    with raw_upstream(script) as provider, served(tmp_path, "--upstream", provider.url) as (process, address):
        parts = urlsplit(address)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        connection.request("POST", "/v1/messages", b"{}")
        response = connection.getresponse()
        assert response.read(5) == b"hello"
        process.send_signal(signal.SIGTERM)
        while _accepts(parts.hostname or "", parts.port or 0):
            pass
        go_on.set()
        assert response.read() == b" there"
        connection.close()
        assert process.wait(timeout=30) == 0


def _accepts(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--host", "0.0.0.0"], "set SECATEUR_PROXY_TOKEN"),
        (["--host", "127.0.0.999"], "set SECATEUR_PROXY_TOKEN"),
        (["--upstream", "api.openai.com"], "is not an address of a provider"),
        (["--policy", "nothing-like-it"], "no policy"),
        (["--store", "nowhere"], "is not an address of a store"),
        (["--mode", "guess"], "Invalid value for '--mode'"),
        (["--port", "99999"], "Invalid value for '--port'"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(args: list[str], said: str) -> None:
    done = secateur("serve", "--port", "0", *args)
    assert (done.code, done.out) == (2, b"")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_a_host_that_cannot_be_listened_on_is_named() -> None:
    done = secateur("serve", "--port", "0", "--host", "127.0.0.999", SECATEUR_PROXY_TOKEN="s3cret")
    assert (done.code, done.out) == (2, b"")
    assert "127.0.0.999 is not an address to listen on" in done.err
    assert "s3cret" not in done.err


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = secateur("serve", "--port", taken.getsockname()[1])
    assert done.code == 2
    assert "give another --port, or 0 for any that is free" in done.err


def test_requests_are_logged_and_watched(tmp_path: Path) -> None:
    script = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
    with raw_upstream(lambda wire: wire.send(script)) as provider:  # noqa: SIM117  (the second needs the first)
        with served(tmp_path, "--log", "--upstream", provider.url) as (process, address):
            argv = [sys.executable, "-m", "secateur", "status", "--watch", "--address", address]
            watching = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment())
            assert watching.stdout is not None
            assert watching.stdout.readline().startswith("0 requests")
            assert ask(address, "/v1/messages?key=very-secret", b'{"messages": []}')[0] == 200
            assert watching.stdout.readline().startswith("1 request,")
            process.terminate()
            _, err = process.communicate(timeout=30)
            assert watching.wait(timeout=30) == 0
            watching.stdout.close()
    (line,) = err.splitlines()
    assert json.loads(line)["path"] == "/v1/messages"
    assert "very-secret" not in err


def test_a_live_line_is_drawn_on_a_terminal_and_taken_away(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "secateur", "serve", "--port", "0", "--store", f"sqlite://{tmp_path / 'kept.db'}"]
    environ = {**environment(), "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environ)
    os.close(theirs)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("listening on")
    drawn = b""
    while b"0 requests" not in drawn:
        drawn += os.read(ours, 65_536)
    process.terminate()
    assert process.wait(timeout=30) == 0
    process.stdout.close()
    with suppress(OSError):  # a terminal whose other end is closed
        while piece := os.read(ours, 65_536):
            drawn += piece
    os.close(ours)
    assert drawn.rstrip().endswith(b"\x1b[2K"), drawn[-80:]  # the line is erased
