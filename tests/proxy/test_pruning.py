"""In `prune` requests are sent as the engine's views, with the same prefix from request to request."""

import gzip
import json
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest
from backports import zstd

from agent_requests import anthropic_body, chat_body, gemini_body, responses_body, write_policy
from proxies import ask, proxy, read_status
from raw_upstream import raw_upstream
from upstream import Upstream, says, upstream

OK = says(200, json.dumps({"usage": {"input_tokens": 50, "output_tokens": 1, "cache_read_input_tokens": 0}}))
MESSAGES = "/v1/messages"
ROUTES: dict[str, tuple[str, Callable[..., bytes]]] = {
    "anthropic": (MESSAGES, anthropic_body),
    "chat": ("/v1/chat/completions", chat_body),
    "responses": ("/v1/responses", responses_body),
    "gemini": ("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", gemini_body),
}
EVERY_ROUTE = pytest.mark.parametrize(("path", "body"), ROUTES.values(), ids=ROUTES)


@pytest.fixture
def provider() -> Iterator[Upstream]:
    with upstream(OK) as running:
        yield running


@pytest.fixture
def address(provider: Upstream, tmp_path: Path) -> Iterator[str]:
    store = f"sqlite://{tmp_path / 'kept.db'}"
    with proxy(provider.url, mode="prune", policy=write_policy(tmp_path), store=store) as running:
        yield running


def say(address: str, path: str, body: bytes, **headers: str) -> str:
    """Send a request, and return what the proxy did to it."""
    status, got, _ = ask(address, path, body, **{"x_api_key": "sk-1", **headers})
    assert status == 200
    return got["x-secateur"]


@EVERY_ROUTE
@pytest.mark.parametrize("session", ["s1", ""], ids=["named", "unnamed"])
def test_a_session_is_pruned_and_keeps_its_prefix(
    provider: Upstream, address: str, path: str, body: Callable[..., bytes], session: str
) -> None:
    headers = {"x_session_id": session} if session else {}
    did = [say(address, path, body(rounds), **headers) for rounds in range(1, 6)]
    assert (did[0], did[2:]) == ("unchanged", ["edited"] * 3)
    assert len(provider.bodies[-1]) < len(body(5)) / 2
    assert "module 4" in provider.bodies[-1]
    for earlier, later in zip(provider.bodies[2:], provider.bodies[3:], strict=False):
        same = earlier.index("compiling") - 60  # before what may still be pruned, and what holds it
        assert same > 400
        assert later[:same] == earlier[:same]


@EVERY_ROUTE
def test_a_retry_is_the_same_bytes_and_opens_nothing(
    provider: Upstream, address: str, path: str, body: Callable[..., bytes]
) -> None:
    for rounds in (3, 4, 4, 4):
        say(address, path, body(rounds), x_session_id="s1")
    assert provider.bodies[1] == provider.bodies[2] == provider.bodies[3]
    (row,) = read_status(address)["sessions"]
    assert row["epochs"] == 2


def test_counting_counts_what_is_sent_and_opens_nothing(provider: Upstream, address: str) -> None:
    say(address, MESSAGES, anthropic_body(4), x_session_id="s1")
    assert say(address, f"{MESSAGES}/count_tokens", anthropic_body(4), x_session_id="s1") == "replayed"
    assert provider.bodies[1] == provider.bodies[0]
    other = anthropic_body(9).replace(b"build it", b"test it")
    assert say(address, f"{MESSAGES}/count_tokens", other, x_session_id="new") == "unchanged"
    assert provider.bodies[2] == other.decode()


def test_counting_finds_a_session_without_a_name_by_its_history(provider: Upstream, address: str) -> None:
    say(address, MESSAGES, anthropic_body(4))
    assert say(address, f"{MESSAGES}/count_tokens", anthropic_body(5)) == "replayed"
    assert len(provider.bodies[1]) < len(anthropic_body(5)) / 2


