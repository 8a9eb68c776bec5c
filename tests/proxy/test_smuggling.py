"""Requests that two servers could read in two ways are refused before anything of them is sent on."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from proxies import proxy, read_status
from upstream import Upstream, says, upstream

HOST = b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n"
AMBIGUOUS = {
    "two lengths": HOST + b"content-length: 2\r\ncontent-length: 40\r\n\r\n{}",
    "two lengths in one": HOST + b"content-length: 2, 40\r\n\r\n{}",
    "length and chunks": HOST + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": HOST + b"transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n0\r\n\r\n",
    "a negative length": HOST + b"content-length: -2\r\n\r\n{}",
    "a length with a sign": HOST + b"content-length: +2\r\n\r\n{}",
    "a length in hexadecimal": HOST + b"content-length: 0x2\r\n\r\n{}",
    "an unknown transfer coding": HOST + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunks that are not last": HOST + b"transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "a space before the colon": HOST + b"content-length : 2\r\n\r\n{}",
    "a name with a space": HOST + b"transfer encoding: chunked\r\n\r\n0\r\n\r\n",
    "a folded header": HOST + b"x-a: b\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "a null byte": HOST + b"x-a: b\0c\r\ncontent-length: 2\r\n\r\n{}",
    "a bare carriage return": HOST + b"x-a: b\rtransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n{}",
    "a chunk size that is no number": HOST + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "a chunk size that overflows": HOST + b"transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "a chunk without its end": HOST + b"transfer-encoding: chunked\r\n\r\n2\r\n{}X0\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
    "another version": b"POST /v1/messages HTTP/9.7\r\nhost: localhost\r\n\r\n",
}


@pytest.fixture(scope="module")
def provider() -> Iterator[Upstream]:
    with upstream(says(200, "{}")) as running:
        yield running


@pytest.fixture(scope="module")
def address(provider: Upstream) -> Iterator[str]:
    with proxy(provider.url) as running:
        yield running


def exchange(address: str, data: bytes) -> bytes:
    """All that the proxy says to these bytes, until it closes the connection."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as client:
        try:
            client.sendall(data)
            said = b""
            while piece := client.recv(65_536):
                said += piece
        except ConnectionResetError:
            return said
    return said


@pytest.mark.parametrize("data", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_refused(provider: Upstream, address: str, data: bytes) -> None:
    said = exchange(address, data)
    status = read_status(address)
    assert said.startswith(b"HTTP/1.1 400") or said == b"", said
    assert provider.paths == []
    assert status["active"] == 1


@pytest.mark.parametrize("method", [b"GET", b"POST", b"OPTIONS"])
def test_a_target_reaches_no_other_host(provider: Upstream, address: str, method: bytes) -> None:
    upgrade = b"connection: close, upgrade\r\nupgrade: websocket\r\n\r\n"
    with upstream(says(200, "{}")) as other:
        for target in (b"*", b"*@" + other.url.removeprefix("http://").encode() + b"/v1/messages"):
            for rest in (b"connection: close\r\n\r\n", upgrade):
                said = exchange(address, method + b" " + target + b" HTTP/1.1\r\nhost: localhost\r\n" + rest)
                assert said.startswith(b"HTTP/1.1 400"), said
    assert other.requests == []
    assert provider.paths == []


def test_a_second_request_behind_the_first_is_a_request_of_its_own() -> None:
    first = HOST + b"content-length: 2\r\n\r\n{}"
    second = b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    with upstream(says(200, "{}")) as provider, proxy(provider.url, limits={"header_s": 20.0}) as address:
        said = exchange(address, first + second)
    assert said.count(b"HTTP/1.1 ") == 2
    assert provider.paths == ["/v1/messages"]  # the scripted provider takes nothing but POST
    assert provider.bodies == ["{}"]


@pytest.mark.parametrize(
    "data",
    [
        HOST + b"".join(b"x-%d: %b\r\n" % (number, b"a" * 100) for number in range(1_000)) + b"\r\n",
        HOST + b"x-a: " + b"a" * 200_000,
        b"POST /" + b"a" * 200_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ],
    ids=["many", "one without an end", "a long address"],
)
def test_headers_without_an_end_are_refused(provider: Upstream, address: str, data: bytes) -> None:
    said = exchange(address, data)
    assert said.startswith(b"HTTP/1.1 431") or said == b"", said[:100]
    assert provider.paths == []


def test_a_client_that_does_not_end_its_headers_is_not_waited_for() -> None:
    with upstream(says(200, "{}")) as provider, proxy(provider.url, limits={"header_s": 0.2}) as address:
        assert exchange(address, HOST + b"x-a: b\r\n").startswith(b"HTTP/1.1 408")
        assert exchange(address, b"") == b""
    assert provider.paths == []


PLAIN = {
    "chunks": HOST + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    "chunks with extensions": HOST + b"transfer-encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1;c\r\n}\r\n0\r\n\r\n",
    "chunks with a trailer": HOST + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-a: content-length: 9\r\n\r\n",
    "leading zeros": HOST + b"transfer-encoding: chunked\r\n\r\n00002\r\n{}\r\n0\r\n\r\n",
    "one length twice in other letters": HOST.replace(b"host", b"HoSt") + b"CoNtEnT-LeNgTh: 2\r\n\r\n{}",
    "a header without a value": HOST + b"x-a:\r\ncontent-length: 2\r\n\r\n{}",
    "spaces around a value": HOST + b"x-a:   b  \r\ncontent-length:  2 \r\n\r\n{}",
    "it expects to be told to go on": HOST + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}",
    "an address with its host": HOST.replace(b" /v1", b" http://localhost/v1") + b"content-length: 2\r\n\r\n{}",
}


@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN)
def test_what_can_be_read_in_one_way_is_passed_on(data: bytes) -> None:
    closing = data.replace(b"\r\n", b"\r\nconnection: close\r\n", 1)
    with upstream(says(200, "{}")) as provider, proxy(provider.url) as address:
        said = exchange(address, closing)
    assert b"HTTP/1.1 200" in said, said
    assert provider.bodies == ["{}"]
    assert provider.paths == ["/v1/messages"]
