"""Real agents with secateur put into them by `secateur install`: what the provider gets, what the agent stores.

A session of sixteen calls, then the model reads back what was removed; uninstalling leaves the home as it was.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cli_runs import Done, secateur
from clients.agents import AGENTS, THRIFTY, Agent, Desk, find_obstacle, find_program
from loaders import claude_code_loader
from model_server import Call, Script, ScriptedModel, Step
from proxies import proxy
from secateur.hosts.launch import TENANT
from upstream import upstream

CALLS, AT_ONCE = 16, 4
RULE = "Never push to main."
PASSED = "".join(f"tests/test_{n % 9}.py::test_case_{n:03d} PASSED\n" for n in range(300))
OUTPUT = f"collected 300 items\n\n{PASSED}\n===== 300 passed in 1.00s =====\n"
TESTS = tuple(f"./pytest -v tests/{number}" for number in range(CALLS))
MIXED = tuple(f"echo note {n:02d}" if n % AT_ONCE else TESTS[n] for n in range(CALLS))  # three short, one long
LONG = CALLS // AT_ONCE


SETTINGS = b'{"theme":  "dark", "permissions": {"allow": ["Bash"]}}'
CONFIG = b'model = "gpt-5-codex"\n# mine\n[mcp_servers.other]\ncommand = "true"\nenabled = false'
RECALL = "mcp__plugin_secateur_recall__recall"
SUMMARIES = {"CRITICAL: Respond with TEXT ONLY": "<summary>Tests ran.</summary>"}


def make_script(commands: tuple[str, ...]) -> Script:
    """All commands, some at once, and an answer."""
    rounds = [commands[first : first + AT_ONCE] for first in range(0, CALLS, AT_ONCE)]
    steps = [Step(f"{each[0]} and more.", calls=tuple(Call(command=one) for one in each)) for each in rounds]
    return Script((*steps, Step("All of it ran.")))


def make_desk(agent: Agent, home: Path) -> Desk:
    """A home, and a check of 300 steps in the folder of the work."""
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk = Desk(agent, home)
    desk.work.mkdir(parents=True)
    (desk.work / "output.txt").write_text(OUTPUT)
    (desk.work / "pytest").write_text("#!/bin/sh\ncat output.txt\n")
    (desk.work / "pytest").chmod(0o755)
    return desk


def command(desk: Desk, *arguments: str, **environment: str) -> Done:
    """One of our commands, in the agent's home."""
    made = desk.make_environment() | environment
    done = secateur(*arguments, **made, XDG_DATA_HOME=str(desk.home / ".local" / "share"))
    assert done.code == 0, done
    return done


def test_claude_code_with_the_plugin(tmp_path: Path) -> None:
    agent = replace(AGENTS["claude"], direct=direct_claude)
    desk = make_desk(agent, tmp_path)
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(SETTINGS)
    command(desk, "install", "claude-code")
    script = make_script(MIXED)
    with upstream(model := ScriptedModel(script), other=model) as server:
        assert desk.run(server.url, prompt=f"Run the tests. {RULE}").code == 0
        results = list_results(server.bodies[-1])
        assert [text.count("PASSED") for text in results] == [1, 0, 0, 0] * LONG  # one step shows what all look like
        assert all("300 passed in 1.00s" in text and len(text) < 1_000 for text in results[::AT_ONCE])
    (session,) = desk.read_sessions()
    assert [piece.text for piece in claude_code_loader.load(session.encode()) if piece.kind == "tool_result"] == results
    handle = results[0].partition("recall ")[2][:12]
    check_compaction(desk)
    check_next_prompt(desk, handle)
    (checked,) = command(desk, "doctor", "--json").json["hosts"]
    assert (checked["problems"], checked["last"]["error"]) == ([], "")
    command(desk, "uninstall", "claude-code")
    assert settings.read_bytes() == SETTINGS
    assert not (tmp_path / ".claude" / "skills").exists()


