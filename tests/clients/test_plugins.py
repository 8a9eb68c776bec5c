"""Real agents with the plugin that `secateur install` writes: what the model got, what the agent stored, and that
`secateur uninstall` restores every byte of the home.

Each plays sixteen calls with long results, compacts, and continues.
"""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from cli_runs import secateur
from clients.agents import AGENTS, KILO, PROMPT, Agent, Desk, find_obstacle
from model_server import Call, Script, ScriptedModel, Step
from secateur.api import check
from upstream import upstream

CALLS = 16
LINES = 1_500  # of a result: less than what agents cut by themselves
SCRIPT = Script(
    (
        *(
            Step(calls=(Call(command=f"echo note {n:02d}; seq {10_000 * n} {10_000 * n + LINES}"),))
            for n in range(CALLS)
        ),
        Step("Sixteen notes are read."),
        Step(calls=(Call(command="echo more"),)),
        Step("All notes are read."),
    )
)
SUMMARY = "## Goal\n- Read the notes one after the other\n\n## Next Steps\n- say what the notes have in common\n"
STEPS = "".join(f"tests/test_{n % 9}.py::test_case_{n:03d} PASSED\n" for n in range(300)) + "300 passed in 1.00s\n"
WINDOWS = {"opencode": 12_000, "kilo": 20_000}  # tokens: above the system prompt and tools, below the history
PRUNES = """
name = "short"
{more}
[protect]
last_results = 3
[[prune]]
type = "hard_clear"
[schedule]
type = "threshold"
over_tokens = 12000
clear_at_least = 12000
[compaction]
{compaction}
"""
TAIL = PRUNES.format(more="", compaction="keep_tokens = 2000")
MIDDLE = PRUNES.format(more="", compaction='layout = "middle"\nhead_messages = 3\nkeep_tokens = 2000')


def run_secateur(desk: Desk, *args: str) -> str:
    done = secateur(*args, **desk.make_environment())
    assert done.code == 0, done
    return done.text


def read_tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if ".local" not in path.parts  # secateur's own record of the installation, and its store
    }


def make_result(number: int) -> str:
    return "\n".join((f"note {number:02d}", *map(str, range(10_000 * number, 10_000 * number + LINES + 1))))


@pytest.mark.parametrize(("policy", "shape"), [(TAIL, "tail"), (MIDDLE, "middle")], ids=["tail", "middle"])
def test_pi_is_pruned_and_compacted_and_keeps_every_entry(tmp_path: Path, policy: str, shape: str) -> None:
    agent = AGENTS["pi"]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk = Desk(agent, tmp_path / "home")
    folder = desk.home / ".pi" / "agent"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text('{"compaction": {"keepRecentTokens": 6000}}')
    chosen = tmp_path / "policy.toml"
    chosen.write_text(policy)
    before = read_tree(desk.home)
    run_secateur(desk, "install", "pi", "--policy", str(chosen))
    model = ScriptedModel(SCRIPT, asides={"<conversation>": SUMMARY})
    with upstream(model, other=model) as server:
        said = (PROMPT, "/acp compress the notes", "/secateur status")
        ran = desk.run(server.url, "--thinking", "off", *said, prompt="Read one more.")
    assert (ran.code, ran.out) == (0, "All notes are read.\n"), ran
    assert "compressed: override" in ran.err
    assert "pruned: " in ran.err
    bodies = [json.loads(one.body) for one in server.posts]
    main = [body for body in bodies if body.get("tools")]
    assert (len(main), len(bodies)) == (CALLS + 3, CALLS + 4)  # and one for the summary
    found = [one for body in main for one in check("anthropic", body["messages"], body)]
    assert not [one for one in found if one.severity == "error"]
    _check_views(main, shape)
    entries = [json.loads(line) for text in desk.read_sessions() for line in text.splitlines()]
    results = [entry["message"] for entry in entries if entry.get("message", {}).get("role") == "toolResult"]
    assert [one["content"][0]["text"].strip() for one in results[:CALLS]] == [*map(make_result, range(CALLS))]
    (compaction,) = (entry for entry in entries if entry["type"] == "compaction")
    assert "what the notes have in common" in compaction["summary"]
    (host,) = json.loads(run_secateur(desk, "doctor", "--json"))["hosts"]
    assert host["problems"] == []
    assert host["last"]["requests"] == CALLS + 3
    assert host["last"]["edited"] > CALLS / 2
    run_secateur(desk, "uninstall", "pi")
    after = read_tree(desk.home)
    assert {name: data for name, data in after.items() if name in before} == before
    assert not [name for name in after if "extension" in name]


