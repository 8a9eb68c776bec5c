"""A provider refuses a request as too long in a headless run: alone that ends it, behind the proxy it does not."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clients.agents import AGENTS, Desk, Ran, find_obstacle
from model_server import Call, Script, ScriptedModel, Step
from upstream import upstream

NOTES = tuple(f"echo note {number:02d}; seq {number * 10_000} {number * 10_000 + 4_000}" for number in range(9))
SCRIPT = Script((*(Step(calls=(Call(command=note),)) for note in NOTES), Step("Nine notes are read.")))
WINDOWS = {"claude": 36_000, "codex": 20_000}  # tokens: of the system prompt and tools, and of two results or three


@pytest.mark.parametrize("name", WINDOWS)
def test_a_headless_run_survives_an_overflow(name: str, tmp_path: Path) -> None:
    agent = AGENTS[name]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desks = [Desk(agent, tmp_path / str(number)) for number in range(3)]
    with ThreadPoolExecutor() as pool:  # side by side: each waits between its requests
        (alone, _), *others = pool.map(_run, desks, ("", "prune", "prune"), ("", "balance", "opencode"))
    assert alone.code == 1
    assert "Nine notes are read." not in alone.out
    for behind, kinds in others:
        assert behind.code == 0, behind
        assert "Nine notes are read." in behind.out
        assert kinds.count("main") == len(SCRIPT.steps)
        assert "failure" in kinds  # it was refused, cut, and sent again


def _run(desk: Desk, mode: str, policy: str) -> tuple[Ran, list[str]]:
    model = ScriptedModel(SCRIPT, window=WINDOWS[desk.agent.name])
    with upstream(model, other=model) as server:
        ran = desk.run(server.url, mode=mode, policy=policy)
    return ran, [answer.kind for answer in model.answers]
