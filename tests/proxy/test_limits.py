"""Limits: what one client may ask of the proxy, and what one tenant of the store."""

import json
import socket
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from agent_requests import anthropic_body, write_policy
from proxies import ask, proxy, read_status
from secateur.proxy.quota import Quota
from secateur.stores.memory import MemoryStore
from upstream import says, upstream

OK = says(200, '{"usage": {"input_tokens": 50, "output_tokens": 1}}')
MESSAGES = "/v1/messages"


def open_request(address: str, length: int) -> socket.socket:
    """A client that has sent the head of a request and one byte of its body."""
    parts = urlsplit(address)
    client = socket.create_connection((parts.hostname, parts.port), timeout=20)
    client.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n{" % length)
    return client


def receive_all(client: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    data = b""
    while piece := client.recv(65_536):
        data += piece
    client.close()
    return data


@pytest.mark.parametrize("mode", ["observe", "prune"])
def test_a_body_that_stops_coming_is_not_waited_for(mode: str) -> None:
    with upstream(OK) as provider, proxy(provider.url, {"client_s": 0.2}, mode=mode) as address:
        client = open_request(address, 500)
        data = b""
        while b"secateur" not in data:
            data += client.recv(65_536)
        client.close()
        assert data.startswith(b"HTTP/1.1 408 ")
        status = read_status(address)
    assert (provider.paths, status["held_bytes"], status["active"]) == ([], 0, 1)


def test_a_body_that_comes_byte_by_byte_is_read() -> None:
    body = anthropic_body(0)
    with upstream(OK) as provider, proxy(provider.url, {"client_s": 5.0}, mode="prune") as address:
        client = open_request(address, len(body))
        for at in range(1, len(body)):
            client.sendall(body[at : at + 1])
        assert client.recv(12) == b"HTTP/1.1 200"
        client.close()
    assert provider.bodies == [body.decode()]


def test_more_requests_than_may_wait_are_told_to_come_again(tmp_path: Path) -> None:
    with upstream(OK) as provider, proxy(provider.url, {"waiting": 0}, mode="prune") as address:
        status, headers, body = ask(address, MESSAGES, anthropic_body(1))
        assert (status, headers["retry-after"], json.loads(body)["error"]["type"]) == (503, "1", "overloaded_error")
        assert ask(address, "/v1/files", b"{}")[0] == 200  # it is not read, so it does not wait
    assert provider.paths == ["/v1/files"]


@pytest.mark.parametrize("mode", ["observe", "prune"])
def test_requests_that_hold_too_much_together_are_told_to_come_again(mode: str) -> None:
    came, go_on = Event(), Event()

    def wait(handler: Any) -> None:
        came.set()
        assert go_on.wait(20)
        OK(handler)

    with upstream(wait, OK) as provider, proxy(provider.url, {"held_bytes": 9_000}, mode=mode) as address:
        first = Thread(target=lambda: ask(address, MESSAGES, b"{" + b" " * 6_000 + b"}"))
        first.start()
        assert came.wait(20)
        assert ask(address, MESSAGES, b"{" + b" " * 6_000 + b"}")[0] == 503
        go_on.set()
        first.join()
        assert ask(address, MESSAGES, b"{" + b" " * 6_000 + b"}")[0] == 200
        assert read_status(address)["held_bytes"] == 0


@pytest.mark.parametrize("depth", [600, 100_000])
def test_a_body_of_any_depth_passes(depth: int) -> None:
    deep = b'{"model": "m", "messages": [{"role": "user", "content": ' + b"[" * depth + b"]" * depth + b"}]}"
    with upstream(OK) as provider, proxy(provider.url, mode="prune") as address:
        assert ask(address, MESSAGES, deep, x_session_id="s")[0] == 200
    assert provider.bodies == [deep.decode()]


def test_a_tenant_that_filled_its_part_of_the_store_keeps_its_views(tmp_path: Path) -> None:
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": f"sqlite://{tmp_path / 'kept.db'}"}
    with upstream(OK) as provider:
        with proxy(provider.url, **settings) as address:
            ask(address, MESSAGES, anthropic_body(6), x_session_id="s", x_api_key="k")
        with proxy(provider.url, {"stored_bytes": 5_000}, **settings) as address:
            for rounds in (6, 9):
                ask(address, MESSAGES, anthropic_body(rounds), x_session_id="s", x_api_key="k")
            unrelated = anthropic_body(9).replace(b"build it", b"test it")
            ask(address, MESSAGES, unrelated, x_session_id="new", x_api_key="k")
            other = ask(address, MESSAGES, anthropic_body(9), x_session_id="o", x_api_key="another")
    first, again, later, new, of_another = provider.bodies
    assert again == first
    assert new == unrelated.decode()
    assert json.loads(later)["messages"][:10] == json.loads(first)["messages"][:10]
    assert len(later) > len(of_another)
    assert other[1]["x-secateur"] == "edited"


def test_a_quota_is_looked_up_now_and_then() -> None:
    now, asked = [0.0], [0]

    class Counting(MemoryStore):
        def list_sessions(self, tenant: str | None = None) -> Any:
            asked[0] += 1
            return super().list_sessions(tenant)

        def with_wait_limit(self, wait_s: float) -> Any:
            return self

    quota = Quota(Counting(), 0, lambda: now[0])
    now[0] = 1.0
    assert [quota.is_spent("t") for _ in range(5)] == [True] * 5
    assert asked[0] == 1
    now[0] = 100.0
    assert quota.is_spent("t")
    assert asked[0] == 2
    assert not Quota(Counting(), None).is_spent("t")
