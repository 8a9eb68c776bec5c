"""Many requests at once: of one session, and of many sessions of several owners."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_requests import anthropic_body, write_policy
from proxies import ask, proxy, read_status
from secateur.sessions import store_access
from upstream import says, upstream

OK = says(200, json.dumps({"usage": {"input_tokens": 50, "output_tokens": 1}}))
MESSAGES = "/v1/messages"
WORKERS = 8


def together(work: list[Callable[[], object]]) -> list[object]:
    """Do all of it at once."""
    with ThreadPoolExecutor(WORKERS) as threads:
        return [one.result() for one in [threads.submit(each) for each in work]]


def test_requests_of_one_session_at_once_open_one_epoch(tmp_path: Path) -> None:
    with upstream(OK) as provider, proxy(provider.url, mode="prune", policy=write_policy(tmp_path)) as address:
        together([lambda: ask(address, MESSAGES, anthropic_body(4), x_session_id="s", x_api_key="k")] * WORKERS)
        (row,) = read_status(address)["sessions"]
    assert len(provider.bodies) == WORKERS
    assert len(set(provider.bodies)) == 1
    assert row["epochs"] == 1


@pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
def test_nothing_crosses_from_one_session_to_another(
    tmp_path: Path, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions whose requests end alike, two owners each; every one holds a word that no other may see."""
    monkeypatch.setattr(store_access, "WAIT_S", 20.0)  # on a busy machine a request may wait longer for the store

    def talk(number: int) -> None:
        session = {"x_session_id": f"s{number // 2}"} if named else {}
        for rounds in (3, 5):
            body = anthropic_body(rounds).replace(b"build it", b"build canary-%03d-" % number)
            ask(address, MESSAGES, body, x_api_key=f"key-{number % 2}", **session)

    count = 24
    with upstream(OK) as provider, proxy(provider.url, mode="prune", policy=write_policy(tmp_path)) as address:
        together([lambda number=number: talk(number) for number in range(count)])  # type: ignore[misc]
        status = read_status(address)
    assert len(provider.bodies) == 2 * count
    for number in range(count):
        own = [body for body in provider.bodies if f"canary-{number:03d}-" in body]
        assert len(own) == 2
        assert all(body.count("canary-") == 1 for body in own)
    assert status["failed"] == 0
    assert len({row["tenant"] for row in status["sessions"]}) == 2


def test_more_requests_than_are_allowed_at_once_are_refused_for_a_moment() -> None:
    with upstream(OK) as provider, proxy(provider.url, limits={"requests": 0}) as address:
        status, headers, body = ask(address, MESSAGES, b"{}")
    assert (status, headers["retry-after"]) == (503, "1")
    assert json.loads(body)["error"]["type"] == "overloaded_error"
    assert provider.paths == []


def test_bodies_in_memory_are_bounded_and_let_go(tmp_path: Path) -> None:
    body = anthropic_body(3)
    with upstream(OK) as provider, proxy(provider.url, {"held_bytes": len(body) + 10}) as address:
        for _ in range(3):
            assert ask(address, MESSAGES, body)[0] == 200
        assert ask(address, MESSAGES, anthropic_body(9))[0] == 503
        assert read_status(address)["held_bytes"] == 0
    assert len(provider.bodies) == 3
