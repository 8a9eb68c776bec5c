"""Real agents play a scripted session directly, observed and pruned: the outcome, their requests, their own files.

Each plays the same session: twelve tool calls with long results, an overloaded provider before the fourth, an answer, a
second prompt that continues the session, and one more call.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from msgspec import Struct

from clients.agents import AGENTS, THRIFTY, Agent, Desk, Ran, find_obstacle
from clients.masks import find_difference, mask_body, mask_lines
from model_server import Answer, Call, Failure, Script, ScriptedModel, Step
from upstream import Received, upstream

CALLS = 12
AGAIN = "Read the last note, too."
NOTES = tuple(f"echo note {number:02d}; seq {number * 10_000} {number * 10_000 + 4_000}" for number in range(CALLS + 1))
SCRIPT = Script(
    (
        *(Step(calls=(Call(command=note),)) for note in NOTES[:CALLS]),
        Step("Twelve notes are read."),
        Step(calls=(Call(command=NOTES[CALLS]),)),
        Step("All notes are read."),
    ),
    failures={3: Failure(529, times=2)},
)


class Played(Struct, frozen=True):
    """What a session left behind."""

    runs: tuple[Ran, Ran]
    requests: tuple[Received, ...]
    answers: tuple[Answer, ...]
    sessions: tuple[str, ...]
    status: dict[str, object]
    home: str

    @property
    def asked(self) -> list[Received]:
        """The requests that the model was asked with."""
        return [request for request in self.requests if request.method == "POST"]


def play(agent: Agent, folder: Path, mode: str) -> Played:
    """The session, in a home of its own."""
    desk, model = Desk(agent, folder / "home"), ScriptedModel(SCRIPT)
    with upstream(model, other=model) as server:
        runs = (
            desk.run(server.url, mode=mode, policy=THRIFTY),
            desk.run(server.url, *agent.resume, mode=mode, policy=THRIFTY, prompt=AGAIN),
        )
        status = desk.read_status() if mode else {}
        sessions = tuple(desk.read_sessions())
        assert bool(sessions) == bool(agent.sessions)
        return Played(runs, tuple(server.requests), tuple(model.answers), sessions, status, str(desk.home))


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS.keys())
def test_a_session_through_the_proxy_is_what_it_is_without_it(agent: Agent, tmp_path: Path) -> None:
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    folders = (tmp_path / "0", tmp_path / "1", tmp_path / "2")  # of one length: paths are part of prompts
    with ThreadPoolExecutor() as pool:  # while one waits to ask again, another one works
        direct, observed, pruned = pool.map(partial(play, agent), folders, ("", "observe", "prune"))
    for played in (direct, observed, pruned):
        _check_outcome(played)
    _check_requests_are_equal(direct, observed)
    _check_sessions_are_equal(direct, observed)
    _check_sessions_are_equal(direct, pruned)
    _check_pruning(direct, pruned)


def _check_outcome(played: Played) -> None:
    assert [run.code for run in played.runs] == [0, 0], played.runs
    assert "Twelve notes are read." in played.runs[0].out
    assert "All notes are read." in played.runs[1].out
    assert [answer.step for answer in played.answers if answer.kind == "main"] == list(range(CALLS + 3))
    assert [answer.kind for answer in played.answers].count("failure") == 2


def _check_requests_are_equal(direct: Played, observed: Played) -> None:
    without = [mask_body(one.body, direct.home) for one in direct.asked]
    assert not find_difference(without, [mask_body(one.body, observed.home) for one in observed.asked])
    for one, other in zip(direct.asked, observed.asked, strict=True):
        assert list(json.loads(one.body)) == list(json.loads(other.body))  # in the same order
        assert one.headers.keys() - {"connection"} == other.headers.keys()  # of one hop
        assert one.headers.get("user-agent") == other.headers.get("user-agent")


def _check_sessions_are_equal(direct: Played, proxied: Played) -> None:
    without = [mask_lines(text, direct.home) for text in direct.sessions]
    assert any(without) == bool(direct.sessions)
    assert not find_difference(without, [mask_lines(text, proxied.home) for text in proxied.sessions])


def _check_pruning(direct: Played, pruned: Played) -> None:
    """Requests are shorter, and between epochs each one reads all of the one before from the cache."""
    assert sum(len(one.body) for one in pruned.asked) < sum(len(one.body) for one in direct.asked)
    sessions = pruned.status["sessions"]
    assert isinstance(sessions, list)
    epochs = sum(session["savings"]["epochs"] for session in sessions)
    assert epochs > 0
    assert _count_cache_breaks(pruned) <= epochs + _count_cache_breaks(direct)  # some agents change their own prompts
    assert sum(session["savings"]["requests"] for session in sessions) >= CALLS + 3


def _count_cache_breaks(played: Played) -> int:
    """How many requests did not read all of the one before them from the prompt cache."""
    main = [answer.usage for answer in played.answers if answer.kind == "main"]
    return sum(after.read < before.total for before, after in zip(main, main[1:], strict=False))