def test_pi_stores_the_shorter_results_where_that_is_asked_for(tmp_path: Path) -> None:
    agent = AGENTS["pi"]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk = Desk(agent, tmp_path / "home")
    desk.work.mkdir(parents=True)
    (desk.work / "output.txt").write_text(STEPS)
    (desk.work / "pytest").write_text("#!/bin/sh\ncat output.txt\n")
    (desk.work / "pytest").chmod(0o755)
    before = read_tree(desk.home)
    run_secateur(desk, "install", "pi", "--shorten-results")
    calls = (Call(command="./pytest -v"), Call(command="seq 1 900"))
    model = ScriptedModel(Script((Step(calls=calls), Step("All tests ran."))))
    with upstream(model, other=model) as server:
        ran = desk.run(server.url, "--thinking", "off", prompt="Run the tests.")
        bodies = [json.loads(one.body) for one in server.posts]
    assert (ran.code, ran.out) == (0, "All tests ran.\n"), ran
    entries = [json.loads(line) for text in desk.read_sessions() for line in text.splitlines()]
    results = [entry["message"] for entry in entries if entry.get("message", {}).get("role") == "toolResult"]
    shorter, other = (one["content"][0]["text"] for one in results)
    assert "300 passed in 1.00s" in shorter
    assert len(shorter) < 600
    assert other.split() == [*map(str, range(1, 901))]  # nothing in it says the same again
    assert [one["content"] for one in _list_results(bodies[-1])] == [shorter, other]
    original = shorter.partition("left out: steps that went well, read ")[2].partition("]")[0]
    assert Path(original).read_text().strip() == STEPS.strip()
    run_secateur(desk, "uninstall", "pi")
    after = read_tree(desk.home)
    assert {name: data for name, data in after.items() if name in before} == before
    assert not [name for name in after if "extension" in name]


def _list_results(body: dict[str, Any]) -> list[dict[str, Any]]:
    blocks = [block for message in body["messages"] for block in message["content"] if isinstance(block, dict)]
    return [block for block in blocks if block["type"] == "tool_result"]


def _check_pruning(main: list[dict[str, Any]]) -> None:
    last = json.dumps(main[CALLS]["messages"])
    newest, oldest = (json.dumps(make_result(number))[1:2_000] for number in (CALLS - 1, 0))
    assert last.count(newest) == 1
    assert oldest not in last
    whole = sum(len(json.dumps(main[0])) + len(make_result(CALLS)) * number for number in range(CALLS + 1))
    assert sum(len(json.dumps(body)) for body in main[: CALLS + 1]) < 0.8 * whole


def _check_views(main: list[dict[str, Any]], shape: str) -> None:
    """Results that the session has passed are cleared; behind the compaction stand summary, head and tail."""
    _check_pruning(main)
    texts = [json.dumps(message) for message in main[CALLS + 1]["messages"]]
    at = [number for number, text in enumerate(texts) if "what the notes have in common" in text]
    assert at == ([0] if shape == "tail" else [3])
    assert len(texts) < 12
    assert "Read one more." in texts[-1]


