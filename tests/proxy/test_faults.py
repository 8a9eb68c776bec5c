"""Upstreams that stall, reset, break off or lie: the client sees what it would have seen without the proxy, at once."""

import json
from http.client import HTTPConnection, IncompleteRead
from threading import Event
from urllib.parse import urlsplit

import pytest

from proxies import ask, proxy, read_status
from raw_upstream import Wire, raw_upstream
from upstream import spoken

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
STREAM = spoken("anthropic", "hello")
MESSAGES = "/v1/messages"


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def broken(address: str) -> bytes:
    """The beginning of a response that breaks off."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    connection.request("POST", MESSAGES, b"{}")
    response = connection.getresponse()
    assert response.status == 200
    with pytest.raises((IncompleteRead, ConnectionResetError)) as caught:
        response.read()
    response.close()
    connection.close()
    return caught.value.partial if isinstance(caught.value, IncompleteRead) else b""


def test_a_stream_in_segments_of_one_byte_is_the_same_stream() -> None:
    def script(wire: Wire) -> None:
        wire.send_slowly(CHUNKED + chunk(STREAM[:100]) + chunk(STREAM[100:]) + b"0\r\n\r\n")

    with raw_upstream(script) as provider, proxy(provider.url, mode="prune") as address:
        assert ask(address, MESSAGES, b"{}")[2] == STREAM


@pytest.mark.parametrize(
    "sent",
    [
        CHUNKED + chunk(STREAM[:50]),
        CHUNKED + chunk(STREAM[:50]) + b"40\r\nhalf of what was promised",
        CHUNKED + chunk(STREAM[:50]) + b"no size\r\n",
        HEAD + b"content-length: 5000\r\n\r\n" + STREAM[:50],
    ],
    ids=["no end", "half a chunk", "no chunk", "too short"],
)
@pytest.mark.parametrize("resets", [False, True])
def test_a_response_that_breaks_off_is_never_completed(sent: bytes, resets: bool) -> None:
    apart = Event()

    def script(wire: Wire) -> None:
        wire.send(sent[:-12])
        apart.wait(0.05)  # so that it arrives before what follows
        wire.send(sent[-12:])
        if resets:
            apart.wait(0.05)
            wire.reset()

    with raw_upstream(script) as provider, proxy(provider.url) as address:
        assert STREAM.startswith(broken(address)[:50])
        status = read_status(address)
    assert (status["broken"], status["active"]) == (1, 1)
    assert len(provider.wires) == 1


def test_a_response_without_a_stated_length_ends_where_its_connection_does() -> None:
    with raw_upstream(lambda wire: wire.send(HEAD + b"\r\n" + STREAM)) as provider, proxy(provider.url) as address:
        assert ask(address, MESSAGES, b"{}")[2] == STREAM


@pytest.mark.parametrize("path", [MESSAGES, "/v1/chat/completions", "/v1beta/models/m:generateContent", "/v1/files"])
def test_an_upstream_that_says_nothing_is_given_up_on_in_the_clients_own_words(path: str) -> None:
    with raw_upstream(lambda wire: wire.sees_end()) as provider, proxy(provider.url, {"stall_s": 0.2}) as address:
        status, _, body = ask(address, path, b"{}")
        assert provider.done.wait(20)
    assert status == 504
    assert "did not answer in time" in json.loads(body)["error"]["message"]
    assert len(provider.wires) == 1


def test_an_upstream_that_stalls_in_the_middle_is_given_up_on() -> None:
    def script(wire: Wire) -> None:
        wire.send(CHUNKED + chunk(STREAM[:50]))
        assert wire.sees_end()

    with raw_upstream(script) as provider, proxy(provider.url, {"stall_s": 0.2}) as address:
        assert broken(address) == STREAM[:50]
        assert provider.done.wait(20)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-ty",
        b"this is no HTTP\r\n\r\n",
        b"HTTP/1.1 999 Request Denied\r\ncontent-length: 2\r\n\r\nno",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\nno",
    ],
)
def test_an_upstream_that_gives_no_answer_is_told_of(sent: bytes) -> None:
    with raw_upstream(lambda wire: wire.send(sent)) as provider, proxy(provider.url) as address:
        status, _, body = ask(address, MESSAGES, b"{}")
    assert status == 502
    assert json.loads(body)["type"] == "error"
    assert len(provider.wires) == 1, "a request that may have been taken is not sent twice"


def test_an_upstream_that_is_not_there_is_told_of() -> None:
    with raw_upstream(lambda wire: None) as provider:
        url = provider.url
    with proxy(url) as address:
        status, _, body = ask(address, "/v1/responses", b"{}")
    assert status == 502
    assert json.loads(body)["error"]["type"] == "server_error"


@pytest.mark.parametrize("mode", ["observe", "prune"])
def test_a_stream_that_is_cut_at_any_byte_is_passed_on_to_there(mode: str) -> None:
    whole = CHUNKED + chunk(STREAM[:120]) + chunk(STREAM[120:200]) + b"0\r\n\r\n"
    lengths = iter(range(len(CHUNKED), len(whole)))
    with (
        raw_upstream(lambda wire: wire.send(whole[: next(lengths)])) as provider,
        proxy(provider.url, mode=mode) as address,
    ):
        for length in range(len(CHUNKED), len(whole)):
            came = broken(address)
            assert STREAM.startswith(came), length
            sent = whole[len(CHUNKED) : length]
            assert len(came) == sum(len(piece) for piece in (sent[4:124], sent[130:210])), length
        status = read_status(address)
    assert (status["broken"], status["active"]) == (len(whole) - len(CHUNKED), 1)


@pytest.mark.parametrize("mode", ["observe", "prune"])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 429, 500, 503, 529])
def test_errors_pass_as_they_came(status: int, mode: str) -> None:
    body = b'{"type": "error",  "error": {"type": "x_error", "message": "as it came \xc3\xa4"}}'
    head = b"HTTP/1.1 %d Why Not\r\nretry-after: 17\r\nx-should-retry: true\r\nrequest-id: r1\r\n" % status
    answer = head + b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
    with raw_upstream(lambda wire: wire.send(answer + body)) as provider, proxy(provider.url, mode=mode) as address:
        got, headers, came = ask(address, MESSAGES, b'{"model": "m", "messages": []}')
    assert (got, came) == (status, body)
    assert [headers[name] for name in ("retry-after", "x-should-retry", "request-id")] == ["17", "true", "r1"]
    assert len(provider.wires) == 1


def test_half_an_event_is_half_an_event() -> None:
    half = STREAM[: STREAM.index(b"\n\n") - 5]
    with raw_upstream(lambda wire: wire.send(CHUNKED + chunk(half) + b"0\r\n\r\n")) as provider:
        for mode in ("observe", "prune"):
            with proxy(provider.url, mode=mode) as address:
                assert ask(address, MESSAGES, b"{}")[2] == half
