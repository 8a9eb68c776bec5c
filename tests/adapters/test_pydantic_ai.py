"""The pydantic-ai capability in agents of the real package, with a scripted model."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits

from adapters import CLEAR, CLEARED, FailingEngine, Views, make_engine, note, read_state
from secateur import Engine
from secateur.adapters.pydantic_ai import SecateurCapability, read_request
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

ROUNDS = 8
LIMITS = UsageLimits(request_limit=1000)


class Scripted:
    """Reads a note with each answer; reasons and signs as Claude does."""

    def __init__(
        self, rounds: int = ROUNDS, parallel: int = 1, summary: str = "", name: str = "claude-sonnet-4-5"
    ) -> None:
        self.rounds, self.parallel, self.summary = rounds, parallel, summary
        self.seen: list[list[ModelMessage]] = []
        self.summaries = 0
        self.model = FunctionModel(self.answer, stream_function=self.stream, model_name=name)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not info.function_tools:
            self.summaries += 1
            return ModelResponse(parts=[TextPart(self.summary)])
        self.seen.append(list(messages))
        number = find_number(messages)
        usage = RequestUsage(
            input_tokens=len(str(messages)) // 4, cache_read_tokens=len(str(messages)) // 8, output_tokens=5
        )
        if number >= self.rounds:
            return ModelResponse(parts=[TextPart("done")], usage=usage)
        thought = ThinkingPart(f"Now note {number}.", signature=f"sig{number}" * 20, provider_name="anthropic")
        calls = [
            ToolCallPart("read_note", {"path": f"{number}-{n}.md"}, f"c{number}-{n}") for n in range(self.parallel)
        ]
        return ModelResponse(parts=[thought, TextPart(f"Reading {number}."), *calls], usage=usage)

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for at, part in enumerate(self.answer(messages, info).parts):
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ThinkingPart):
                yield {at: DeltaThinkingPart(content=part.content, signature=part.signature)}
            elif isinstance(part, ToolCallPart):
                yield {at: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}


def find_number(messages: list[ModelMessage]) -> int:
    """How many rounds there were, by the last call."""
    calls = [part for one in messages for part in one.parts if isinstance(part, ToolCallPart)]
    return max((int(one.tool_call_id[1:].partition("-")[0]) + 1 for one in calls), default=0)


def make_agent(scripted: Scripted, capability: Any = None) -> Agent[None, str]:
    agent = Agent(scripted.model, capabilities=[capability] if capability else [], instructions="Work.")

    @agent.tool_plain
    def read_note(path: str) -> str:
        """Read a note."""
        return note(path)

    return agent


async def play(capability: Any = None, **given: Any) -> tuple[Scripted, list[ModelMessage]]:
    """An agent's run: its model, and its history afterwards."""
    scripted = Scripted(**given)
    done = await make_agent(scripted, capability).run("Read the notes.", usage_limits=LIMITS)
    return scripted, done.all_messages()


def tell(messages: list[ModelMessage]) -> list[Any]:
    """What a history says, without times, ids of runs and the usage."""
    return [
        (
            part.part_kind,
            getattr(part, "tool_call_id", ""),
            str(getattr(part, "content", "")),
            str(getattr(part, "args", "")),
        )
        for one in messages
        for part in one.parts
    ]


def count(messages: list[ModelMessage]) -> int:
    return sum(CLEARED in str(getattr(part, "content", "")) for one in messages for part in one.parts)


def test_the_model_sees_the_view_and_the_history_is_whole() -> None:
    engine, views = make_engine(), Views()
    scripted, history = asyncio.run(play(SecateurCapability(engine, on_view=views)))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert count(history) == 0
    kept = [part for one in history for part in one.parts]
    for part in (part for one in scripted.seen[-1] for part in one.parts):
        if CLEARED not in str(getattr(part, "content", "")):
            assert any(part is one for one in kept)
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations
    assert len({view.session for view in views.all}) == 1


def test_a_streamed_run_sees_the_view_too() -> None:
    engine, views = make_engine(), Views()
    scripted = Scripted(name="gpt-5")
    agent = make_agent(scripted, SecateurCapability(engine, on_view=views))

    async def run() -> list[Any]:
        async with agent.iter("Read the notes.", usage_limits=LIMITS) as running:
            async for node in running:
                if Agent.is_model_request_node(node):
                    async with node.stream(running.ctx) as events:
                        assert [event async for event in events]
        assert running.result
        return running.result.all_messages()

    history = asyncio.run(run())
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert count(history) == 0
    assert len(views.all) == ROUNDS + 1
    assert read_state(engine, views.last).clock.called