@pytest.mark.parametrize("agent", [AGENTS["opencode"], KILO], ids=["opencode", "kilo"])
def test_requests_are_pruned_and_summaries_asked_for_and_the_database_keeps_every_part(
    agent: Agent, tmp_path: Path
) -> None:
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk, chosen = Desk(agent, tmp_path / "home"), tmp_path / "policy.toml"
    desk.home.mkdir()
    chosen.write_text(TAIL)
    run_secateur(desk, "install", agent.name, "--policy", str(chosen))
    summary = {
        "Write a summary of the conversation": "## Goal\n- go on\n\n## Next steps\n- say: Sixteen notes are read."
    }
    model, small = ScriptedModel(SCRIPT), ScriptedModel(SCRIPT, asides=summary, window=WINDOWS[agent.name])
    with upstream(model, other=model) as server:
        first = desk.run(server.url)
        main = [json.loads(one.body) for one in server.posts]
    with upstream(small, other=small) as server:  # too small for the history: the agent compacts
        second = desk.run(server.url, "--continue", prompt="Read one more.")
        later = [json.loads(one.body) for one in server.posts]
    assert first.code == 0  # the second ends with 1: it reports each refusal
    assert "Sixteen notes are read." in first.out
    assert "All notes are read." in second.out
    main = [body for body in main if body.get("tools")]
    assert len(main) == CALLS + 1
    found = [one for body in main for one in check("anthropic", body["messages"], body)]
    assert not [one.rule for one in found if one.severity == "error"]
    _check_pruning(main)
    asked = [json.dumps(body) for body in later if not body.get("tools")]
    assert any("- ran, ok: echo note 00" in text and "It is all that is kept" in text for text in asked)
    with sqlite3.connect(desk.home / ".local" / "share" / agent.name / f"{agent.name}.db") as database:
        parts = [json.loads(data) for (data,) in database.execute("SELECT data FROM part ORDER BY time_created, id")]
    outputs = [part["state"]["output"].strip() for part in parts if part["type"] == "tool"]
    assert outputs[:CALLS] == [*map(make_result, range(CALLS))]
    assert not [part for part in parts if part["type"] == "tool" and "compacted" in part["state"]["time"]]
    (host,) = json.loads(run_secateur(desk, "doctor", "--json"))["hosts"]
    assert (host["problems"], host["last"]["edited"] > 0) == ([], True)
    run_secateur(desk, "uninstall", agent.name)
    assert not (desk.home / ".config" / agent.name / "plugin").exists()


def test_opencodes_own_pruner_is_off_while_the_plugin_runs(tmp_path: Path) -> None:
    """It is on in the user's settings, and clears what three turns leave behind, unless the plugin is there."""
    if obstacle := find_obstacle(AGENTS["opencode"]):
        pytest.skip(obstacle)
    with ThreadPoolExecutor() as pool:
        alone, beside = pool.map(_count_cleared, (tmp_path / "0", tmp_path / "1"), (False, True))
    assert alone > 0
    assert beside == 0


def _count_cleared(home: Path, is_installed: bool) -> int:
    """How many of the outputs of a first turn opencode's database calls cleared, two turns later."""
    desk = Desk(structs.replace(AGENTS["opencode"], direct=_direct_pruning), home)
    desk.home.mkdir()
    if is_installed:
        run_secateur(desk, "install", "opencode", "--policy", "observe")
    calls = tuple(Call(command=f"echo note {n:02d}; seq {10_000 * n} {10_000 * n + 1_900}") for n in range(24))
    answers = ("The notes are read.", "So it is.", "Indeed.")
    model = ScriptedModel(Script((Step(calls=calls), *map(Step, answers))))
    with upstream(model, other=model) as server:
        for number, answer in enumerate(answers):
            ran = desk.run(server.url, *(("--continue",) if number else ()), prompt=f"Prompt {number}.")
            assert (ran.code, answer in ran.out) == (0, True), ran
    with sqlite3.connect(desk.home / ".local" / "share" / "opencode" / "opencode.db") as database:
        parts = [json.loads(data) for (data,) in database.execute("SELECT data FROM part")]
    tools = [part for part in parts if part["type"] == "tool"]
    assert len(tools) == len(calls)
    return sum("compacted" in part["state"]["time"] for part in tools)


def _direct_pruning(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    first, environment = AGENTS["opencode"].direct(url, home)
    config = json.loads(environment["OPENCODE_CONFIG_CONTENT"]) | {"compaction": {"prune": True}}
    return first, {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}
