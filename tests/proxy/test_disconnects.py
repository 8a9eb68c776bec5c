"""A client that hangs up: its request is called off at once, whatever phase it is in, and nothing of it stays."""

import socket
from threading import Event
from urllib.parse import urlsplit

import pytest

from agent_requests import anthropic_body
from proxies import ask, proxy, read_status
from raw_upstream import Wire, raw_upstream

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
REQUEST = b"POST %b HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
MODES = ["observe", "prune"]


def connect(address: str) -> socket.socket:
    """A connection of a client."""
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def settled(address: str) -> dict:
    """What the proxy says once nothing but this question is in flight."""
    for _ in range(2_000):
        if (status := read_status(address))["active"] == 1:
            assert status["held_bytes"] == 0
            return status
    raise AssertionError("a request is still in flight")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", [b"/v1/messages", b"/v1/files"])
def test_before_the_response_begins(path: bytes, mode: str) -> None:
    came, ended = Event(), Event()

    def script(wire: Wire) -> None:
        came.set()
        assert wire.sees_end()
        ended.set()

    with raw_upstream(script) as provider, proxy(provider.url, mode=mode) as address:
        client = connect(address)
        client.sendall(REQUEST % (path, 2, b"{}"))
        assert came.wait(20)
        client.close()
        assert ended.wait(20)
        assert settled(address)["disconnected"] == 1


@pytest.mark.parametrize("mode", MODES)
def test_while_the_response_streams(mode: str) -> None:
    ended = Event()

    def script(wire: Wire) -> None:
        wire.send(HEAD + b"5\r\nhello\r\n")
        assert wire.sees_end()
        ended.set()

    with raw_upstream(script) as provider, proxy(provider.url, mode=mode) as address:
        client = connect(address)
        client.sendall(REQUEST % (b"/v1/messages", 2, b"{}"))
        data = b""
        while b"hello" not in data:
            data += client.recv(65_536)
        client.close()
        assert ended.wait(20)
        assert settled(address)["disconnected"] == 1


@pytest.mark.parametrize("path", [b"/v1/messages", b"/v1/files"])
def test_before_the_request_is_complete(path: bytes) -> None:
    with raw_upstream(lambda wire: None) as provider, proxy(provider.url) as address:
        client = connect(address)
        client.sendall(REQUEST % (path, 5_000, b"{"))
        client.close()
        settled(address)
        assert ask(address, "/_secateur/health", method="GET")[0] == 200
    if path == b"/v1/messages":
        assert provider.wires == []


def test_a_client_that_does_not_read_holds_its_provider_back() -> None:
    most, sent = 64 * 1024 * 1024, [0]
    piece = b"x" * 65_536
    blocked = Event()

    def script(wire: Wire) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % most)
        wire.connection.settimeout(0.5)
        try:
            while sent[0] < most:
                sent[0] += wire.connection.send(piece)
        except TimeoutError:
            blocked.set()

    with raw_upstream(script) as provider, proxy(provider.url) as address:
        client = connect(address)
        client.sendall(REQUEST % (b"/v1/messages", 2, b"{}"))
        assert blocked.wait(20), f"{sent[0]} bytes are held for a client that reads none"
        client.close()
        settled(address)


def test_while_announcements_are_held_back() -> None:
    came, ended = Event(), Event()

    def script(wire: Wire) -> None:
        event = b'event: response.created\ndata: {"type": "response.created"}\n\n'
        wire.send(HEAD + b"%x\r\n%b\r\n" % (len(event), event))
        came.set()
        assert wire.sees_end()
        ended.set()

    with raw_upstream(script) as provider, proxy(provider.url, mode="prune") as address:
        client = connect(address)
        client.sendall(REQUEST % (b"/v1/responses", 2, b"{}"))
        assert came.wait(20)
        client.close()
        assert ended.wait(20)
        assert settled(address)["disconnected"] == 1


def test_while_a_cut_request_is_on_its_way() -> None:
    refused, again, ended = Event(), Event(), Event()
    refusal = b'{"error": {"message": "prompt is too long: 214538 tokens > 200000 maximum"}}'

    def script(wire: Wire) -> None:
        if not refused.is_set():
            refused.set()
            head = b"HTTP/1.1 400 Bad Request\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
            wire.send(head % len(refusal) + refusal)
            return
        again.set()
        assert wire.sees_end()
        ended.set()

    body = anthropic_body(40)
    with raw_upstream(script) as provider, proxy(provider.url, mode="prune") as address:
        client = connect(address)
        client.sendall(REQUEST % (b"/v1/messages", len(body), body))
        assert again.wait(20)
        client.close()
        assert ended.wait(20)
        assert settled(address)["disconnected"] == 1
