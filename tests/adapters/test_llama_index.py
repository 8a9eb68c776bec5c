"""The model for LlamaIndex in agents of the real package, with a scripted model inside: `make adapters`."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, note, read_state, run_page
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

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

ROUNDS = 8


class Scripted(FunctionCallingLLM):
    """Reads a note with each answer; reasons and signs as Claude does."""

    rounds: int = ROUNDS
    parallel: int = 1
    model: str = "claude-sonnet-4-5"
    _seen: list[list[ChatMessage]] = PrivateAttr(default_factory=list)
    _asked: list[str] = PrivateAttr(default_factory=list)

    @property
    def seen(self) -> list[list[ChatMessage]]:
        return self._seen

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.model, is_chat_model=True, is_function_calling_model=True)

    def chat(self, messages: Sequence[ChatMessage], tools: Any = None, **_: Any) -> ChatResponse:
        size = sum(len(str(one.content)) for one in messages) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": size // 2}}
        if not tools:
            self._asked.append(messages[-1].content or "")
            said = ChatMessage("## Goal\n- Read the notes one after the other\n", role="assistant")
            return ChatResponse(message=said, raw={"usage": usage})
        self._seen.append(list(messages))
        calls = [block for one in messages for block in one.blocks if isinstance(block, ToolCallBlock)]
        number = max((int(str(one.tool_call_id)[1:].partition("-")[0]) + 1 for one in calls), default=0)
        if number >= self.rounds:
            return ChatResponse(message=ChatMessage("done", role="assistant"), raw={"usage": usage})
        signed = ThinkingBlock(content=f"Now {number}.", additional_information={"signature": f"sig{number}" * 20})
        wanted = [
            ToolCallBlock(
                tool_call_id=f"c{number}-{n}", tool_name="read_note", tool_kwargs={"path": f"{number}-{n}.md"}
            )
            for n in range(self.parallel)
        ]
        blocks = [signed, TextBlock(text=f"Reading {number}."), *wanted]
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


def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


async def play(
    make: Any = None, streams: bool = False, tools: Any = (), **given: Any
) -> tuple[Scripted, list[ChatMessage]]:
    """An agent's run: its model, and its memory afterwards."""
    scripted = Scripted(**given)
    llm = make(scripted) if make else scripted
    memory = Memory.from_defaults(session_id="m", token_limit=100_000_000)
    agent = FunctionAgent(llm=llm, tools=[read_note, *tools], system_prompt="Work.", streaming=streams)
    await agent.run(user_msg="Read the notes.", memory=memory, max_iterations=1_000)
    return scripted, await memory.aget_all()


def tell(messages: list[ChatMessage]) -> list[Any]:
    """What a history says."""
    return [one.model_dump() for one in messages]


def count(messages: list[ChatMessage]) -> int:
    return sum(str(one.content).count(CLEARED) for one in messages)


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5"])
@pytest.mark.parametrize("streams", [False, True])
def test_the_model_sees_the_view_and_the_memory_is_whole(streams: bool, model: str) -> None:
    engine, views = make_engine(), Views()
    wrap = lambda one: SecateurLLM(one, engine, session="s", on_view=views)  # noqa: E731
    scripted, history = asyncio.run(play(wrap, streams, model=model))
    plain, expected = asyncio.run(play(None, streams, model=model))
    assert tell(history) == tell(expected)
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert count(history) == count(plain.seen[-1]) == 0
    assert {view.session for view in views.all} == {"s"}
    assert len(views.all) == ROUNDS + 1
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


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
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert count(history) == 0
    assert read_state(engine, views.last).clock.read > 0


def test_unedited_messages_and_blocks_are_the_same_objects() -> None:
    given: list[list[ChatMessage]] = []

    class Looking(SecateurLLM):
        async def achat(self, messages: Any, **more: Any) -> Any:
            given.append(list(messages))
            return await super().achat(messages, **more)

    scripted, _ = asyncio.run(play(lambda one: Looking(one, make_engine(), session="s"), parallel=2))
    edited = 0
    for before, after in zip(given[-1], scripted.seen[-1], strict=True):
        if count([after]):
            edited += 1
            assert after.additional_kwargs == before.additional_kwargs
        else:
            assert after is before
    assert edited == 2 * (ROUNDS - 2)


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


def test_a_failing_engine_changes_nothing() -> None:
    scripted, history = asyncio.run(play(lambda one: SecateurLLM(one, FailingEngine())))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert [tell(one) for one in scripted.seen] == [tell(one) for one in plain.seen]


def test_parallel_calls_and_agents_beside_each_other() -> None:
    async def run() -> list[Any]:
        engine = make_engine()
        makes = [lambda one, n=n: SecateurLLM(one, engine, session=f"s{n}") for n in range(3)]
        return await asyncio.gather(*(play(make, parallel=3) for make in makes))

    for scripted, history in asyncio.run(run()):
        assert count(scripted.seen[-1]) == 3 * (ROUNDS - 2)
        assert count(history) == 0


def test_a_session_that_is_not_named_is_known_by_its_history() -> None:
    views = Views()
    scripted, _ = asyncio.run(play(lambda one: SecateurLLM(one, make_engine(), on_view=views)))
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert len({view.session for view in views.all}) == 1


@pytest.mark.parametrize("policy", ["balance", "opencode"])
def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(policy: str) -> None:
    views = Views()
    wrap = lambda one: SecateurLLM(one, policy=policy, window=60_000, session="s", on_view=views)  # noqa: E731
    scripted, history = asyncio.run(play(wrap, rounds=200))
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in scripted.seen[::10]:
        assert not any(one.role.value == "system" for one in seen[1:])
        body = read_call(seen, None, "claude-sonnet-4-5").build_request()
        assert [one.rule for one in check("anthropic", body["messages"], body) if one.severity == "error"] == []


def test_the_model_itself_writes_the_summary() -> None:
    views = Views()
    wrap = lambda one: SecateurLLM(one, policy="hermes", window=20_000, session="s", on_view=views)  # noqa: E731
    scripted, _ = asyncio.run(play(wrap, rounds=40))
    assert scripted._asked
    assert any(view.compaction is not None for view in views.all)


def test_recall_reads_back_what_was_removed() -> None:
    kept: list[SecateurLLM] = []

    def wrap(one: Any) -> Any:
        kept.append(SecateurLLM(one, make_engine(recall_handles="on"), session="s"))
        return kept[0]

    scripted, _ = asyncio.run(play(wrap))
    handle = str([one.content for one in scripted.seen[-1]]).partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(kept[0].edge, "", handle)
    assert "line 59" in str(kept[0].make_recall_tool().call(handle=handle))


def test_prompts_without_a_history_are_the_models_own() -> None:
    llm = SecateurLLM(Scripted())
    assert llm.complete("x").text == asyncio.run(llm.acomplete("x")).text == "completed x"
    assert [one.text for one in llm.stream_complete("x")] == ["completed x"]
    assert llm.metadata == Scripted().metadata


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0.md").write_text("What it is about.")
    assert len(run_page("use-llama-index.md")["views"]) == 2
