"""What no edit touches passes as received, in both directions."""

import json

import pytest

from proxies import ask, proxy
from raw_upstream import Wire, raw_upstream
from upstream import says, streams, upstream

ANSWER = '{"id":  "x", "n": 1.0}'
ROUTES = [
    "/v1/messages?beta=true",
    "/v1/messages/count_tokens",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/responses/input_tokens",
    "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse&key=k%2F",
    "/v1beta/models/gemini-3-pro:countTokens",
    "/v1/embeddings",
    "/anything/a%20b?q=%C3%A4",
]


@pytest.mark.parametrize("path", ROUTES)
def test_requests_and_responses_pass_byte_for_byte(path: str) -> None:
    body = '{"model": "m",  "messages": [ ], "ä": 1.0e0}'.encode()
    headers = {"anthropic_beta": "b, a", "authorization": "Bearer k", "connection": "x-hop, close", "x_hop": "1"}
    with upstream(says(200, ANSWER, request_id="req_1", retry_after="7")) as provider, proxy(provider.url) as address:
        status, got, data = ask(address, path, body, **headers)
    assert (status, data) == (200, ANSWER.encode())
    assert (got["request-id"], got["retry-after"]) == ("req_1", "7")
    assert provider.paths == [path]
    assert provider.bodies == [body.decode()]
    (sent,) = provider.headers
    assert (sent["anthropic-beta"], sent["authorization"]) == ("b, a", "Bearer k")
    assert sent["content-length"] == str(len(body))
    assert "x-hop" not in sent


@pytest.mark.parametrize("status", [400, 401, 413, 429, 500, 503, 529])
def test_errors_pass_as_they_are_and_nothing_is_retried(status: int) -> None:
    error = json.dumps({"error": {"message": "no"}})
    with upstream(says(status, error, retry_after="3")) as provider, proxy(provider.url) as address:
        got = ask(address, "/v1/messages", b"{}")
    assert (got[0], got[1]["retry-after"], got[2]) == (status, "3", error.encode())
    assert len(provider.paths) == 1


def test_a_stream_passes_whole() -> None:
    body = b"".join(b"data: %d\n\n" % number for number in range(500))
    with upstream(streams(body)) as provider, proxy(provider.url) as address:
        assert ask(address, "/v1/messages", b"{}")[2] == body


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/models"])
@pytest.mark.parametrize("mode", ["observe", "prune"])
def test_a_provider_cannot_say_what_this_proxy_did(mode: str, path: str) -> None:
    """Another such proxy behind this one says so of itself, and a client would read both as one value."""

    def script(wire: Wire) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\nX-Secateur: edited\r\nx-secateur-more: a\r\ncontent-length: 2\r\n\r\n{}")

    with raw_upstream(script) as upstream, proxy(upstream.url, mode=mode) as address:
        _, headers, _ = ask(address, path, b'{"model": "m", "messages": []}')
    expected = {} if path == "/v1/models" else {"x-secateur": "observed" if mode == "observe" else "unchanged"}
    assert {name: value for name, value in headers.items() if name.startswith("x-secateur")} == expected


def test_a_path_in_front_of_an_upstream_is_kept() -> None:
    with upstream(says(200, ANSWER)) as provider, proxy(f"{provider.url}/team/a") as address:
        ask(address, "/openai/v1/chat/completions", b"{}")
    assert provider.paths == ["/team/a/v1/chat/completions"]


@pytest.mark.parametrize("path", ["/_secateur", "/_secateur/", "/_secateur/nothing"])
def test_no_page_of_the_proxys_own_is_asked_of_a_provider(path: str) -> None:
    with upstream(says(200, ANSWER)) as provider, proxy(provider.url) as address:
        status, _, body = ask(address, path, method="GET")
    assert (status, provider.paths) == (404, [])
    assert b"/_secateur/status" in body


def test_health_and_status_are_the_proxys_own() -> None:
    with upstream(says(200, ANSWER)) as provider, proxy(provider.url) as address:
        assert json.loads(ask(address, "/_secateur/health", method="GET")[2])["ok"] is True
        ask(address, "/v1/messages", b"{}")
        status = json.loads(ask(address, "/_secateur/status", method="GET")[2])
    assert provider.paths == ["/v1/messages"]
    assert (status["mode"], status["requests"]) == ("observe", 3)


def test_a_websocket_on_responses_is_refused_at_once() -> None:
    with upstream(says(200, ANSWER)) as provider, proxy(provider.url) as address:
        asked = {
            "connection": "Upgrade",
            "upgrade": "websocket",
            "sec_websocket_key": "x",
            "sec_websocket_version": "13",
        }
        status, headers, _ = ask(address, "/v1/responses", method="GET", **asked)
    assert (status, headers["connection"]) == (426, "close")
    assert provider.paths == []


def test_who_is_no_program_of_this_machine_is_refused() -> None:
    with upstream(says(200, ANSWER)) as provider, proxy(provider.url) as address:
        assert ask(address, "/v1/messages", b"{}", host="evil.example")[0] == 403
        assert ask(address, "/v1/messages", b"{}", host="127.0.0.1.evil.example")[0] == 403
        assert ask(address, "/v1/messages", b"{}", origin="https://evil.example")[0] == 403
        assert ask(address, "/v1/messages", b"{}", origin="http://localhost:3000")[0] == 200
        assert ask(address, "/v1/messages", b"{}", origin="http://[::1]:3000")[0] == 200
    assert len(provider.paths) == 2


def test_a_token_is_asked_for_where_there_is_one_and_never_sent_on() -> None:
    with upstream(says(200, ANSWER)) as provider, proxy(provider.url, token="s3cret") as address:
        assert ask(address, "/v1/messages", b"{}")[0] == 401
        assert ask(address, "/v1/messages", b"{}", x_secateur_token="s3cretx")[0] == 401
        assert ask(address, "/v1/messages", b"{}", x_secateur_token="s3cret")[0] == 200
        assert ask(address, "/_secateur/key/s3cret/v1/messages", b"{}")[0] == 200
    assert provider.paths == ["/v1/messages", "/v1/messages"]
    assert "s3cret" not in str(provider.headers)