def test_a_failing_engine_changes_nothing() -> None:
    scripted, history = asyncio.run(play(SecateurCapability(FailingEngine())))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert [tell(one) for one in scripted.seen] == [tell(one) for one in plain.seen]


def test_calls_in_parallel_and_runs_beside_each_other() -> None:
    views = Views()
    capability = SecateurCapability(make_engine(), on_view=views)

    async def run() -> list[Any]:
        return await asyncio.gather(*(play(capability, parallel=3) for _ in range(4)))

    for scripted, history in asyncio.run(run()):
        assert count(scripted.seen[-1]) == 3 * (ROUNDS - 2)
        assert count(history) == 0
    assert len({view.session for view in views.all}) == 4


@pytest.mark.parametrize("policy", ["balance"])
def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(policy: str) -> None:
    views = Views()
    capability = SecateurCapability(policy=policy, window=60_000, on_view=views)
    scripted, history = asyncio.run(play(capability, rounds=200))
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in scripted.seen[::10]:
        told = read_request(FakeContext(scripted.model, seen)).build_request()
        assert [one.rule for one in check("anthropic", told["messages"], told) if one.severity == "error"] == []


class FakeContext:
    """The part of a request's context that a conversation is read from."""

    def __init__(self, model: Any, messages: list[ModelMessage]) -> None:
        from pydantic_ai.models import ModelRequestParameters

        self.model, self.messages, self.model_request_parameters = model, messages, ModelRequestParameters()


def test_the_agents_own_model_writes_the_summary() -> None:
    names = ("Goal", "Instructions", "Constraints", "Discoveries", "Accomplished", "Relevant files", "Open questions")
    summary = "\n".join(f"## {name}\n(none)" for name in (*names, "Next steps"))
    views = Views()
    capability = SecateurCapability(policy="opencode", window=40_000, on_view=views)
    scripted, history = asyncio.run(play(capability, rounds=60, summary=summary))
    assert scripted.summaries
    assert any(view.receipt.compaction and view.receipt.compaction.model_calls for view in views.all)
    assert find_number(history) == 60
    assert len(history) == 122


def test_results_that_are_objects_read_as_the_model_reads_them() -> None:
    scripted = Scripted()
    agent = Agent(scripted.model, capabilities=[SecateurCapability(policy=CLEAR)])

    @agent.tool_plain
    def read_note(path: str) -> dict[str, Any]:
        """Read a note."""
        return {"path": path, "text": note(path)}

    history = asyncio.run(agent.run("Read the notes.", usage_limits=LIMITS)).all_messages()
    seen = [part for one in scripted.seen[-1] for part in one.parts if isinstance(part, ToolReturnPart)]
    kept = [part for one in history for part in one.parts if isinstance(part, ToolReturnPart)]
    assert all(isinstance(one.content, dict) for one in kept)
    assert sum(isinstance(one.content, str) for one in seen) == ROUNDS - 2
    assert all(one.tool_name == "read_note" and one.metadata is None for one in seen)
    assert any(isinstance(part, UserPromptPart) for one in scripted.seen[-1] for part in one.parts)


def test_recall_reads_back_what_was_removed() -> None:
    capability = SecateurCapability(make_engine(), session="one", recall=True)
    scripted, _ = asyncio.run(play(capability))
    texts = [str(getattr(part, "content", "")) for one in scripted.seen[-1] for part in one.parts]
    handle = next(one for one in texts if "; removed, recall " in one).partition("removed, recall ")[2].rstrip("]")
    engine: Engine = capability.edge.engine
    assert engine.sessions.store is not None
    assert "line 59" in recall_from(capability.edge, "one", handle)
    scripted.seen.clear()

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])
        assert {tool.name for tool in info.function_tools} >= {"recall"}
        return ModelResponse(parts=[ToolCallPart("recall", {"handle": handle}, "r1")])

    again = Agent(FunctionModel(ask), capabilities=[capability])
    assert "line 59" in asyncio.run(again.run("Recall it.")).output
