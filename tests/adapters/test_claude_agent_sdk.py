"""The Claude Agent SDK behind the proxy, with the binary that it brings and a scripted model: `make adapters`."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adapters import check_sent, sent
from model_server import FINAL, Call, Script, ScriptedModel, Step
from proxies import proxy
from secateur.stores.memory import MemoryStore
from upstream import Upstream, upstream

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed: `make adapters` tests it")

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    HookMatcher,
    ResultMessage,
    ToolResultBlock,
    UserMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

from secateur.adapters.claude_agent_sdk import RECALL, SecateurResults

ROUNDS = 12
CLEAR = """\
name = "clear"
protect = { last_rounds = 2 }
prune = [{ type = "hard_clear" }]
schedule = { type = "every_request" }
"""


def make_model() -> ScriptedModel:
    """A model that runs a command with each answer."""
    calls = [Step(f"Note {n}.", "Let me see.", (Call(command=f"seq {n}000 {n}400"),)) for n in range(1, ROUNDS + 1)]
    return ScriptedModel(Script((*calls, Step(FINAL, "Let me see."))))


async def play(url: str, home: Path, **settings: Any) -> tuple[list[str], str]:
    """A run: the results as the SDK has them, and how it ended."""
    home.mkdir(exist_ok=True)
    environment = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "MCP_CONNECTION_NONBLOCKING": "false",
        "HOME": str(home),
        "CI": "1",
    }
    allowed = ["Bash", "mcp__checks__run", RECALL]
    options = ClaudeAgentOptions(
        model="claude-sonnet-4-5", allowed_tools=allowed, setting_sources=[], cwd=str(home), env=environment, **settings
    )
    results: list[str] = []
    ended = ""
    async for message in query(prompt="Run them one after the other.", options=options):
        if isinstance(message, UserMessage) and isinstance(message.content, list):
            results += [str(one.content) for one in message.content if isinstance(one, ToolResultBlock)]
        if isinstance(message, ResultMessage):
            ended = str(message.result)
            assert not message.is_error
        assert not isinstance(message, AssistantMessage) or message.content
    return results, ended


def list_main(server: Upstream) -> list[dict[str, Any]]:
    """Requests with tools: those of the agent's own conversation."""
    return [body for _, _, body in sent(server) if body.get("tools")]


def test_what_passes_the_base_url_is_pruned_and_the_sdks_session_is_whole(tmp_path: Path) -> None:
    policy = tmp_path / "clear.toml"
    policy.write_text(CLEAR)
    with upstream(make_model()) as server, proxy(server.url, mode="prune", policy=str(policy)) as address:
        results, ended = asyncio.run(play(address, tmp_path / "pruned"))
        bodies = list_main(server)
        check_sent(server)
    with upstream(make_model()) as other:
        expected, ended_too = asyncio.run(play(other.url, tmp_path / "direct"))
        direct = list_main(other)
    assert FINAL in ended
    assert ended == ended_too
    assert results == expected
    assert len(results) == ROUNDS
    assert len(bodies) == len(direct) == ROUNDS + 1
    assert json.dumps(bodies[-1]).count("; removed") == ROUNDS - 2
    assert len(json.dumps(bodies[-1]["messages"])) < len(json.dumps(direct[-1]["messages"])) / 2
    (kept,) = (tmp_path / "pruned").rglob("projects/*/*.jsonl")
    assert "; removed" not in kept.read_text()


STEPS = "".join(f"tests/test_{n % 9}.py::test_case_{n:03d} PASSED\n" for n in range(300)) + "300 passed in 1.00s\n"
NUMBERS = "\n".join(map(str, range(1, 2_001)))
THOUGHT = "Let me see."


def make_home(tmp_path: Path) -> Path:
    """A folder with a check of 300 steps."""
    (tmp_path / "output.txt").write_text(STEPS)
    (tmp_path / "pytest").write_text("#!/bin/sh\ncat output.txt\n")
    (tmp_path / "pytest").chmod(0o755)
    return tmp_path


