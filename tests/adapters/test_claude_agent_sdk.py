"""The Claude Agent SDK behind the proxy, with the binary that it brings and a scripted model: `make adapters`."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adapters import check_sent, sent
from model_server import FINAL, Call, Script, ScriptedModel, Step
from proxies import proxy
from upstream import Upstream, upstream

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed: `make adapters` tests it")

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ResultMessage, ToolResultBlock, UserMessage, query

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


async def play(url: str, home: Path) -> tuple[list[str], str]:
    """A run: the results as the SDK has them, and how it ended."""
    home.mkdir()
    environment = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "HOME": str(home),
        "CI": "1",
    }
    options = ClaudeAgentOptions(
        model="claude-sonnet-4-5", allowed_tools=["Bash"], setting_sources=[], cwd=str(home), env=environment
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
