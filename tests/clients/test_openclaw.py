"""OpenClaw with the context engine that `secateur install` writes: `make openclaw` puts it and its Node into .clients.

The first turn makes calls with long results, the second one is refused as too long once, so that OpenClaw compacts.
"""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.agents import CLIENTS
from model_server import Call, Failure, Script, ScriptedModel, Step
from upstream import upstream

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MODULES = CLIENTS / "openclaw" / "node_modules"
CALLS, KEPT, LINES = 16, 3, 1_200
CLEARED = "; removed, "
STEPS = "".join(f"tests/test_{n % 9}.py::test_case_{n:03d} PASSED\n" for n in range(300)) + "300 passed in 1.00s\n"
SUMMARY = "## Goal\n- Read the notes one after the other\n\n## Next Steps\n- say what the notes have in common\n"
POLICY = f"""
name = "short"
prune = [{{ type = "hard_clear" }}]
schedule = {{ type = "every_request" }}
protect = {{ last_results = {KEPT} }}
"""
MODEL = {
    "id": "scripted",
    "name": "Scripted",
    "reasoning": False,
    "input": ["text"],
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    "contextWindow": 200_000,
    "maxTokens": 8_192,
}

pytestmark = pytest.mark.skipif(not MODULES.exists(), reason="OpenClaw is not installed: make openclaw")


def make_result(number: int) -> str:
    return "\n".join((f"note {number:02d}", *map(str, range(10_000 * number, 10_000 * number + LINES + 1))))


def configure(home: Path, url: str) -> bytes:
    """OpenClaw's configuration: the scripted provider, and every tool offered by its own name."""
    provider = {"baseUrl": f"{url}/v1", "apiKey": "sk-none", "api": "openai-completions", "models": [MODEL]}
    config = {
        "models": {"mode": "replace", "providers": {"scripted": provider}},
        "tools": {"toolSearch": False},
        "agents": {"defaults": {"model": {"primary": "scripted/scripted"}}},
    }
    path = home / ".openclaw" / "openclaw.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(config))
    return path.read_bytes()


def run(home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    programs = os.pathsep.join((str(MODULES / "node" / "bin"), str(MODULES / ".bin"), os.environ["PATH"]))
    environment = {
        **{name: value for name, value in os.environ.items() if name.startswith("PYTHON")},
        **{"HOME": str(home), "PATH": programs, "LANG": "C.UTF-8", "CI": "1", "TERM": "dumb", "NO_COLOR": "1"},
        "SECATEUR_STORE": f"sqlite:///{home}/secateur.db",
    }
    done = subprocess.run(
        command,
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


def run_secateur(home: Path, *arguments: str) -> str:
    return run(home, sys.executable, "-m", "secateur", *arguments).stdout


def ask(home: Path, prompt: str) -> None:
    run(home, "openclaw", "agent", "--local", "--agent", "main", "-m", prompt, "--json")


def list_results(body: dict[str, Any]) -> list[str]:
    """The texts of the results in a request."""
    contents = [one["content"] for one in body["messages"] if one["role"] == "tool"]
    return [one if isinstance(one, str) else "".join(part["text"] for part in one) for one in contents]


def read_transcript(home: Path) -> list[str]:
    """The results in the transcript of OpenClaw's main agent."""
    path = home / ".openclaw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT event_json, event_zstd FROM transcript_events ORDER BY seq").fetchall()
    events = [json.loads(text or zstd.decompress(packed)) for text, packed in rows]
    messages = [event["message"] for event in events if event["type"] == "message"]
    return [one["content"][0]["text"] for one in messages if one["role"] == "toolResult"]


def test_turns_are_pruned_and_compacted_and_the_transcript_keeps_every_message(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(POLICY)
    calls = (
        Step(calls=(Call(command=f"echo note {n:02d}; seq {10_000 * n} {10_000 * n + LINES}"),))
        for n in range(1, CALLS + 1)
    )
    last = (Step("The notes are read."), Step(calls=(Call(command="echo more"),)), Step("All notes are read."))
    refused = {CALLS + 2: Failure(400, is_overflow=True)}
    model = ScriptedModel(Script((*calls, *last), failures=refused), asides={"<conversation>": SUMMARY})
    with upstream(model, other=model) as server:
        before = configure(tmp_path, server.url)
        run_secateur(tmp_path, "install", "openclaw", "--policy", str(tmp_path / "policy.toml"))
        ask(tmp_path, "Read the notes one after the other.")
        ask(tmp_path, "Read one more.")
        bodies = [json.loads(one.body) for one in server.posts]
    main = [body for body in bodies if body.get("tools")]
    assert list_results(main[CALLS]) == [make_result(n) for n in range(1, CALLS + 1)]  # a turn that runs is whole
    later = list_results(main[CALLS + 1])
    assert [CLEARED in one for one in later] == [True] * (CALLS - KEPT) + [False] * KEPT
    assert later[-KEPT:] == [make_result(n) for n in range(CALLS - KEPT + 1, CALLS + 1)]
    assert "what the notes have in common" in json.dumps(main[-1]["messages"])
    assert len(main[-1]["messages"]) < len(main[CALLS + 1]["messages"])
    assert read_transcript(tmp_path)[:CALLS] == [make_result(n) for n in range(1, CALLS + 1)]
    (host,) = json.loads(run_secateur(tmp_path, "doctor", "--json"))["hosts"]
    assert (host["problems"], host["last"]["edited"] > 0) == ([], True)
    run_secateur(tmp_path, "uninstall", "openclaw")
    assert (tmp_path / ".openclaw" / "openclaw.json").read_bytes() == before
    assert not (tmp_path / ".openclaw" / "extensions").exists()


def test_results_are_shortened_within_a_turn_where_that_is_asked_for(tmp_path: Path) -> None:
    """By OpenClaw's middleware for results, before the model or the transcript gets them."""
    (tmp_path / "output.txt").write_text(STEPS)
    (tmp_path / "pytest").write_text(f"#!/bin/sh\ncat {tmp_path}/output.txt\n")
    (tmp_path / "pytest").chmod(0o755)
    calls = (Call(command=f"{tmp_path}/pytest -v"), Call(command="seq 1 900"))
    model = ScriptedModel(Script((Step(calls=calls), Step("All tests ran."))))
    with upstream(model, other=model) as server:
        before = configure(tmp_path, server.url)
        run_secateur(tmp_path, "install", "openclaw", "--shorten-results")
        ask(tmp_path, "Run the tests.")
        bodies = [json.loads(one.body) for one in server.posts]
    shorter, other = list_results([body for body in bodies if body.get("tools")][-1])
    assert "300 passed in 1.00s" in shorter
    assert len(shorter) < 600
    assert other.split() == [*map(str, range(1, 901))]  # nothing in it says the same again
    assert read_transcript(tmp_path) == [shorter, other]
    original = shorter.partition("left out: steps that went well, read ")[2].partition("]")[0]
    assert Path(original).read_text().strip() == STEPS.strip()
    run_secateur(tmp_path, "uninstall", "openclaw")
    assert (tmp_path / ".openclaw" / "openclaw.json").read_bytes() == before
    assert not (tmp_path / ".openclaw" / "extensions").exists()
