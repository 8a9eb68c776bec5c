"""The client for AutoGen in agents of the real package, with a scripted model: `make adapters`."""

import asyncio
import json
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, make_engine, note, run_page
from adapters.kit import READER, AdapterKit, Played, Reader, spy

pytest.importorskip("autogen_agentchat", reason="autogen-agentchat is not installed: `make adapters` tests it")

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ModelClientStreamingChunkEvent
from autogen_core import FunctionCall, Image
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    RequestUsage,
    SystemMessage,
    UserMessage,
)

from secateur.adapters.autogen import SecateurClient, edit_message, read_call


class Scripted(ChatCompletionClient):
    """Reads notes, and thinks before each call."""

    def __init__(self, reader: Reader = READER) -> None:
        self.reader = reader
        self.sent: list[list[Any]] = []
        self.asked: list[str] = []

    def answer(self, messages: Any, tools: Any) -> CreateResult:
        size = sum(len(str(one.content)) for one in messages) // 4
        if not tools:
            self.asked.append(messages[-1].content)
            return self.make("## Goal\n- Read the notes one after the other\n", size)
        self.sent.append(list(messages))
        calls = [call for one in messages if isinstance(one.content, list) for call in one.content]
        ids = [call.id for call in calls if isinstance(call, FunctionCall)]
        uses = self.reader.choose_calls(ids, str([one.content for one in messages]))
        if not uses:
            return self.make("done", size)
        return self.make(
            [FunctionCall(id=one.id, name=one.name, arguments=json.dumps(one.arguments)) for one in uses],
            size,
            f"Now note {len(ids)}.",
        )

    def make(self, content: Any, size: int, thought: str | None = None) -> CreateResult:
        reason = "stop" if isinstance(content, str) else "function_calls"
        usage = RequestUsage(prompt_tokens=size, completion_tokens=5)
        return CreateResult(finish_reason=reason, content=content, usage=usage, cached=False, thought=thought)

    async def create(self, messages: Any, *, tools: Any = (), **_: Any) -> CreateResult:
        return self.answer(messages, tools)

    async def create_stream(
        self, messages: Any, *, tools: Any = (), **_: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        yield "..."
        yield self.answer(messages, tools)

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(1, 2)

    def total_usage(self) -> RequestUsage:
        return RequestUsage(3, 4)

    def count_tokens(self, messages: Any, *, tools: Any = ()) -> int:
        return len(messages)

    def remaining_tokens(self, messages: Any, *, tools: Any = ()) -> int:
        return 1_000 - len(messages)

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> Any:
        known = {"vision": True, "function_calling": True, "json_output": False, "structured_output": False}
        return {**known, "family": self.reader.model}


async def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


class TestAutogen(AdapterKit):
    ways = ("create", "stream")
    has_results_apart = False

    def make(self, engine: Any = None, **settings: Any) -> Any:
        return partial(SecateurClient, engine=engine, **settings)

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        scripted = Scripted(reader)
        client = adapter(scripted) if adapter else scripted
        recall = [client.make_recall_tool()] if reader.recalls else []
        agent = AssistantAgent(
            "helper",
            model_client=spy(client, ("create", "create_stream"), given),
            tools=[read_note, *recall],
            system_message="Work.",
            model_client_stream=way == "stream",
            max_tool_iterations=reader.rounds + 2,
        )
        events = [one async for one in agent.run_stream(task="Read the notes.")]
        assert any(isinstance(one, ModelClientStreamingChunkEvent) for one in events) == (way == "stream")
        return Played(scripted.sent, await agent.model_context.get_messages(), scripted.asked)

    def tell(self, messages: list[Any]) -> list[Any]:
        return [one.model_dump() for one in messages]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        body = read_call(sent, (), "claude-sonnet-4-5").build_request()
        return body["messages"], body

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent[1:] if isinstance(one, SystemMessage)]

    def has_reads(self, way: str) -> bool:
        return False  # AutoGen's usage has none

    def check_edited(self, before: Any, after: Any) -> None:
        rest = [(one.call_id, one.name, one.is_error) for one in before.content]
        assert [(one.call_id, one.name, one.is_error) for one in after.content] == rest


def test_one_result_of_several_can_be_edited_and_pictures_stay() -> None:
    picture = Image.from_base64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    messages: list[Any] = [SystemMessage(content="Work."), UserMessage(content=["Look.", picture], source="user")]
    for number in range(3):
        calls = [FunctionCall(id=f"c{number}{at}", name="look", arguments="{}") for at in "ab"]
        texts = (note("x"), "short")
        results = [
            FunctionExecutionResult(content=text, name="look", call_id=call.id, is_error=False)
            for text, call in zip(texts, calls, strict=True)
        ]
        messages += [
            AssistantMessage(content=calls, source="helper"),
            FunctionExecutionResultMessage(content=results),
        ]
    policy = {"prune": [{"type": "hard_clear"}], "protect": {"last_rounds": 2, "min_result_chars": 100}}
    told = read_call(messages, (), "gpt-5")
    view = make_engine(policy={**policy, "name": "long", "schedule": {"type": "every_request"}}).fit(
        told.build_request(), session="s", format=told.format
    )
    shown = told.restore(view, messages, edit_message, lambda role, text: None)
    first, second = shown[3].content
    assert CLEARED in first.content
    assert second is messages[3].content[1]
    assert [one is other for one, other in zip(shown, messages, strict=True)] == [True] * 3 + [False] + [True] * 4


def test_all_else_is_what_the_client_says() -> None:
    client = SecateurClient(Scripted())
    assert (client.actual_usage(), client.total_usage()) == (RequestUsage(1, 2), RequestUsage(3, 4))
    assert (client.count_tokens([]), client.remaining_tokens([])) == (0, 1_000)
    assert client.model_info == client.capabilities == Scripted().model_info
    assert SecateurClient(Scripted(Reader(model="unknown"))).model_name == ""
    asyncio.run(client.close())


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(run_page("use-autogen.md")["views"]) == 4
