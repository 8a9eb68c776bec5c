"""The LangChain middleware in deepagents, with a scripted chat model: `make adapters`."""

import asyncio
from typing import Any

import pytest

from adapters import Views, make_engine
from adapters.kit import CLAUDE, REMOVED, ROUNDS, Reader, read_note
from secateur.adapters.langchain import SecateurMiddleware

pytest.importorskip("deepagents", reason="deepagents is not installed: `make adapters` tests it in an environment")

from deepagents import create_deep_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from adapters import test_langchain


class TestDeepagents(test_langchain.TestLangchain):
    def make_agent(self, model: Any, middleware: list[Any], saver: Any) -> Any:
        return create_deep_agent(
            model=model, tools=[read_note], middleware=middleware, checkpointer=saver, system_prompt="Work."
        )


class Delegating(test_langchain.Scripted):
    """Hands its work to a sub-agent, which reads the notes with the same model."""

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        if not any("Read the notes" in str(one.content) for one in messages):
            handed = any(isinstance(one, AIMessage) for one in messages)
            work = {"description": "Read the notes.", "subagent_type": "reader"}
            call: Any = {"name": "task", "args": work, "id": "t0", "type": "tool_call"}
            return AIMessage("done") if handed else AIMessage("", tool_calls=[call])
        return super()._answer(messages)


def test_a_subagent_has_a_session_of_its_own() -> None:
    views, model = Views(), Delegating(reader=Reader(), model=CLAUDE, sent=[], asked=[], tools=[])
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
    assert sum(REMOVED in str(one.content) for one in model.sent[-1]) == ROUNDS - 2
    sessions = {view.session for view in views.all}
    assert len(sessions) == 2
    assert sum(name.endswith("/reader") for name in sessions) == 1
