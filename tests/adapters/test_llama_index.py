"""The model for LlamaIndex in agents of the real package, with a scripted model inside: `make adapters`."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, Views, make_engine, note, read_state, run_page
from adapters.kit import READER, REMOVED, ROUNDS, AdapterKit, Played, Reader, read_note, spy

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed: `make adapters` tests it")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    ImageBlock,
    LLMMetadata,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.memory import Memory
from llama_index.core.tools import FunctionTool
from pydantic import PrivateAttr

from secateur.adapters.llama_index import SecateurLLM, edit_message, read_call


class Scripted(FunctionCallingLLM):
    """Reads notes; reasons and signs as Claude does."""

    _reader: Reader = PrivateAttr()
    _sent: list[list[ChatMessage]] = PrivateAttr(default_factory=list)
    _asked: list[str] = PrivateAttr(default_factory=list)

    def __init__(self, reader: Reader = READER) -> None:
        super().__init__()
        self._reader = reader

    @property
    def sent(self) -> list[list[ChatMessage]]:
        return self._sent

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self._reader.model, is_chat_model=True, is_function_calling_model=True)

    def chat(self, messages: Sequence[ChatMessage], tools: Any = None, **_: Any) -> ChatResponse:
        size = sum(len(str(one.content)) for one in messages) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": size // 2}}
        if not tools:
            self._asked.append(messages[-1].content or "")
            said = ChatMessage("## Goal\n- Read the notes one after the other\n", role="assistant")
            return ChatResponse(message=said, raw={"usage": usage})
        self._sent.append(list(messages))
        ids = [str(block.tool_call_id) for one in messages for block in one.blocks if isinstance(block, ToolCallBlock)]
        uses = self._reader.choose_calls(ids, str([one.content for one in messages]))
        if not uses:
            return ChatResponse(message=ChatMessage("done", role="assistant"), raw={"usage": usage})
        said = f"Now note {len(ids)}."
        signed = ThinkingBlock(content=said, additional_information={"signature": f"sig{len(ids)}" * 20})
        wanted = [ToolCallBlock(tool_call_id=one.id, tool_name=one.name, tool_kwargs=one.arguments) for one in uses]
        blocks = [signed, TextBlock(text=said), *wanted]
        return ChatResponse(message=ChatMessage(blocks, role="assistant"), raw={"usage": usage})

    async def achat(self, messages: Sequence[ChatMessage], **given: Any) -> ChatResponse:
        return self.chat(messages, **given)

    def stream_chat(self, messages: Sequence[ChatMessage], **given: Any) -> Any:
        answer = self.chat(messages, **given)
        yield ChatResponse(message=ChatMessage("...", role="assistant"), delta="...")
        yield answer

    async def astream_chat(self, messages: Sequence[ChatMessage], **given: Any) -> Any:
        async def stream() -> Any:
            for one in self.stream_chat(messages, **given):
                yield one

        return stream()

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text=f"completed {prompt}")

    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        yield self.complete(prompt)

    async def acomplete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return self.complete(prompt)

    async def astream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        async def stream() -> Any:
            yield self.complete(prompt)

        return stream()

    def _prepare_chat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_: Any) -> Any:
        return {"messages": chat_history, "tools": [one.metadata.to_openai_tool() for one in tools]}

    def get_tool_calls_from_response(self, response: Any, error_on_no_tool_call: bool = True, **_: Any) -> Any:
        calls = [one for one in response.message.blocks if isinstance(one, ToolCallBlock)]
        return [
            ToolSelection(tool_id=one.tool_call_id, tool_name=one.tool_name, tool_kwargs=one.tool_kwargs)
            for one in calls
        ]


class TestLlamaIndex(AdapterKit):
    ways = ("chat", "stream")

    def make(self, engine: Any = None, **settings: Any) -> Any:
        return partial(SecateurLLM, engine=engine, **settings)

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        scripted = Scripted(reader)
        llm = adapter(scripted) if adapter else scripted
        tools = [read_note, *([llm.make_recall_tool()] if reader.recalls else [])]
        memory = Memory.from_defaults(session_id="m", token_limit=100_000_000)
        llm = spy(llm, ("achat", "astream_chat"), given)
        agent = FunctionAgent(llm=llm, tools=tools, system_prompt="Work.", streaming=way == "stream")
        await agent.run(user_msg="Read the notes.", memory=memory, max_iterations=1_000)
        return Played(scripted.sent, await memory.aget_all(), scripted._asked)

    def tell(self, messages: list[Any]) -> list[Any]:
        return [one.model_dump() for one in messages]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        body = read_call(sent, None, "claude-sonnet-4-5").build_request()
        return body["messages"], body

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent[1:] if one.role.value == "system"]

    def check_edited(self, before: Any, after: Any) -> None:
        assert after.additional_kwargs == before.additional_kwargs


@pytest.mark.parametrize("streams", [False, True])
def test_programs_that_are_not_asynchronous_are_pruned_too(streams: bool) -> None:
    engine, views, scripted = make_engine(), Views(), Scripted()
    llm = SecateurLLM(scripted, engine, session="s", on_view=views)
    history = [ChatMessage("Read the notes.")]
    tools = [FunctionTool.from_defaults(read_note)]
    for _ in range(ROUNDS):
        answer = [*llm.stream_chat_with_tools(tools, chat_history=history)][-1] if streams else None
        answer = answer or llm.chat_with_tools(tools, chat_history=history)
        (call,) = llm.get_tool_calls_from_response(answer)
        result = ChatMessage(
            note(call.tool_kwargs["path"]), role="tool", additional_kwargs={"tool_call_id": call.tool_id}
        )
        history += [answer.message, result]
    llm.chat_with_tools(tools, chat_history=history)
    assert str(scripted.sent[-1]).count(REMOVED) == ROUNDS - 2
    assert REMOVED not in str(history)
    assert read_state(engine, views.last).clock.read > 0


def test_results_keep_all_but_their_text_and_older_calls_are_known() -> None:
    picture = ImageBlock(image=b"iVBORw0KGgo=", image_mimetype="image/png")
    messages = [ChatMessage("Look.")]
    for number in range(3):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages += [
            ChatMessage("Looking.", role="assistant", additional_kwargs={"tool_calls": [call]}),
            ChatMessage(
                [TextBlock(text=note("x")), picture], role="tool", additional_kwargs={"tool_call_id": f"c{number}"}
            ),
        ]
    told = read_call(messages, None, "gpt-5")
    view = make_engine().fit(told.build_request(), session="s", format=told.format)
    shown = told.restore(view, messages, edit_message, lambda role, text: ChatMessage(text))
    assert CLEARED in shown[2].blocks[0].text
    assert shown[2].blocks[1] is picture
    assert shown[2].additional_kwargs == {"tool_call_id": "c0"}
    assert shown[1] is messages[1]


def test_long_arguments_are_cut_where_the_integration_holds_them() -> None:
    policy = {"name": "inputs", "prune": [{"type": "clear_inputs"}]}
    text = "a long line of a file\n" * 400
    arguments = {"path": "a.py", "content": text}
    beside = {"id": "c0", "type": "function", "function": {"name": "write", "arguments": json.dumps(arguments)}}
    block = ToolCallBlock(tool_call_id="c1", tool_name="write", tool_kwargs=arguments)
    messages = [ChatMessage("Write.")]
    for number, more in enumerate(
        ({"additional_kwargs": {"tool_calls": [beside]}}, {"blocks": [block]}, {"content": "x"})
    ):
        messages.append(ChatMessage(role="assistant", **more))
        if number < 2:
            messages.append(ChatMessage("written", role="tool", additional_kwargs={"tool_call_id": f"c{number}"}))
    messages += [ChatMessage("And now?")]
    told = read_call(messages, None, "gpt-5")
    engine = make_engine(policy={**policy, "schedule": {"type": "every_request"}})
    view = engine.fit(told.build_request(), session="s", format=told.format)
    shown = told.restore(view, messages, edit_message, lambda role, text: ChatMessage(text))
    assert text not in shown[1].additional_kwargs["tool_calls"][0]["function"]["arguments"]
    assert text not in shown[3].blocks[0].tool_kwargs["content"]
    assert messages[3].blocks[0].tool_kwargs == arguments


def test_prompts_without_a_history_are_the_models_own() -> None:
    llm = SecateurLLM(Scripted())
    assert llm.complete("x").text == asyncio.run(llm.acomplete("x")).text == "completed x"
    assert [one.text for one in llm.stream_complete("x")] == ["completed x"]
    assert llm.metadata == Scripted().metadata


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(run_page("use-llama-index.md")["views"]) == 4