def test_calls_beside_the_conversation_replay_its_edits_and_record_none(provider: Upstream, address: str) -> None:
    session = {"x_claude_code_session_id": "s1"}
    say(address, MESSAGES, anthropic_body(4), **session)
    title = json.loads(anthropic_body(4)) | {"tools": []}
    assert say(address, MESSAGES, json.dumps(title).encode(), **session) == "replayed"
    assert say(address, MESSAGES, anthropic_body(6), x_claude_code_agent_id="a1", **session) != "edited"
    assert say(address, MESSAGES, anthropic_body(6), **session) == "edited"
    rows = {row["session"]: row["epochs"] for row in read_status(address)["sessions"]}
    assert rows == {"s1": 2, "s1/a1": 0}


def test_tenants_share_nothing_and_credentials_are_not_kept(provider: Upstream, address: str, tmp_path: Path) -> None:
    for key in ("sk-secret-one", "sk-secret-two"):
        say(address, MESSAGES, anthropic_body(4), x_session_id="s1", x_api_key=key)
    rows = read_status(address)["sessions"]
    assert len({row["tenant"] for row in rows}) == 2
    assert all(row["tenant"].startswith("key-") for row in rows)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret-one" not in kept
    assert [sent["x-api-key"] for sent in provider.headers] == ["sk-secret-one", "sk-secret-two"]


def test_a_restarted_proxy_goes_on_with_the_same_bytes(tmp_path: Path) -> None:
    store, policy = f"sqlite://{tmp_path / 'kept.db'}", write_policy(tmp_path)
    with upstream(OK) as provider:
        for _ in range(2):
            with proxy(provider.url, mode="prune", policy=policy, store=store) as address:
                say(address, MESSAGES, anthropic_body(4), x_session_id="s1")
        with proxy(provider.url, mode="prune", policy=policy, store=store) as address:
            assert say(address, f"{MESSAGES}/count_tokens", anthropic_body(4), x_session_id="s1") == "replayed"
    assert provider.bodies[0] == provider.bodies[1] == provider.bodies[2]


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "gzip, zstd": lambda data: zstd.compress(gzip.compress(data, mtime=0)),
}


@pytest.mark.parametrize(("encoding", "pack"), PACKED.items())
def test_packed_requests_are_read_and_sent_plain_where_they_are_edited(
    tmp_path: Path, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
    with (
        raw_upstream(lambda wire: wire.send(answer)) as provider,
        proxy(provider.url, mode="prune", policy=write_policy(tmp_path)) as address,
    ):
        for rounds in (1, 4):
            say(address, MESSAGES, pack(anthropic_body(rounds)), content_encoding=encoding, x_session_id="s1")
    first, second = provider.wires
    assert first.body == pack(anthropic_body(1))
    assert b"content-encoding: " + encoding.encode() in first.head.lower()
    assert b"content-encoding" not in second.head.lower()
    assert len(json.loads(second.body)["messages"]) == len(json.loads(anthropic_body(4))["messages"])
    assert len(second.body) < len(anthropic_body(4))


@pytest.mark.parametrize("mode", ["prune", "observe"])
def test_a_request_that_cannot_be_unpacked_is_sent_as_received_and_the_status_says_why(
    tmp_path: Path, mode: str
) -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
    with (
        raw_upstream(lambda wire: wire.send(answer)) as provider,
        proxy(provider.url, mode=mode, policy=write_policy(tmp_path)) as address,
    ):
        say(address, MESSAGES, b"packed in another way", content_encoding="lzma")
        until = time.monotonic() + 10
        while not (status := read_status(address))["failed"] and time.monotonic() < until:
            time.sleep(0.05)
    assert provider.wires[0].body == b"packed in another way"
    why = "content-encoding 'lzma' is unknown: send gzip, deflate, br or zstd"
    assert (status["failed"], status["last_error"]) == (1, why)
