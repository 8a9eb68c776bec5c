"""Several proxies with one store, each a real process, are one: the same bytes, one epoch, whoever is asked."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

import pytest
from msgspec import Struct

import postgres_server
from agent_requests import anthropic_body, write_policy
from cli_runs import environment
from proxies import ask, read_status
from proxy_processes import ServedProxy, serve_forked
from secateur.stores import open_store
from secateur.stores.proof import find_problems
from upstream import Upstream, says, upstream

OK = says(200, json.dumps({"usage": {"input_tokens": 50, "output_tokens": 1, "cache_read_input_tokens": 0}}))
MESSAGES = "/v1/messages"
KINDS = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork and no signals here")


ATTEMPTS = 12


class Disturbed(Exception):
    """The machine stood still for longer than a request waits for its store, so it went on without."""


class Scene(Struct, frozen=True):
    """Where proxies run."""

    store: str
    provider: Upstream
    policy: str


def play(act: Callable[[Scene], None], kind: str, folder: Path) -> None:
    """Act in a new scene; again in another one if it was disturbed."""
    for number in range(ATTEMPTS):
        own = folder / str(number)
        own.mkdir()
        store = postgres_server.make_url() if kind == "postgresql" else f"sqlite://{own / 'kept.db'}"
        with upstream(OK) as provider, suppress(Disturbed):
            return act(Scene(store, provider, write_policy(own)))
    raise AssertionError(f"disturbed {ATTEMPTS} times")


@contextmanager
def served(scene: Scene, *args: str) -> Iterator[ServedProxy]:
    """A running `secateur serve` that prunes."""
    given = ("--store", scene.store, "--policy", scene.policy, "--upstream", scene.provider.url, *args)
    with serve_forked("--port", "0", "--mode", "prune", *given) as running:
        yield running


@contextmanager
def served_twice(scene: Scene) -> Iterator[list[ServedProxy]]:
    with served(scene) as one, served(scene) as other:
        yield [one, other]


def say(address: str, body: bytes, session: str = "s1", path: str = MESSAGES) -> str:
    """Send a request, and return what the proxy did to it."""
    status, got, _ = ask(address, path, body, x_api_key="sk-1", **({"x_session_id": session} if session else {}))
    assert status == 200
    if got["x-secateur"] == "failed":
        raise Disturbed
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


def count_receipts(url: str) -> int:
    """The receipts of all sessions that a store holds."""
    kept = open_store(url)
    try:
        return sum(row.receipts for row in kept.list_sessions())
    finally:
        kept.close()


@KINDS
def test_the_next_request_after_a_kill_gives_the_same_bytes_elsewhere(kind: str, tmp_path: Path) -> None:
    def act(scene: Scene) -> None:
        with served_twice(scene) as (one, other):
            for rounds in (3, 4):
                assert say(one.address, anthropic_body(rounds)) == "edited"
            one.end(signal.SIGKILL)
            before = count_epochs(scene.store)
            assert say(other.address, anthropic_body(4)) == "replayed"
            assert count_epochs(scene.store) == before
            say(other.address, anthropic_body(5))
        sent = scene.provider.bodies
        assert sent[2] == sent[1]
        same = sent[1].index("compiling") - 60
        assert same > 400
        assert sent[3][:same] == sent[1][:same]

    play(act, kind, tmp_path)


@KINDS
def test_two_requests_at_once_open_one_epoch(kind: str, tmp_path: Path) -> None:
    rounds = range(3, 9)

    def act(scene: Scene) -> None:
        with served_twice(scene) as pair, ThreadPoolExecutor(2) as pool:
            for number in rounds:
                body = anthropic_body(number)
                sent = [pool.submit(say, one.address, body) for one in pair]
                did = {one.result() for one in sent}
                assert did <= {"edited", "replayed"}  # replayed by a proxy that saw that the other one was asked before
                assert "edited" in did
        bodies = scene.provider.bodies
        assert [len(set(bodies[place : place + 2])) for place in range(0, len(bodies), 2)] == [1] * len(rounds)
        assert count_epochs(scene.store) == {"s1": len(rounds)}

    play(act, kind, tmp_path)


@KINDS
@pytest.mark.parametrize("session", ["s1", ""], ids=["named", "unnamed"])
def test_a_retry_that_reaches_another_proxy_is_recognized(kind: str, session: str, tmp_path: Path) -> None:
    def act(scene: Scene) -> None:
        with served_twice(scene) as (one, other):
            say(one.address, anthropic_body(3), session)
            assert say(one.address, anthropic_body(4), session) == "edited"
            before, receipts = count_epochs(scene.store), count_receipts(scene.store)
            assert say(other.address, anthropic_body(4), session) == "replayed"
            assert say(other.address, anthropic_body(4), session) == "replayed"
            assert (count_epochs(scene.store), count_receipts(scene.store)) == (before, receipts)
            assert say(other.address, anthropic_body(5), session) == "edited"
            assert say(one.address, anthropic_body(5), session) == "replayed"
            assert say(one.address, anthropic_body(6), session) == "edited"
        sent = scene.provider.bodies
        assert sent[1] == sent[2] == sent[3]
        assert sent[4] == sent[5]

    play(act, kind, tmp_path)


@KINDS
def test_what_is_asked_beside_a_session_is_answered_by_the_newest_plan(kind: str, tmp_path: Path) -> None:
    def act(scene: Scene) -> None:
        with served_twice(scene) as (one, other):
            say(one.address, anthropic_body(3))
            say(other.address, anthropic_body(4))
            assert say(one.address, anthropic_body(4), path=f"{MESSAGES}/count_tokens") == "replayed"
        assert scene.provider.bodies[2] == scene.provider.bodies[1]

    play(act, kind, tmp_path)


@KINDS
def test_several_workers_on_one_port_are_one(kind: str, tmp_path: Path) -> None:
    names, rounds = ["s0", "s1", "s2"], range(3, 7)

    def act(scene: Scene) -> None:
        def work(session: str) -> list[str]:
            return [say(running.address, anthropic_body(number), session) for number in rounds]

        with served(scene, "--workers", "3") as running:
            address = running.address
            with ThreadPoolExecutor(len(names)) as pool:
                did = list(pool.map(work, names))
            status = read_status(address)
            while sum(row["requests"] for row in status["sessions"]) < len(names) * len(rounds):
                sleep(0.05)  # workers tell each other once a second
                status = read_status(address)
            while count_metrics(address) < len(names) * len(rounds):
                sleep(0.05)
            assert running.end() == (0, "", "")
        assert did == [["edited"] * len(rounds)] * len(names)
        assert len(set(status["workers"])) == 3
        assert not [pid for pid in status["workers"] if _is_alive(pid)]
        assert count_epochs(scene.store) == dict.fromkeys(names, len(rounds))
        told = {row["session"]: row["requests"] for row in status["sessions"]}
        assert told == dict.fromkeys(names, len(rounds))

    play(act, kind, tmp_path)


def test_a_worker_that_dies_is_replaced_and_none_outlives_the_proxy(tmp_path: Path) -> None:
    def act(scene: Scene) -> None:
        with served(scene, "--workers", "2") as running:
            say(running.address, anthropic_body(3))
            before = _list_children(running.pid)
            assert len(before) == 2
            os.kill(before[0], signal.SIGKILL)
            while len(now := _list_children(running.pid)) < 2 or before[0] in now:
                sleep(0.01)
            for _ in range(10):
                say(running.address, anthropic_body(4))
            os.kill(running.pid, signal.SIGKILL)
            running.process.join(30)
            while any(_is_alive(pid) for pid in now):  # they end when no one watches over them
                sleep(0.01)

    play(act, "sqlite", tmp_path)


def test_workers_need_a_store_that_they_share() -> None:
    argv = [sys.executable, "-m", "secateur", "serve", "--port", "0", "--workers", "2", "--store", "memory://"]
    done = subprocess.run(argv, capture_output=True, text=True, env=environment(), timeout=60, check=False)
    assert done.returncode == 2
    assert "several workers need a store that they share" in done.stderr


def count_metrics(address: str) -> float:
    """The model requests that a scrape of the metrics counts."""
    text = ask(address, "/metrics", method="GET")[2]
    return sum(map(float, re.findall(rb'^secateur_proxy_requests_total\{.*"generate".*\} (.*)$', text, re.M)))


def _list_children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
