"""Several proxies with one store, each a real process, are one: the same bytes, one epoch, whoever is asked."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Barrier
from typing import Any

import postgres_server
import pytest
from agent_requests import anthropic_body, write_policy
from cli_runs import environment
from proxies import ask, read_status
from upstream import Upstream, says, upstream

from secateur.stores import open_store
from secateur.stores.proof import find_problems

OK = says(200, json.dumps({"usage": {"input_tokens": 50, "output_tokens": 1, "cache_read_input_tokens": 0}}))
MESSAGES = "/v1/messages"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork and no signals here")


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return postgres_server.make_url() if request.param == "postgresql" else f"sqlite://{tmp_path / 'kept.db'}"


@pytest.fixture
def provider() -> Iterator[Upstream]:
    with upstream(OK) as running:
        yield running


@contextmanager
def served(store: str, provider: Upstream, policy: str, *args: str) -> Iterator[tuple[Any, str]]:
    """A running `secateur serve` that prunes, and its address."""
    argv = [sys.executable, "-W", "error", "-m", "secateur", "serve", "--port", "0", "--mode", "prune"]
    argv += ["--store", store, "--policy", policy, "--upstream", provider.url, *args]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), process.communicate(timeout=30)
        yield process, line.removeprefix("listening on ").strip()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.fixture
def pair(store: str, provider: Upstream, tmp_path: Path) -> Iterator[list[tuple[Any, str]]]:
    with ExitStack() as stack:
        policy = write_policy(tmp_path)
        yield [stack.enter_context(served(store, provider, policy)) for _ in range(2)]


def say(address: str, body: bytes, session: str = "s1", path: str = MESSAGES) -> str:
    """Send a request, and return what the proxy did to it."""
    status, got, _ = ask(address, path, body, x_api_key="sk-1", x_session_id=session)
    assert status == 200
    return got["x-secateur"]


def count_epochs(url: str) -> dict[str, int]:
    """The epochs of each session that a store holds, whose record is whole."""
    kept = open_store(url)
    try:
        rows = kept.list_sessions()
        assert [problem for row in rows for problem in find_problems(kept, row.who)] == []
        return {row.who.session: row.epochs for row in rows}
    finally:
        kept.close()


def test_the_next_request_after_a_kill_gives_the_same_bytes_elsewhere(
    provider: Upstream, store: str, pair: list[tuple[Any, str]]
) -> None:
    (first, one), (_, other) = pair
    for rounds in (3, 4):
        assert say(one, anthropic_body(rounds)) == "edited"
    first.send_signal(signal.SIGKILL)
    first.wait(30)
    before = count_epochs(store)
    assert say(other, anthropic_body(4)) == "edited"
    assert provider.bodies[2] == provider.bodies[1]
    assert count_epochs(store) == before
    say(other, anthropic_body(5))
    same = provider.bodies[1].index("compiling") - 60
    assert same > 400
    assert provider.bodies[3][:same] == provider.bodies[1][:same]


def test_two_requests_at_once_open_one_epoch(provider: Upstream, store: str, pair: list[tuple[Any, str]]) -> None:
    together, addresses = Barrier(2), [address for _, address in pair]
    rounds = range(3, 9)

    def send(address: str) -> None:
        for number in rounds:
            together.wait(30)
            say(address, anthropic_body(number))
            together.wait(30)

    with ThreadPoolExecutor(2) as pool:
        assert len(list(pool.map(send, addresses))) == 2
    sent = provider.bodies
    pairs = [sent[place : place + 2] for place in range(0, len(sent), 2)]
    assert [len(set(two)) for two in pairs] == [1] * len(rounds)
    assert count_epochs(store) == {"s1": len(rounds)}


def test_what_is_asked_beside_a_session_is_answered_by_the_newest_plan(
    provider: Upstream, pair: list[tuple[Any, str]]
) -> None:
    (_, one), (_, other) = pair
    say(one, anthropic_body(3))
    say(other, anthropic_body(4))
    assert say(one, anthropic_body(4), path=f"{MESSAGES}/count_tokens") == "replayed"
    assert provider.bodies[2] == provider.bodies[1]


def test_several_workers_on_one_port_are_one(provider: Upstream, store: str, tmp_path: Path) -> None:
    sessions, rounds = 6, range(3, 7)

    def work(session: str) -> list[str]:
        return [say(address, anthropic_body(number), session) for number in rounds]

    with served(store, provider, write_policy(tmp_path), "--workers", "3") as (process, address):
        with ThreadPoolExecutor(sessions) as pool:
            did = list(pool.map(work, [f"s{number}" for number in range(sessions)]))
        status = read_status(address)
        while status["requests"] < sessions * len(rounds):  # workers tell each other once a second
            status = read_status(address)
        workers = set(status["workers"])
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    assert did == [["edited"] * len(rounds)] * sessions
    assert len(workers) == 3
    assert not [pid for pid in workers if _is_alive(pid)]
    assert count_epochs(store) == {f"s{number}": len(rounds) for number in range(sessions)}
    assert {row["session"]: row["requests"] for row in status["sessions"]} == {
        f"s{number}": len(rounds) for number in range(sessions)
    }


def test_a_worker_that_dies_is_replaced(provider: Upstream, tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path / 'kept.db'}"
    with served(store, provider, write_policy(tmp_path), "--workers", "2") as (process, address):
        say(address, anthropic_body(3))
        before = _list_children(process.pid)
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        while len(now := _list_children(process.pid)) < 2 or before[0] in now:
            pass
        for _ in range(10):
            say(address, anthropic_body(4))
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        while any(_is_alive(pid) for pid in now):  # they end when nobody watches over them
            pass


@pytest.mark.parametrize("store", ["memory://"])
def test_workers_need_a_store_that_they_share(provider: Upstream, tmp_path: Path, store: str) -> None:
    argv = [sys.executable, "-m", "secateur", "serve", "--port", "0", "--workers", "2", "--store", store]
    done = subprocess.run(argv, capture_output=True, text=True, env=environment(), timeout=60, check=False)
    assert done.returncode == 2
    assert "several workers need a store that they share" in done.stderr


def _list_children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
