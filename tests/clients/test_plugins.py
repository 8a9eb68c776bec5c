"""Real agents with the plugin that `secateur install` writes: what the model got, what the agent stored, and that
`secateur uninstall` restores every byte of the home.

Each plays sixteen calls with long results, compacts, and goes on.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.agents import AGENTS, PROMPT, Desk, find_obstacle
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
    environment = {**os.environ, **desk.make_environment()}
    argv = [sys.executable, "-m", "secateur", *args]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


def _check_views(main: list[dict[str, Any]], shape: str) -> None:
    """Results that the session has passed are cleared; behind the compaction stand summary, head and tail."""
    last = json.dumps(main[CALLS]["messages"])
    assert last.count(make_result(CALLS - 1)[:2_000].replace("\n", "\\n")) == 1
    assert make_result(0)[:2_000].replace("\n", "\\n") not in last
    assert sum(len(json.dumps(body)) for body in main[: CALLS + 1]) < 0.7 * sum(
        len(json.dumps(main[0])) + 9_000 * n for n in range(CALLS + 1)
    )
    texts = [json.dumps(message) for message in main[CALLS + 1]["messages"]]
    at = [number for number, text in enumerate(texts) if "what the notes have in common" in text]
    assert at == ([0] if shape == "tail" else [3])
    assert len(texts) < 12
    assert "Read one more." in texts[-1]
