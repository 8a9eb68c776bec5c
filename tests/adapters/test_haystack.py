"""The chat generator for Haystack in agents of the real package, with a scripted model: `make adapters`."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, make_engine, note, run_page
from adapters.kit import AdapterKit, Played, Reader, read_note, spy

pytest.importorskip("haystack", reason="haystack-ai is not installed: `make adapters` tests it in an environment")

from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import (
    ChatMessage,
    ImageContent,
    ReasoningContent,
    TextContent,
    ToolCall,
    ToolCallResult,
)
from haystack.tools import Tool

from secateur.adapters.haystack import SecateurChatGenerator, edit_message, read_call

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


class Scripted:
    """Reads notes; reasons and signs as Claude does. The generator is Haystack's own."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.sent: list[list[ChatMessage]] = []
        self.asked: list[str] = []
        self.generator = MockChatGenerator(response_fn=self.answer)
        self.generator.model = reader.model

    def answer(self, messages: list[ChatMessage], tools: Any) -> ChatMessage:
        if not tools:
            self.asked.append(messages[1].text or "")
            return ChatMessage.from_assistant("## Goal\n- Read the notes one after the other\n")
        self.sent.append(list(messages))
        ids = [call.id for one in messages for call in one.tool_calls if call.id]
        size = sum(len(str(one._content)) for one in messages) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": size // 2}}
        uses = self.reader.choose_calls(ids, str([one._content for one in messages]))
        if not uses:
            return ChatMessage.from_assistant("done", meta={"usage": usage})
        said = f"Now note {len(ids)}."
        return ChatMessage.from_assistant(
            said,
            meta={"usage": usage, "mine": len(ids)},
            tool_calls=[ToolCall(one.name, one.arguments, id=one.id) for one in uses],
            reasoning=ReasoningContent(said, {"signature": f"sig{len(ids)}" * 20}),
        )


class TestHaystack(AdapterKit):
    ways = ("run", "run_async", "stream", "stream_async")

    def make(self, engine: Any = None, **settings: Any) -> Any:
        return partial(SecateurChatGenerator, engine=engine, **settings)

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        scripted = Scripted(reader)
        generator = adapter(scripted.generator) if adapter else scripted.generator
        reads = Tool(name="read_note", description="Read a note.", parameters=SCHEMA, function=read_note)
        tools = [reads, *([generator.make_recall_tool()] if reader.recalls else [])]
        spied = spy(generator, ("run", "run_async"), given)
        agent = Agent(chat_generator=spied, tools=tools, system_prompt="Work.", max_agent_steps=reader.rounds + 2)
        parts: list[Any] = []

        async def take_async(part: Any) -> None:
            parts.append(part)

        task = [ChatMessage.from_user("Read the notes.")]
        if way.endswith("async"):
            callback: Any = take_async if way == "stream_async" else None
            result = await agent.run_async(messages=task, streaming_callback=callback)
        else:
            callback = parts.append if way == "stream" else None
            result = await asyncio.to_thread(agent.run, messages=task, streaming_callback=callback)
        assert bool(parts) == way.startswith("stream")
        return Played(scripted.sent, result["messages"], scripted.asked)

    def tell(self, messages: list[Any]) -> list[Any]:
        return [(one.role.value, [repr(part) for part in one._content], one.meta.get("mine")) for one in messages]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        body = read_call(sent, None, Scripted(Reader()).generator).build_request()
        return body["messages"], body

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent[1:] if one.role.value == "system"]

    def check_edited(self, before: Any, after: Any) -> None:
        assert [one.origin for one in after.tool_call_results] == [one.origin for one in before.tool_call_results]
        assert after.meta == before.meta


def test_results_keep_all_but_their_text() -> None:
    picture = ImageContent(base64_image="AAAA", mime_type="image/png", validation=False)
    messages = [ChatMessage.from_user("Look.")]
    for number in range(3):
        call = ToolCall("look", {"at": number}, id=f"c{number}")
        messages += [
            ChatMessage.from_assistant(tool_calls=[call]),
            ChatMessage.from_tool([TextContent(note("x")), picture], origin=call, error=False, meta={"mine": 1}),
        ]
    told = read_call(messages, None, None)
    view = make_engine().fit(told.build_request(), session="s", format=told.format)
    shown = told.restore(view, messages, edit_message, lambda role, text: ChatMessage.from_user(text))
    (changed,) = shown[2].tool_call_results
    assert isinstance(changed, ToolCallResult)
    assert CLEARED in changed.result[0].text
    assert changed.result[1] is picture
    assert shown[2].meta == {"mine": 1}
    assert shown[1] is messages[1]


def test_a_pipelines_file_holds_the_generator_and_its_settings() -> None:
    wrapped = SecateurChatGenerator(MockChatGenerator("Done."), policy="hermes", session="s")
    again = SecateurChatGenerator.from_dict(wrapped.to_dict())
    assert (again.edge.session, again.edge.engine.policy.name) == ("s", "hermes")
    assert again.run(messages=[ChatMessage.from_user("Hi.")])["replies"][0].text == "Done."


def test_a_generator_is_warmed_up_and_closed_with_the_agent() -> None:
    class Plain:
        def __init__(self) -> None:
            self.calls: list[str] = []

        def run(self, messages: Any, tools: Any = None) -> Any:
            return {"replies": [ChatMessage.from_assistant("Done.")]}

        def warm_up(self) -> None:
            self.calls.append("warm_up")

        def close(self) -> None:
            self.calls.append("close")

    class Async(Plain):
        async def warm_up_async(self) -> None:
            self.calls.append("warm_up_async")

        async def close_async(self) -> None:
            self.calls.append("close_async")

    async def run(generator: Any) -> None:
        agent = Agent(chat_generator=SecateurChatGenerator(generator))
        await agent.warm_up_async()
        await agent.close_async()

    plain, asynchronous = Plain(), Async()
    agent = Agent(chat_generator=SecateurChatGenerator(plain))
    assert agent.run(messages=[ChatMessage.from_user("Hi.")])["last_message"].text == "Done."
    agent.close()
    asyncio.run(run(plain))
    asyncio.run(run(asynchronous))
    assert plain.calls[0] == "warm_up"
    assert plain.calls[-3:] == ["close", "warm_up", "close"]
    assert asynchronous.calls == ["warm_up_async", "close_async"]


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(run_page("use-haystack.md")["views"]) == 4