def make_checks() -> Any:
    """A server of the program's own, with a tool that runs the check."""

    @tool("run", "Run the tests.", {"command": str})
    async def run(given: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": STEPS}]}

    return create_sdk_mcp_server("checks", tools=[run])


def run_checks(home: Path, adapter: SecateurResults | None, more: tuple[Step, ...] = ()) -> tuple[list[str], list[Any]]:
    """Run checks by Bash, twice at once, and by a server's tool: results as the SDK has them, and requests."""
    calls = (Call(command="./pytest -v"), Call(command="seq 1 2000"), Call(command="./pytest -v tests"))
    run = Call("mcp__checks__run", {"command": "pytest -v all"})
    script = Script((Step("Running.", THOUGHT, calls), Step("Checking.", THOUGHT, (run,)), *more, Step(FINAL, THOUGHT)))
    servers = {"checks": make_checks()}
    with upstream(model := ScriptedModel(script), other=model) as server:
        if adapter is None:
            results, ended = asyncio.run(play(server.url, home, mcp_servers=servers))
        else:
            hooks, servers = adapter.make_hooks(), adapter.make_servers(servers)
            results, ended = asyncio.run(play(server.url, home, hooks=hooks, mcp_servers=servers))
        check_sent(server)
        assert FINAL in ended
        return results, list_main(server)


def list_texts(body: dict[str, Any]) -> list[str]:
    """The results in a request, without reminders of the agent's own."""
    blocks = [one for message in body["messages"] for one in message["content"] if isinstance(one, dict)]
    contents = [one["content"] for one in blocks if one["type"] == "tool_result"]
    texts = [one if isinstance(one, str) else "\n".join(part["text"] for part in one) for one in contents]
    return [one.partition("\n\n<system-reminder>")[0] for one in texts]


def test_new_results_are_shortened_before_the_sdk_stores_them(tmp_path: Path) -> None:
    store = MemoryStore()
    adapter = SecateurResults(store)
    home = make_home(tmp_path)
    results, bodies = run_checks(home, adapter)
    first, numbers, second, third = list_texts(bodies[-1])
    for text in (first, second, third):
        assert "300 passed in 1.00s" in text
        assert len(text) < 500
    assert numbers.strip() == NUMBERS
    assert [text.count("PASSED") for text in results] == [1, 0, 1, 1]
    (kept,) = home.rglob("projects/*/*.jsonl")
    assert kept.read_text().count("300 passed in 1.00s") >= 3
    assert "test_case_150" not in kept.read_text()
    for text in (first, third):
        page = adapter._recall({"handle": text.partition("recall ")[2][:12], "page": 2})
        assert "test_case_299 PASSED" in page


def test_the_model_reads_back_what_was_left_out(tmp_path: Path) -> None:
    store = MemoryStore()
    _, bodies = run_checks(make_home(tmp_path), SecateurResults(store))
    handle = list_texts(bodies[-1])[0].partition("recall ")[2][:12]
    again = Step("Reading it back.", THOUGHT, (Call(RECALL, {"handle": handle}),))
    _, bodies = run_checks(tmp_path, SecateurResults(store), (again,))
    assert f"[secateur recall: {handle}, lines 1-" in list_texts(bodies[-1])[-1]
    assert list_texts(bodies[-1])[-1].count("PASSED") == 200  # its first page


def test_where_nothing_can_be_kept_nothing_changes(tmp_path: Path) -> None:
    class Broken(MemoryStore):
        def save(self, *_: Any, **__: Any) -> Any:
            raise OSError("the disk is full")

    home = make_home(tmp_path)
    results, bodies = run_checks(home, SecateurResults(Broken()))
    expected, direct = run_checks(home, None)
    assert results == expected
    assert list_texts(bodies[-1]) == list_texts(direct[-1])
    assert results[0].count("PASSED") == 300


def test_hooks_and_servers_that_there_are_stay() -> None:
    mine, adapter = HookMatcher(matcher="Read"), SecateurResults(MemoryStore())
    hooks = adapter.make_hooks({"PostToolUse": [mine], "Stop": [mine]})
    assert hooks["Stop"] == [mine]
    assert hooks["PostToolUse"][0] is mine
    assert len(hooks["PostToolUse"]) == 2
    assert list(adapter.make_servers({"mine": 1})) == ["mine", "secateur"]
