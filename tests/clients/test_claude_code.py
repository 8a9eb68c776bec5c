"""Claude Code's sub-agents and its own compaction, directly and through the proxy."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import Struct

from clients.agents import AGENTS, THRIFTY, Desk, Ran, find_obstacle
from model_server import Answer, Call, Script, ScriptedModel, Step
from secateur.lineage import handle_of
from secateur.stores.laid_files import get_tenant_folder
from upstream import Received, upstream

CUE = "Look at the letters and report."
LETTERS = tuple(f"echo letter {number}; seq {number * 5_000} {number * 5_000 + 3_000}" for number in range(3))
NOTES = tuple(f"echo note {number}; seq {number * 9_000} {number * 9_000 + 4_000}" for number in range(5))
AGAIN = "echo note again; seq 90000 94000"
SUMMARY = {"CRITICAL: Respond with TEXT ONLY": "<summary>Notes and letters were read.</summary>"}
DELEGATES = {"description": "Look at letters", "prompt": CUE, "subagent_type": "general-purpose"}
SUBAGENT = Script((*(Step(calls=(Call(command=letter),)) for letter in LETTERS), Step("The letters agree.")), cue=CUE)
MAIN = Script(
    (
        *(Step(calls=(Call(command=note),)) for note in NOTES[:3]),
        Step(calls=(Call("Agent", DELEGATES),)),
        *(Step(calls=(Call(command=note),)) for note in NOTES[3:]),
        Step("All of it is read."),
        Step(calls=(Call(command=AGAIN),)),
        Step("Read once more."),
    )
)


class Played(Struct, frozen=True):
    """What a session left behind."""

    runs: tuple[Ran, ...]
    answers: tuple[Answer, ...]
    requests: tuple[Received, ...]


def play(desk: Desk, mode: str) -> Played:
    """A prompt that needs a sub-agent, `/compact`, and one more prompt."""
    model = ScriptedModel(SUBAGENT, MAIN, asides=SUMMARY)
    with upstream(model, other=model) as server:
        runs = (
            desk.run(server.url, "--allowedTools", "Bash,Agent", mode=mode, policy=THRIFTY),
            desk.run(server.url, "--continue", mode=mode, policy=THRIFTY, prompt="/compact"),
            desk.run(
                server.url,
                "--continue",
                "--allowedTools",
                "Bash,Agent",
                mode=mode,
                policy=THRIFTY,
                prompt="Once more.",
            ),
        )
        return Played(runs, tuple(model.answers), tuple(server.posts))


def test_removed_text_may_be_read_where_placeholders_name_its_file(tmp_path: Path) -> None:
    agent = AGENTS["claude"]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk = Desk(agent, tmp_path / "home")
    folder = Path(get_tenant_folder(f"{desk.home}/secateur.db.files", "local"))
    lays = f"F=$HOME/secateur.db.files/{folder.name}; mkdir -p $F; echo the word is platypus > $F/aa.txt"
    reads = Call("Read", {"file_path": str(folder / "aa.txt")})
    model = ScriptedModel(Script((Step(calls=(Call(command=lays),)), Step(calls=(reads,)), Step("It is read."))))
    with upstream(model, other=model) as server:
        done = desk.run(server.url, mode="prune", policy=THRIFTY)
        last = server.posts[-1].body.decode()
    assert (done.code, "It is read." in done.out) == (0, True)
    assert "1\\tthe word is platypus" in last  # as its tool prints it; without permission it is refused


def test_the_model_reads_back_by_the_tool_that_the_proxy_serves(tmp_path: Path) -> None:
    agent = AGENTS["claude"]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk = Desk(agent, tmp_path / "home")
    printed = subprocess.run(NOTES[0], shell=True, capture_output=True, text=True, check=True).stdout.rstrip()
    back = Call("secateur_recall", {"handle": handle_of(printed)})
    notes = [Step(calls=(Call(command=note),)) for note in NOTES]
    model = ScriptedModel(Script((*notes, Step("I look again.", calls=(back,)), Step("All of it is read."))))
    with upstream(model, other=model) as server:
        done = desk.run(server.url, mode="prune", policy=THRIFTY, recall="served")
        first, last = json.loads(server.posts[0].body), json.loads(server.posts[-1].body)
        again = desk.run(server.url, "--continue", mode="prune", policy=THRIFTY, recall="served", prompt="Thanks.")
        resumed = json.loads(server.posts[-1].body)
    assert (done.code, again.code, "All of it is read." in done.out) == (0, 0, True), done
    assert [one["tools"][-1]["name"] for one in (first, last, resumed)] == ["secateur_recall"] * 3
    [result] = last["messages"][-1]["content"]
    header, _, page = result["content"].partition("\n")
    assert (header.startswith("[secateur recall: "), "lines 1-200 of 4002, page 1 of 21" in header) == (True, True)
    assert page == "".join(printed.splitlines(keepends=True)[:200])  # a page of short lines ends at 200 lines
    assert resumed["messages"][len(last["messages"]) - 1]["content"][0]["content"] == result["content"]
    assert not any("secateur_recall" in session for session in desk.read_sessions())


def test_subagents_and_compaction_are_what_they_are_without_us(tmp_path: Path) -> None:
    agent = AGENTS["claude"]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desks = (Desk(agent, tmp_path / "0"), Desk(agent, tmp_path / "1"))
    with ThreadPoolExecutor() as pool:
        direct, pruned = pool.map(play, desks, ("", "prune"))
    for played in (direct, pruned):
        assert [run.code for run in played.runs] == [0, 0, 0], played.runs
        assert "All of it is read." in played.runs[0].out
        assert "Read once more." in played.runs[2].out
    asked = [(answer.kind, answer.script, answer.step) for answer in direct.answers]
    assert asked == [(answer.kind, answer.script, answer.step) for answer in pruned.answers]
    assert [step for kind, script, step in asked if (kind, script) == ("main", 0)] == [0, 1, 2, 3]
    assert [kind for kind, _, _ in asked].count("side") == 1
    assert sum(len(one.body) for one in pruned.requests) < sum(len(one.body) for one in direct.requests)
