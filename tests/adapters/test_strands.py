"""The Strands plugin in agents of the real package, with a scripted model: `make adapters`."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, note, read_state, run_page
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

pytest.importorskip("strands", reason="strands-agents is not installed: `make adapters` tests it in an environment")

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager, SlidingWindowConversationManager
from strands.models import Model

from secateur.adapters.strands import SecateurPlugin

ROUNDS = 8


class Scripted(Model):
    """Reads a note with each answer; reasons and signs as Claude does."""

    def __init__(self, rounds: int = ROUNDS, parallel: int = 1) -> None:
        self.rounds, self.parallel = rounds, parallel
        self.seen: list[list[Any]] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": "anthropic.claude-sonnet-4-5"}

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *_: Any, **__: Any) -> Any:
        self.seen.append(list(messages))
        ids = [block["toolUse"]["toolUseId"] for one in messages for block in one["content"] if "toolUse" in block]
        number = max((int(one[1:].partition("-")[0]) + 1 for one in ids), default=0)
        yield {"messageStart": {"role": "assistant"}}
        if number < self.rounds:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"reasoningContent": {"text": f"Now note {number}."}}}}
            yield {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": f"sig{number}" * 20}}}}
            yield {"contentBlockStop": {}}
            for n in range(self.parallel):
                yield {
                    "contentBlockStart": {"start": {"toolUse": {"name": "read_note", "toolUseId": f"c{number}-{n}"}}}
                }
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps({"path": f"{number}-{n}.md"})}}}}
                yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use"}}
        else:
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}
        size = len(str(messages)) // 4
        usage = {"inputTokens": size // 2, "outputTokens": 5, "totalTokens": size + 5}
        usage |= {"cacheReadInputTokens": size - size // 2}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


@tool
def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


async def play(
    plugin: Any = None, task: str = "Read the notes.", manager: Any = None, **given: Any
) -> tuple[Scripted, list[Any]]:
    """An agent's run: its model, and its history afterwards."""
    model = Scripted(**given)
    plugins = [plugin] if plugin else []
    agent = Agent(
        model=model,
        tools=[read_note],
        system_prompt="Work.",
        plugins=plugins,
        callback_handler=None,
        conversation_manager=manager or NullConversationManager(),
    )
    await agent.invoke_async(task)
    return model, agent.messages


def tell(messages: list[Any]) -> list[Any]:
    """What a history says, without times and the usage; results of parallel calls come in any order."""
    return [(one["role"], sorted(map(str, one["content"]))) for one in messages]


def test_the_model_sees_the_view_and_the_history_is_whole() -> None:
    engine, views = make_engine(), Views()
    model, history = asyncio.run(play(SecateurPlugin(engine, session="s", on_view=views)))
    _, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert str(model.seen[-1]).count(CLEARED) == ROUNDS - 2
    assert CLEARED not in str(history)
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


def test_unedited_messages_read_as_they_came() -> None:
    model, history = asyncio.run(play(SecateurPlugin(make_engine(), session="s")))
    seen = model.seen[-1]
    assert [one["content"] for one in seen if CLEARED not in str(one)] == [
        kept["content"] for kept, one in zip(history, seen, strict=False) if CLEARED not in str(one)
    ]


def test_a_failing_engine_changes_nothing() -> None:
    model, history = asyncio.run(play(SecateurPlugin(FailingEngine(), session="s")))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert [tell(one) for one in model.seen] == [tell(one) for one in plain.seen]


def test_parallel_calls_and_agents_beside_each_other() -> None:
    async def run() -> list[Any]:
        engine = make_engine()
        plugins = [SecateurPlugin(engine, session=f"s{n}") for n in range(4)]
        return await asyncio.gather(*(play(one, parallel=3) for one in plugins))

    for model, history in asyncio.run(run()):
        assert str(model.seen[-1]).count(CLEARED) == 3 * (ROUNDS - 2)
        assert CLEARED not in str(history)


def test_agents_without_a_name_have_sessions_of_their_own() -> None:
    async def run() -> list[Any]:
        engine = make_engine()
        plugins = [SecateurPlugin(engine, on_view=one) for one in views]
        return await asyncio.gather(*(play(one, task) for one, task in zip(plugins, tasks, strict=True)))

    views, tasks = [Views(), Views()], ["Read the notes.", "Say what the notes are about."]
    for model, _ in asyncio.run(run()):
        assert str(model.seen[-1]).count(CLEARED) == ROUNDS - 2
    first, second = ({view.session for view in one.all} for one in views)
    assert len(first) == len(second) == 1
    assert first != second


def test_the_default_manager_drops_old_messages_for_good() -> None:
    _, whole = asyncio.run(play(rounds=30))
    _, cut = asyncio.run(play(rounds=30, manager=SlidingWindowConversationManager()))
    assert len(whole) == 62
    assert len(cut) <= 40


@pytest.mark.parametrize("policy", ["balance"])
def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(policy: str) -> None:
    views = Views()
    model, history = asyncio.run(
        play(SecateurPlugin(policy=policy, window=60_000, session="s", on_view=views), rounds=200)
    )
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in model.seen[::10]:
        bare = [{key: value for key, value in one.items() if key != "metadata"} for one in seen]
        body = {"messages": bare, "toolConfig": {"tools": [{"toolSpec": read_note.tool_spec}]}}
        assert [one.rule for one in check("bedrock", bare, body) if one.severity == "error"] == []


def test_recall_reads_back_what_was_removed() -> None:
    plugin = SecateurPlugin(make_engine(recall_handles="on"), session="s")
    model, _ = asyncio.run(play(plugin))
    handle = str(model.seen[-1]).partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(plugin.edge, "", handle)
    assert plugin.make_recall_tool().tool_spec["name"] == "recall"


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0.md").write_text("What it is about.")
    assert len(run_page("use-strands.md")["views"]) == 2
