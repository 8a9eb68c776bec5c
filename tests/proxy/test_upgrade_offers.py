"""An offer to continue in a protocol that the proxy does not speak is ignored: its request is served as any other.

Clients of the Java runtime offer HTTP/2 with every request that is not encrypted.
"""

import socket
import time
from http.client import HTTPResponse
from urllib.parse import urlsplit

import pytest

from proxies import proxy
from upstream import says, upstream

OFFER = b"host: localhost\r\nconnection: Upgrade, HTTP2-Settings\r\nhttp2-settings: AAEAAA\r\nupgrade: h2c\r\n"
BODY = b'{"model": "m", "messages": [{"role": "user", "content": "Hello."}]}'
POST = b"POST /v1/chat/completions HTTP/1.1\r\nx-secateur-token: t\r\n" + OFFER
LENGTH = POST + b"content-length: %d\r\n\r\n" % len(BODY)
CHUNKS = POST + b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
GET = b"GET /v1/models HTTP/1.1\r\nx-secateur-token: t\r\n" + OFFER + b"\r\n"


def exchange(address: str, requests: list[list[bytes]]) -> list[tuple[int, str | None]]:
    """The status of each response on one connection, and what was done to its request, which is sent in pieces."""
    parts = urlsplit(address)
    responses = []
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as client:
        for pieces in requests:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(0.05)
            response = HTTPResponse(client)
            response.begin()
            response.read()
            responses.append((response.status, response.headers["x-secateur"]))
    return responses


@pytest.mark.parametrize(
    "pieces", [[LENGTH + BODY], [LENGTH, BODY], [LENGTH[:90], LENGTH[90:] + BODY[:9], BODY[9:]], [CHUNKS]]
)
def test_the_body_reaches_the_provider(pieces: list[bytes]) -> None:
    with upstream(says(200, "{}")) as provider, proxy(provider.url, token="t", mode="prune") as address:
        responses = exchange(address, [pieces, pieces])
    assert responses == [(200, "unchanged")] * 2
    assert [one.body for one in provider.requests] == [BODY, BODY]


def test_what_follows_on_the_connection_is_served_too_and_the_token_stays_here() -> None:
    ok = says(200, "{}")
    with upstream(ok, other=ok) as provider, proxy(provider.url, token="t", mode="prune") as address:
        responses = exchange(address, [[GET], [LENGTH + BODY], [GET]])
    assert responses == [(200, None), (200, "unchanged"), (200, None)]
    for request in provider.requests:
        assert not {"x-secateur-token", "upgrade", "http2-settings"} & request.headers.keys()
    assert provider.requests[1].body == BODY


@pytest.mark.parametrize(
    "request_", [POST.replace(b"Upgrade, ", b"close, Upgrade, "), POST.replace(b"HTTP/1.1", b"HTTP/1.0")]
)
def test_a_connection_that_is_to_close_is_answered_first(request_: bytes) -> None:
    whole = request_ + b"content-length: %d\r\n\r\n" % len(BODY) + BODY
    with upstream(says(200, "{}")) as provider, proxy(provider.url, token="t", mode="prune") as address:
        assert exchange(address, [[whole]]) == [(200, "unchanged")]
    assert provider.requests[0].body == BODY


def test_an_invalid_head_is_refused_with_an_offer_as_without() -> None:
    with upstream(says(200, "{}")) as provider, proxy(provider.url, token="t") as address:
        for wrong in (
            b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            b"content-length: +2\r\n\r\n{}",
        ):
            assert exchange(address, [[POST + wrong]])[0][0] == 400
    assert not provider.requests
