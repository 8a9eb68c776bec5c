"""The pydantic-ai capability in agents of the real package, with a scripted model."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits

from adapters import CLEAR, Views, make_engine, note
from adapters.kit import GPT, ROUNDS, AdapterKit, Played, Reader, read_note
from secateur.adapters.pydantic_ai import SecateurCapability, read_request

LIMITS = UsageLimits(request_limit=1000)
SECTIONS = (
    *("Goal", "Instructions", "Constraints", "Discoveries", "Accomplished"),
    *("Relevant files", "Open questions", "Next steps"),
)
SUMMARY = "\n".join(f"## {name}\n(none)" for name in SECTIONS)


class Scripted:
    """Reads notes; reasons and signs as Claude does."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.sent: list[list[ModelMessage]] = []
        self.tools: list[str] = []
        self.asked: list[str] = []
        self.model = FunctionModel(self.answer, stream_function=self.stream, model_name=reader.model)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if isinstance(messages[0].parts[0], SystemPromptPart):
            self.asked.append(str(messages[-1].parts[-1].content))
            return ModelResponse(parts=[TextPart(SUMMARY)])
        self.sent.append(list(messages))
        self.tools = [one.name for one in info.function_tools]
        ids = [part.tool_call_id for one in messages for part in one.parts if isinstance(part, ToolCallPart)]
        text = str(messages)
        usage = RequestUsage(input_tokens=len(text) // 4, cache_read_tokens=len(text) // 8, output_tokens=5)
        uses = self.reader.choose_calls(ids, text)
        if not uses:
            return ModelResponse(parts=[TextPart("done")], usage=usage)
        said = f"Now note {len(ids)}."
        thought = ThinkingPart(said, signature=f"sig{len(ids)}" * 20, provider_name="anthropic")
        calls = [ToolCallPart(one.name, one.arguments, one.id) for one in uses]
        return ModelResponse(parts=[thought, TextPart(said), *calls], usage=usage)

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for at, part in enumerate(self.answer(messages, info).parts):
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ThinkingPart):
                yield {at: DeltaThinkingPart(content=part.content, signature=part.signature)}
            elif isinstance(part, ToolCallPart):
                yield {at: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}


class Spy(AbstractCapability[Any]):
    """Keeps what reaches the capability behind it."""

    def __init__(self, given: list[list[Any]]) -> None:
        self.given = given

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> ModelResponse:
        self.given.append(list(request_context.messages))
        answer: ModelResponse = await handler(request_context)
        return answer


class FakeContext:
    """The part of a request's context that a conversation is read from."""

    def __init__(self, model: Any, messages: list[ModelMessage]) -> None:
        self.model, self.messages, self.model_request_parameters = model, messages, ModelRequestParameters()


class TestPydanticAi(AdapterKit):
    ways = ("run", "stream")
    models = (GPT,)
    policies = ("balance",)
    has_results_apart = False

    def make(self, engine: Any = None, **settings: Any) -> Any:
        return SecateurCapability(engine, **settings)

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        scripted = Scripted(reader)
        capabilities = [Spy(given), adapter] if adapter else []
        agent = Agent(scripted.model, capabilities=capabilities, instructions="Work.", tools=[read_note])
        if way == "run":
            done = await agent.run("Read the notes.", usage_limits=LIMITS)
            return Played(scripted.sent, done.all_messages(), scripted.asked)
        async with agent.iter("Read the notes.", usage_limits=LIMITS) as running:
            async for node in running:
                if Agent.is_model_request_node(node):
                    async with node.stream(running.ctx) as events:
                        assert [event async for event in events]
            assert running.result
            return Played(scripted.sent, running.result.all_messages(), scripted.asked)

    def tell(self, messages: list[Any]) -> list[Any]:
        names = ("part_kind", "tool_name", "tool_call_id", "content", "args", "signature")
        parts = [part for one in messages for part in one.parts]
        return [[str(getattr(part, name, "")) for name in names] for part in parts]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        body = read_request(FakeContext(Scripted(Reader()).model, sent)).build_request()
        return body["messages"], body

    def list_systems(self, sent: list[Any]) -> list[Any]:
        requests = [one for one in sent[1:] if isinstance(one, ModelRequest)]
        return [part for one in requests for part in one.parts if isinstance(part, SystemPromptPart)]

    def has_reads(self, way: str) -> bool:
        return way == "run"  # streams of a FunctionModel state none

    def check_edited(self, before: Any, after: Any) -> None:
        assert [one.tool_call_id for one in after.parts] == [one.tool_call_id for one in before.parts]
        for old, new in zip(before.parts, after.parts, strict=True):
            assert new is old or self.count([after])


def test_results_that_are_objects_read_as_the_model_reads_them() -> None:
    scripted = Scripted(Reader())
    agent = Agent(scripted.model, capabilities=[SecateurCapability(policy=CLEAR)])

    @agent.tool_plain
    def read_note(path: str) -> dict[str, Any]:
        """Read a note."""
        return {"path": path, "text": note(path)}

    history = asyncio.run(agent.run("Read the notes.", usage_limits=LIMITS)).all_messages()
    seen = [part for one in scripted.sent[-1] for part in one.parts if isinstance(part, ToolReturnPart)]
    kept = [part for one in history for part in one.parts if isinstance(part, ToolReturnPart)]
    assert all(isinstance(one.content, dict) for one in kept)
    assert sum(isinstance(one.content, str) for one in seen) == ROUNDS - 2
    assert all(one.tool_name == "read_note" and one.metadata is None for one in seen)
    assert any(isinstance(part, UserPromptPart) for one in scripted.sent[-1] for part in one.parts)


def test_an_image_stays_where_the_text_of_its_result_is_removed() -> None:
    scripted, image = Scripted(Reader()), BinaryContent(b"pixels", media_type="image/png")
    agent = Agent(scripted.model, capabilities=[SecateurCapability(policy=CLEAR)])

    @agent.tool_plain
    def read_note(path: str) -> list[Any]:
        """Read a note."""
        return [note(path), image]

    asyncio.run(agent.run("Read the notes.", usage_limits=LIMITS))
    seen = [part for one in scripted.sent[-1] for part in one.parts if isinstance(part, ToolReturnPart)]
    assert sum("removed" in str(one.content[0]) for one in seen) == ROUNDS - 2
    assert all(one.files == [image] for one in seen)


def test_an_agent_without_tools_is_not_offered_one() -> None:
    scripted = Scripted(Reader(rounds=0))
    asyncio.run(Agent(scripted.model, capabilities=[SecateurCapability()]).run("Hello."))
    assert scripted.tools == []
    tools: list[Any] = [read_note]
    asyncio.run(Agent(scripted.model, capabilities=[SecateurCapability()], tools=tools).run("Hello."))
    assert sorted(scripted.tools) == ["read_note", "recall"]
    asyncio.run(Agent(scripted.model, capabilities=[SecateurCapability(recall=False)], tools=tools).run("Hello."))
    assert scripted.tools == ["read_note"]


def test_a_conversation_of_pydantic_ai_is_a_session() -> None:
    views = Views()
    capability = SecateurCapability(make_engine(), on_view=views)

    async def run() -> None:
        agent = Agent(Scripted(Reader()).model, capabilities=[capability], tools=[read_note])
        done = await agent.run("Read the notes.", usage_limits=LIMITS)
        await agent.run("Again.", message_history=done.all_messages(), usage_limits=LIMITS)

    asyncio.run(run())
    assert len({view.session for view in views.all}) == 1
