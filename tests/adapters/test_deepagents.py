"""The LangChain middleware in deepagents, with a scripted chat model: `make adapters`."""

import asyncio
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, read_state
from secateur.adapters.langchain import SecateurMiddleware
from secateur.api import check

pytest.importorskip("deepagents", reason="deepagents is not installed: `make adapters` tests it in an environment")

from deepagents import create_deep_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver

from adapters.test_langchain import (
    ROUNDS,
    FakeRequest,
    Scripted,
    ainvoke,
    dump,
    invoke,
    read_note,
    read_request,
    stream,
)

TASK = {"messages": [HumanMessage("Read the notes.", id="task")]}


def play(middleware: Any = None, run: Any = invoke, **given: Any) -> tuple[Scripted, list[BaseMessage]]:
    """A deep agent's run: its model, and its history afterwards."""
    model = Scripted(seen=[], **given)
    extra = [middleware] if middleware else []
    agent = create_deep_agent(model=model, tools=[read_note], middleware=extra, checkpointer=InMemorySaver())
    return model, run(agent, TASK, {"configurable": {"thread_id": "t1"}, "recursion_limit": 4_000})


@pytest.mark.parametrize("run", [invoke, ainvoke, stream])
def test_the_model_sees_the_view_and_the_state_is_whole(run: Any) -> None:
    engine, views = make_engine(), Views()
    model, history = play(SecateurMiddleware(engine, on_view=views), run)
    _, expected = play(None, run)
    assert dump(history) == dump(expected)
    assert sum(CLEARED in str(one.content) for one in model.seen[-1]) == ROUNDS - 2
    assert len(views.all) == ROUNDS + 1
    assert len({view.session for view in views.all}) == 1
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


def test_unedited_messages_are_the_same_objects() -> None:
    model, history = play(SecateurMiddleware(make_engine()))
    given = {one.id: one for one in history}
    shown = [one for one in model.seen[-1] if not isinstance(one, SystemMessage)]
    assert all(one is given[one.id] for one in shown if CLEARED not in str(one.content))


def test_a_failing_engine_changes_nothing() -> None:
    model, history = play(SecateurMiddleware(FailingEngine()))
    plain, expected = play()
    assert dump(history) == dump(expected)
    assert [[str(one.content) for one in some] for some in model.seen] == [
        [str(one.content) for one in some] for some in plain.seen
    ]


def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused() -> None:
    views = Views()
    model, history = play(SecateurMiddleware(policy="balance", window=60_000, on_view=views), rounds=200)
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in model.seen[::10]:
        assert not any(isinstance(one, SystemMessage) for one in seen[1:])
        told = read_request(FakeRequest(model, seen)).build_request()
        assert [one.rule for one in check("anthropic", told["messages"], told) if one.severity == "error"] == []


class Delegating(Scripted):
    """Hands its work to a sub-agent, which reads the notes with the same model."""

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        if not any("Read the notes" in str(one.content) for one in messages):
            handed = any(isinstance(one, AIMessage) for one in messages)
            work = {"description": "Read the notes.", "subagent_type": "reader"}
            call: Any = {"name": "task", "args": work, "id": "t0", "type": "tool_call"}
            return AIMessage("done") if handed else AIMessage("", tool_calls=[call])
        return super()._answer(messages)


def test_a_subagent_has_a_session_of_its_own() -> None:
    views, model = Views(), Delegating(seen=[])
    middleware = SecateurMiddleware(make_engine(), on_view=views)
    reader: Any = {
        "name": "reader",
        "description": "Reads notes.",
        "system_prompt": "Work.",
        "tools": [read_note],
        "middleware": [middleware],
    }
    agent = create_deep_agent(
        model=model, tools=[], subagents=[reader], middleware=[middleware], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "t1"}, "recursion_limit": 1_000}
    asyncio.run(agent.ainvoke({"messages": [HumanMessage("What is there to know?")]}, config))
    assert sum(CLEARED in str(one.content) for one in model.seen[-1]) == ROUNDS - 2
    sessions = {view.session for view in views.all}
    assert len(sessions) == 2
    assert sum(name.endswith("/reader") for name in sessions) == 1
