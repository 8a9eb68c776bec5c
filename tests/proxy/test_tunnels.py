"""WebSockets pass untouched once a client asked for one; a WebSocket on Responses is refused."""

import socket
import struct
import time
from base64 import b64encode
from threading import Event
from urllib.parse import urlsplit

import pytest

from proxies import proxy, read_status
from raw_upstream import Wire, raw_upstream

ASK = (
    b"GET %b HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive, Upgrade\r\nupgrade: websocket\r\n"
    b"x-secateur-token: t\r\nauthorization: Bearer k\r\nsec-websocket-key: abc\r\n\r\n"
)
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"
FRAMES = bytes(range(256)) * 2_000


def connect(address: str, path: bytes) -> socket.socket:
    """A client that has asked for a WebSocket."""
    parts = urlsplit(address)
    client = socket.create_connection((parts.hostname, parts.port), timeout=20)
    client.sendall(ASK % path)
    return client


def receive(client: socket.socket, count: int) -> bytes:
    """So many bytes."""
    data = b""
    while len(data) < count and (piece := client.recv(65_536)):
        data += piece
    return data


def test_bytes_pass_both_ways_until_the_client_ends_it() -> None:
    ended = Event()

    def script(wire: Wire) -> None:
        wire.send(SWITCH)
        wire.send(receive(wire.connection, len(FRAMES))[::-1])
        assert wire.sees_end()
        ended.set()

    with raw_upstream(script) as provider, proxy(f"{provider.url}/base", token="t") as address:
        client = connect(address, b"/v1/realtime?model=m%20n")
        assert receive(client, len(SWITCH)) == SWITCH
        client.sendall(FRAMES)
        assert receive(client, len(FRAMES)) == FRAMES[::-1]
        client.close()
        assert ended.wait(20)
    head = provider.wires[0].head
    assert head.startswith(b"GET /base/v1/realtime?model=m%20n HTTP/1.1\r\n")
    assert b"upgrade: websocket" in head
    assert b"authorization: Bearer k" in head
    assert b"x-secateur" not in head


def test_the_provider_ends_it_and_may_refuse_it() -> None:
    refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno"
    with raw_upstream(lambda wire: wire.send(refusal)) as provider, proxy(provider.url) as address:
        client = connect(address, b"/v1/realtime")
        assert receive(client, 1_000) == refusal
        client.close()
        assert read_status(address)["active"] == 1
    assert len(provider.wires) == 1


def test_the_proxy_of_the_environment_is_asked_for_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def script(wire: Wire) -> None:
        if b"refused.invalid" in wire.head:
            wire.send(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            return
        wire.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        asked.append(wire.connection.recv(65_536))
        wire.send(SWITCH + b"hello")

    with raw_upstream(script) as between:
        monkeypatch.setenv("http_proxy", between.url.replace("//", "//me:p%40ss@"))
        monkeypatch.delenv("no_proxy", raising=False)
        with proxy("http://provider.invalid/base") as address:
            client = connect(address, b"/v1/realtime")
            assert receive(client, len(SWITCH) + 5) == SWITCH + b"hello"
            client.close()
        with proxy("http://refused.invalid") as address:
            client = connect(address, b"/v1/realtime")
            assert receive(client, 12)[:12] == b"HTTP/1.1 502"
            client.close()
    head = between.wires[0].head
    assert head.startswith(b"CONNECT provider.invalid:80 HTTP/1.1\r\n")
    assert b"proxy-authorization: Basic " + b64encode(b"me:p@ss") in head
    assert asked[0].startswith(b"GET /base/v1/realtime HTTP/1.1\r\nhost: provider.invalid\r\n")


def test_clients_that_leave_while_they_are_connected_leave_no_tunnel() -> None:
    with raw_upstream(lambda wire: wire.sees_end() and None) as provider, proxy(provider.url) as address:
        for _ in range(10):
            client = connect(address, b"/v1/realtime")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
            client.close()
        until = time.monotonic() + 10
        while read_status(address)["active"] > 1 and time.monotonic() < until:
            time.sleep(0.02)
        assert read_status(address)["active"] == 1


def test_what_a_provider_never_takes_holds_no_tunnel() -> None:
    taken, told = Event(), Event()

    def script(wire: Wire) -> None:
        wire.send(SWITCH)
        taken.wait(20)
        wire.connection.shutdown(socket.SHUT_WR)  # it ends its side, and still reads nothing
        told.wait(20)

    with raw_upstream(script) as provider, proxy(provider.url, {"connect_s": 0.2}) as address:
        client = connect(address, b"/v1/realtime")
        receive(client, len(SWITCH))
        client.settimeout(0.5)
        try:
            while True:
                client.sendall(FRAMES)
        except TimeoutError:
            taken.set()
        until = time.monotonic() + 10
        while read_status(address)["active"] > 1 and time.monotonic() < until:
            time.sleep(0.02)
        assert read_status(address)["active"] == 1
        told.set()
        client.close()


def test_a_provider_that_is_not_there_and_responses_are_refused_in_http() -> None:
    with raw_upstream(lambda wire: None) as provider:
        url = provider.url
    with proxy(url) as address:
        for path, status in ((b"/v1/realtime", b"502"), (b"/v1/responses", b"426")):
            client = connect(address, path)
            assert receive(client, 12)[:12] == b"HTTP/1.1 " + status
            client.close()
