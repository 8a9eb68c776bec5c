"""The LangChain middleware in agents of the real package, with a scripted chat model."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

from adapters import CLEAR, CLEARED, FailingEngine, Views, make_engine, note, read_state
from secateur import Engine
from secateur.adapters.langchain import SecateurMiddleware, read_request
from secateur.api import check
from secateur.stores.protocol import SessionId

ROUNDS = 8


class Scripted(BaseChatModel):
    """Reads a note with each answer; reasons and signs as Claude does."""

    model: str = "claude-sonnet-4-5"
    rounds: int = ROUNDS
    parallel: int = 1
    seen: list[Any] = []
    summary: str = ""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        if self.summary and "Goal" in str(messages[-1].content) + str(messages[0].content) and len(messages) == 2:
            self.seen.append("summary")
            return AIMessage(self.summary)
        self.seen.append(list(messages))
        number = max(
            (int(m.id.removeprefix("answer-")) + 1 for m in messages if m.id and m.id.startswith("answer-")), default=0
        )
        size = sum(len(str(one.content)) for one in messages) // 4
        details = {"cache_read": size // 2, "cache_creation": 0}
        usage: Any = {
            "input_tokens": size,
            "output_tokens": 9,
            "total_tokens": size + 9,
            "input_token_details": details,
        }
        if number >= self.rounds:
            return AIMessage("done", id=f"answer-{number}", usage_metadata=usage)
        calls: list[Any] = [
            {"name": "read_note", "args": {"path": f"{number}-{n}.md"}, "id": f"c{number}-{n}", "type": "tool_call"}
            for n in range(self.parallel)
        ]
        blocks: list[Any] = [
            {"type": "thinking", "thinking": f"Now note {number}.", "signature": f"sig{number}" * 20},
            {"type": "text", "text": f"Reading {number}."},
            *({"type": "tool_use", "id": one["id"], "name": one["name"], "input": one["args"]} for one in calls),
        ]
        return AIMessage(blocks, tool_calls=calls, id=f"answer-{number}", usage_metadata=usage)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        answer = self._answer(messages)
        yield ChatGenerationChunk(message=AIMessageChunk(**answer.model_dump(exclude={"type"})))


def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


Run = Callable[[Any, dict[str, Any], dict[str, Any]], list[BaseMessage]]


def invoke(agent: Any, given: dict[str, Any], config: dict[str, Any]) -> list[BaseMessage]:
    return agent.invoke(given, config)["messages"]


def ainvoke(agent: Any, given: dict[str, Any], config: dict[str, Any]) -> list[BaseMessage]:
    return asyncio.run(agent.ainvoke(given, config))["messages"]


def stream(agent: Any, given: dict[str, Any], config: dict[str, Any]) -> list[BaseMessage]:
    said = [chunk for chunk, _ in agent.stream(given, config, stream_mode="messages")]
    assert any("done" in str(one.content) for one in said)
    return agent.get_state(config).values["messages"]


def play(
    middleware: Any = None, run: Run = invoke, thread: str = "t1", **given: Any
) -> tuple[Scripted, list[BaseMessage]]:
    """An agent's run: its model, and its history afterwards."""
    model = Scripted(seen=[], **given)
    extra = [middleware] if middleware else []
    agent: Any = create_agent(model, [read_note], middleware=extra, checkpointer=InMemorySaver(), system_prompt="Work.")
    config = {"configurable": {"thread_id": thread}, "recursion_limit": 2000}
    return model, run(agent, {"messages": [HumanMessage("Read the notes.", id="task")]}, config)


def dump(messages: list[BaseMessage]) -> list[Any]:
    """Histories to compare; a shorter prompt costs less."""
    return [one.model_dump(exclude={"id", "usage_metadata"}) for one in messages]


@pytest.mark.parametrize("run", [invoke, ainvoke, stream])
def test_the_model_sees_the_view_and_the_state_is_whole(run: Run) -> None:
    engine, views = make_engine(), Views()
    model, history = play(SecateurMiddleware(engine, on_view=views), run)
    plain, expected = play(None, run)
    assert dump(history) == dump(expected)
    last = model.seen[-1]
    assert sum(CLEARED in str(one.content) for one in last) == ROUNDS - 2
    assert sum(CLEARED in str(one.content) for one in plain.seen[-1]) == 0
    assert isinstance(last[0], SystemMessage)
    results = [one.tool_call_id for one in last if isinstance(one, ToolMessage)]
    assert results == [f"c{n}-0" for n in range(ROUNDS)]
    assert views.last.session == "t1"
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


def test_unedited_messages_are_the_same_objects_and_edited_ones_keep_the_rest() -> None:
    model, history = play(SecateurMiddleware(policy=CLEAR))
    given = {one.id: one for one in history}
    for one in model.seen[-1][1:]:
        if CLEARED in str(one.content):
            assert one.model_copy(update={"content": given[one.id].content}) == given[one.id]
        else:
            assert one is given[one.id]


