"""The LangChain middleware in agents of the real package, with a scripted chat model."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from adapters import CLEAR, make_engine, note
from adapters.kit import CLAUDE, REMOVED, AdapterKit, Played, Reader, read_note
from secateur import Engine
from secateur.adapters.langchain import SecateurMiddleware, read_request

SECTIONS = (
    *("Goal", "Instructions", "Constraints", "Discoveries", "Accomplished"),
    *("Relevant files", "Open questions", "Next steps"),
)
SUMMARY = "\n".join(f"## {name}\n(none)" for name in SECTIONS)


class Scripted(BaseChatModel):
    """Reads notes; reasons and signs as Claude does."""

    reader: Any
    model: str = ""
    sent: list[Any] = []
    asked: list[Any] = []
    tools: list[Any] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.tools[:] = tools
        return self

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        if len(messages) == 2 and messages[1].content != "Read the notes.":
            self.asked.append(messages[1].content)
            return AIMessage(SUMMARY)
        self.sent.append(list(messages))
        ids = [one["id"] for message in messages if isinstance(message, AIMessage) for one in message.tool_calls]
        size = sum(len(str(one.content)) for one in messages) // 4
        details = {"cache_read": size // 2, "cache_creation": 0}
        usage: Any = {"input_tokens": size, "output_tokens": 9, "total_tokens": size + 9}
        usage["input_token_details"] = details
        uses = self.reader.choose_calls(ids, str([one.content for one in messages]))
        if not uses:
            return AIMessage("done", id=f"answer-{len(self.sent)}", usage_metadata=usage)
        calls: list[Any] = [
            {"name": one.name, "args": one.arguments, "id": one.id, "type": "tool_call"} for one in uses
        ]
        said = f"Now note {len(ids)}."
        blocks: list[Any] = [
            {"type": "thinking", "thinking": said, "signature": f"sig{len(ids)}" * 20},
            {"type": "text", "text": said},
            *({"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments} for one in uses),
        ]
        return AIMessage(blocks, tool_calls=calls, id=f"answer-{len(self.sent)}", usage_metadata=usage)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        answer = self._answer(messages)
        yield ChatGenerationChunk(message=AIMessageChunk(**answer.model_dump(exclude={"type"})))


def make_model(reader: Reader) -> Scripted:
    return Scripted(reader=reader, model=reader.model, sent=[], asked=[], tools=[])


class Spy(AgentMiddleware[Any, Any]):
    """Keeps what reaches the middleware behind it."""

    def __init__(self, given: list[list[Any]]) -> None:
        super().__init__()
        self.given = given

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        self.given.append(list(request.messages))
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        self.given.append(list(request.messages))
        return await handler(request)


class FakeRequest:
    """The part of a model request that a conversation is read from."""

    def __init__(self, sent: list[BaseMessage]) -> None:
        self.model, self.tools, self.system_message, self.messages = make_model(Reader()), [], None, sent[1:]


class TestLangchain(AdapterKit):
    ways = ("invoke", "ainvoke", "stream")
    models = (CLAUDE,)
    policies = ("balance",)

    def make(self, engine: Any = None, *, session: str = "", **settings: Any) -> Any:
        middleware = SecateurMiddleware(engine, **settings)
        middleware.thread = session  # of the checkpointer: the middleware itself names none
        return middleware

    def make_agent(self, model: Any, middleware: list[Any], saver: Any) -> Any:
        return create_agent(model, [read_note], middleware=middleware, checkpointer=saver, system_prompt="Work.")

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        model, thread = make_model(reader), getattr(adapter, "thread", "s")
        middleware = [Spy(given), adapter] if adapter else []
        agent = self.make_agent(model, middleware, InMemorySaver() if thread else None)
        config: Any = {"configurable": {"thread_id": thread} if thread else {}, "recursion_limit": 4_000}
        task: Any = {"messages": [HumanMessage("Read the notes.", id="task")]}
        if way == "ainvoke":
            done = await agent.ainvoke(task, config)
        elif way == "invoke":
            done = await asyncio.to_thread(agent.invoke, task, config)
        else:
            parts = await asyncio.to_thread(lambda: [*agent.stream(task, config, stream_mode="messages")])
            assert any("done" in str(chunk.content) for chunk, _ in parts)
            done = agent.get_state(config).values
        return Played(model.sent, done["messages"], model.asked)

    def tell(self, messages: list[Any]) -> list[Any]:
        return [one.model_dump(exclude={"id", "usage_metadata"}) for one in messages]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        body = read_request(FakeRequest(sent)).build_request()
        return body["messages"], body

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent[1:] if isinstance(one, SystemMessage)]

    def check_edited(self, before: Any, after: Any) -> None:
        assert after.model_copy(update={"content": before.content}) == before


def ask(model: Scripted, tools: list[Any], middleware: Any) -> list[BaseMessage]:
    """A run without a thread; its history."""
    agent: Any = create_agent(model, tools, middleware=[middleware])
    done: list[BaseMessage] = agent.invoke({"messages": [("user", "Read the notes.")]}, {"recursion_limit": 100})[
        "messages"
    ]
    return done


def test_results_keep_all_but_their_text() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}

    @tool(response_format="content_and_artifact")
    def read_note(path: str) -> tuple[Any, Any]:
        """Read a note."""
        return [{"type": "text", "text": note(path)}, picture], {"rows": 3}

    model = make_model(Reader())
    ask(model, [read_note], SecateurMiddleware(policy=CLEAR))
    cleared = next(one for one in model.sent[-1] if REMOVED in str(one.content))
    assert cleared.content[1] == picture
    assert cleared.artifact == {"rows": 3}
    assert cleared.name == "read_note"


def test_an_agent_without_tools_is_not_offered_one() -> None:
    model = make_model(Reader(rounds=0))
    ask(model, [], SecateurMiddleware())
    assert model.tools == []
    ask(model, [read_note], SecateurMiddleware())
    assert {one.name for one in model.tools} == {"read_note", "recall"}


@pytest.mark.parametrize("given", [{"recall": False}, {"engine": Engine(CLEAR)}, {"recall_handles": "off"}])
def test_where_nothing_can_be_read_back_no_tool_is_offered(given: dict[str, Any]) -> None:
    model = make_model(Reader(rounds=0))
    ask(model, [read_note], SecateurMiddleware(**given))
    assert len(model.tools) == 1


def test_a_tool_of_the_agents_own_with_that_name_goes_first() -> None:
    @tool
    def recall(handle: str) -> str:
        """Call a customer back."""
        return "called"

    model = make_model(Reader())
    history = ask(model, [read_note, recall], SecateurMiddleware(make_engine()))
    assert [one.description for one in model.tools if one.name == "recall"] == ["Call a customer back."]
    assert "call again if needed" in str(model.sent[-1])
    assert "recall " not in str(history)
