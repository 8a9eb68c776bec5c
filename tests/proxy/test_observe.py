"""In `observe` requests are sent as they come, and the status says what pruning would have saved."""

from pathlib import Path

import pytest

from agent_requests import anthropic_body, chat_body, write_policy
from proxies import ask, proxy, read_status
from raw_upstream import raw_upstream
from upstream import says, upstream

OK = says(200, '{"usage": {"input_tokens": 500, "output_tokens": 1, "cache_read_input_tokens": 40}}')
MESSAGES = "/v1/messages"
OAUTH = {"authorization": "Bearer sk-ant-oat01-x", "anthropic_beta": "oauth-2025-04-20"}


def settled(address: str, requests: int) -> dict:
    """The status, once all requests of its one session are accounted for."""
    for _ in range(2_000):
        status = read_status(address)
        if sum(row["requests"] for row in status["sessions"]) == requests:
            return status
    raise AssertionError(f"{requests} requests are not accounted for: {status}")


@pytest.mark.parametrize("session", [{"x_session_id": "s"}, {}], ids=["named", "unnamed"])
def test_the_very_bytes_are_sent_and_savings_are_told(tmp_path: Path, session: dict[str, str]) -> None:
    with upstream(OK) as provider, proxy(provider.url, policy=write_policy(tmp_path)) as address:
        did = [
            ask(address, MESSAGES, anthropic_body(rounds), x_api_key="k", **session)[1]["x-secateur"]
            for rounds in range(1, 6)
        ]
        status = settled(address, 5)
    assert did == ["observed"] * 5
    assert provider.bodies == [anthropic_body(rounds).decode() for rounds in range(1, 6)]
    assert status["tokens_saved"] > 1_000
    assert sum(row["input_tokens"] for row in status["sessions"]) == 2_500


@pytest.mark.parametrize(
    "credentials", [OAUTH, {"authorization": "Bearer x", "chatgpt_account_id": "a"}], ids=["claude", "chatgpt"]
)
def test_what_a_subscription_pays_is_only_observed_unless_asked_for(
    tmp_path: Path, credentials: dict[str, str]
) -> None:
    settings = {"mode": "prune", "policy": write_policy(tmp_path)}
    with upstream(OK) as provider:
        with proxy(provider.url, **settings) as address:
            got = ask(address, MESSAGES, anthropic_body(5), x_session_id="s", **credentials)
            assert settled(address, 1)["subscription"] is True
        assert got[1]["x-secateur"] == "observed"
        with proxy(provider.url, subscriptions=True, **settings) as address:
            got = ask(address, MESSAGES, anthropic_body(5), x_session_id="s", **credentials)
        assert got[1]["x-secateur"] == "edited"
    assert provider.bodies[0] == anthropic_body(5).decode()
    assert len(provider.bodies[1]) < len(provider.bodies[0])


def test_a_renewed_token_of_an_account_is_the_same_owner(tmp_path: Path) -> None:
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "subscriptions": True}
    user = '{"device_id": "d", "account_uuid": "u-1", "session_id": "s-1"}'
    body = anthropic_body(4, metadata={"user_id": user})
    with upstream(OK) as provider, proxy(provider.url, **settings) as address:
        for token in ("one", "two"):
            ask(address, MESSAGES, body, authorization=f"Bearer sk-ant-oat01-{token}")
        rows = read_status(address)["sessions"]
    assert [row["session"] for row in rows] == ["s-1"]


UNREADABLE = [b"", b"{", b"[]", b'{"messages": 5}', b'{"messages": [' + b"[" * 2_000, b"\xff\xfe{}"]


@pytest.mark.parametrize("mode", ["observe", "prune"])
def test_what_cannot_be_read_is_sent_as_it_came(mode: str) -> None:
    answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno"
    paths = [MESSAGES, "/v1/responses", "/v1/chat/completions", "/v1beta/models/m:generateContent"]
    asked = [(path, body) for path in paths for body in UNREADABLE]
    with raw_upstream(lambda wire: wire.send(answer)) as provider, proxy(provider.url, mode=mode) as address:
        for path, body in asked:
            status, _, said = ask(address, path, body)
            assert (status, said) == (400, b"no"), (path, body[:20])
    assert [wire.body for wire in provider.wires] == [body for _, body in asked]


def test_a_failure_of_ours_sends_the_request_on_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "kept.db"
    folder.mkdir()  # no file, so no store
    with upstream(OK) as provider, proxy(provider.url, mode="prune", store=f"sqlite://{folder}") as address:
        for path, body in ((MESSAGES, anthropic_body(3)), ("/v1/chat/completions", chat_body(3))):
            status, headers, _ = ask(address, path, body, x_session_id="s")
            assert status == 200
            assert headers["x-secateur"] in ("unchanged", "failed")
    assert provider.bodies == [anthropic_body(3).decode(), chat_body(3).decode()]