def test_a_failing_engine_changes_nothing() -> None:
    for run in (invoke, ainvoke):
        model, history = play(SecateurMiddleware(FailingEngine()), run)
        plain, expected = play(None, run)
        assert dump(history) == dump(expected)
        assert [[str(one.content) for one in some] for some in model.seen] == [
            [str(one.content) for one in some] for some in plain.seen
        ]


def test_calls_in_parallel_and_threads_beside_each_other() -> None:
    engine, views = make_engine(), Views()
    middleware = SecateurMiddleware(engine, on_view=views)

    async def run() -> list[Any]:
        work = [asyncio.to_thread(play, middleware, invoke, f"t{n}", parallel=3) for n in range(4)]
        return await asyncio.gather(*work)

    for model, history in asyncio.run(run()):
        assert sum(CLEARED in str(one.content) for one in model.seen[-1]) == 3 * (ROUNDS - 2)
        assert len(history) == 2 + 4 * ROUNDS
    assert {view.session for view in views.all} == {f"t{n}" for n in range(4)}
    assert all(view.receipt.status != "failed" for view in views.all)


@pytest.mark.parametrize("policy", ["balance"])
def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(policy: str) -> None:
    views = Views()
    model, history = play(SecateurMiddleware(policy=policy, window=60_000, on_view=views), rounds=200)
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in [one for one in model.seen if one != "summary"][::10]:
        assert not any(isinstance(one, SystemMessage) for one in seen[1:])
        told = read_request(FakeRequest(model, seen)).build_request()
        assert [one.rule for one in check("anthropic", told["messages"], told) if one.severity == "error"] == []


class FakeRequest:
    """The part of a model request that a conversation is read from."""

    def __init__(self, model: Any, seen: list[BaseMessage]) -> None:
        self.model, self.tools, self.system_message, self.messages = model, [], None, seen[1:]


def test_a_thread_that_has_no_name_is_known_by_its_history() -> None:
    views = Views()
    model = Scripted(seen=[])
    agent: Any = create_agent(model, [read_note], middleware=[SecateurMiddleware(policy=CLEAR, on_view=views)])
    agent.invoke({"messages": [("user", "Read the notes.")]}, {"recursion_limit": 100})
    assert len({view.session for view in views.all}) == 1
    assert sum(CLEARED in str(one.content) for one in model.seen[-1]) == ROUNDS - 2


def test_results_keep_all_but_their_text() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}

    class Mixed(Scripted):
        pass

    from langchain_core.tools import tool

    @tool(response_format="content_and_artifact")
    def read_note(path: str) -> tuple[Any, Any]:
        """Read a note."""
        return [{"type": "text", "text": note(path)}, picture], {"rows": 3}

    model = Mixed(seen=[])
    agent: Any = create_agent(model, [read_note], middleware=[SecateurMiddleware(policy=CLEAR)])
    agent.invoke({"messages": [("user", "Read the notes.")]}, {"recursion_limit": 100})
    cleared = next(one for one in model.seen[-1] if CLEARED in str(one.content))
    assert cleared.content[1] == picture
    assert cleared.artifact == {"rows": 3}
    assert cleared.name == "read_note"


def test_the_agents_own_model_writes_the_summary() -> None:
    summary = "\n".join(
        f"## {name}\n{text}"
        for name, text in {
            "Goal": "Read the notes.",
            "Instructions": "(none)",
            "Constraints": "(none)",
            "Discoveries": "(none)",
            "Accomplished": "The first notes were read.",
            "Relevant files": "(none)",
            "Open questions": "(none)",
            "Next steps": "Read on.",
        }.items()
    )
    for run in (invoke, ainvoke, stream):
        views = Views()
        middleware = SecateurMiddleware(policy="opencode", window=40_000, on_view=views)
        model, history = play(middleware, run, rounds=60, summary=summary)
        assert "summary" in model.seen
        compacted = [view for view in views.all if view.receipt.compaction and view.receipt.compaction.model_calls]
        assert compacted
        assert not any("The first notes" in str(one.content) for one in history)


def test_recall_reads_back_what_was_removed() -> None:
    middleware = SecateurMiddleware(make_engine(), recall=True)
    model, _ = play(middleware)
    cleared = next(str(one.content) for one in model.seen[-1] if "; removed, recall " in str(one.content))
    handle = cleared.partition("removed, recall ")[2].rstrip("]")
    engine: Engine = middleware.edge.engine
    assert engine.sessions.store is not None
    assert engine.sessions.store.load(SessionId("t1", "t"))
    from secateur.adapters.recall_tool import recall_from

    assert "line 59" in recall_from(middleware.edge, "t1", handle)
    assert "nothing is kept" in recall_from(middleware.edge, "t1", "0" * 12)
    assert [tool.name for tool in middleware.tools] == ["recall"]