def direct_claude(url: str, home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Claude Code waits for servers, and lists their tools from the first request on."""
    return (), {"ANTHROPIC_BASE_URL": url, "ENABLE_TOOL_SEARCH": "false", "MCP_CONNECTION_NONBLOCKING": "false"}


def list_results(body: str) -> list[str]:
    """The texts of the results in a request."""
    blocks = [block for message in json.loads(body)["messages"] for block in message["content"] if block != str(block)]
    texts = [flatten(block["content"]) for block in blocks if block["type"] == "tool_result"]
    return [text.partition("\n\n<system-reminder>")[0] for text in texts]  # which is the agent's own


def flatten(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(block["text"] for block in content)


def check_compaction(desk: Desk) -> None:
    """Claude Code's summarizer gets the user's rules."""
    model = ScriptedModel(Script((Step("Nothing is."),)), asides=SUMMARIES)
    with upstream(model, other=model) as server:
        assert desk.run(server.url, "--continue", prompt="/compact").code == 0
    (asked,) = server.bodies
    told = json.loads(asked)["messages"][-1]["content"][-1]["text"]
    assert RULE in told.partition("Additional Instructions:")[2]


def check_next_prompt(desk: Desk, handle: str) -> None:
    """The next request has the facts, and the model reads an output back by the tool of the plugin."""
    script = Script((Step("Reading.", calls=(Call(RECALL, {"handle": handle}),)), Step("Read.")))
    with upstream(model := ScriptedModel(script), other=model) as server:
        assert desk.run(server.url, "--continue", "--allowedTools", RECALL, prompt="Read it back.").code == 0
    after = server.bodies[0]
    assert "SessionStart hook additional context: # Hand-off" in after
    assert TESTS[-AT_ONCE] in after
    text = list_results(server.bodies[-1])[-1]
    assert f"[secateur recall: {handle}, lines 1-" in text
    assert text.count("PASSED") == 198  # in the first 200 lines


def test_codex_with_the_server_and_the_profile(tmp_path: Path) -> None:
    desk = make_desk(AGENTS["codex"], tmp_path)
    config = tmp_path / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_bytes(CONFIG)
    script = make_script(TESTS)
    store = desk.make_environment()["SECATEUR_STORE"]
    with (
        upstream(model := ScriptedModel(script), other=model) as server,
        proxy(server.url, store=store, mode="prune", policy=THRIFTY, tenant=TENANT) as address,
    ):
        command(desk, "install", "codex", SECATEUR_PROXY=address)
        assert config.read_bytes().startswith(CONFIG)
        run_codex(desk, "--profile", "secateur", "-c", "mcp_servers.secateur.required=true")  # it waits for it
    assert [answer.step for answer in model.answers if answer.kind == "main"] == list(range(len(script.steps)))
    last = json.loads(server.bodies[-1])
    (named,) = (tool for tool in last["tools"] if tool.get("name") == "mcp__secateur")
    assert "recall" in [tool["name"] for tool in named["tools"]]
    outputs = [item["output"] for item in last["input"] if item["type"] == "function_call_output"]
    assert len(outputs) == CALLS
    assert sum("recall " in text for text in outputs) > CALLS // 2  # the proxy sees that the model has the tool
    (session,) = desk.read_sessions()
    assert session.count("test_case_299 PASSED") >= CALLS  # Codex keeps every output
    (checked,) = command(desk, "doctor", "--json").json["hosts"]
    assert checked["problems"] == []
    assert checked["last"]
    command(desk, "uninstall", "codex")
    assert config.read_bytes() == CONFIG
    assert not (config.parent / "secateur.config.toml").exists()


def run_codex(desk: Desk, *arguments: str) -> None:
    """Codex as it is installed, without the settings by which other tests lead it to a server."""
    program = str(find_program(desk.agent))
    environment = desk.make_environment() | {"OPENAI_API_KEY": "sk-none"}
    subprocess.run(
        [program, *arguments, *desk.agent.arguments, "Run the tests."],
        cwd=desk.work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=True,
    )
