"""The chat generator for Haystack in agents of the real package, with a scripted model: `make adapters`."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, note, read_state, run_page
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

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

ROUNDS = 8
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


class Scripted:
    """Reads a note with each answer; reasons and signs as Claude does. The generator is Haystack's own."""

    def __init__(self, rounds: int = ROUNDS, parallel: int = 1, model: str = "claude-sonnet-4-5") -> None:
        self.rounds, self.parallel = rounds, parallel
        self.seen: list[list[ChatMessage]] = []
        self.generator = MockChatGenerator(response_fn=self.answer)
        self.generator.model = model

    def answer(self, messages: list[ChatMessage], tools: Any) -> ChatMessage:
        self.seen.append(list(messages))
        calls = [call for one in messages for call in one.tool_calls]
        number = max((int(call.id[1:].partition("-")[0]) + 1 for call in calls if call.id), default=0)
        size = sum(len(str(one._content)) for one in messages) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": size // 2}}
        if number >= self.rounds:
            return ChatMessage.from_assistant("done", meta={"usage": usage})
        ids = [f"{number}-{n}" for n in range(self.parallel)]
        return ChatMessage.from_assistant(
            f"Reading {number}.",
            meta={"usage": usage, "mine": number},
            tool_calls=[ToolCall("read_note", {"path": f"{one}.md"}, id=f"c{one}") for one in ids],
            reasoning=ReasoningContent(f"Now note {number}.", {"signature": f"sig{number}" * 20}),
        )


def read_note(path: str) -> str:
    return note(path)


def play(
    make: Any = None, *, is_async: bool = False, streams: bool = False, tools: Any = (), **given: Any
) -> tuple[Scripted, list[ChatMessage]]:
    """An agent's run: its model, and the history in its state."""
    model = Scripted(**given)
    generator = make(model.generator) if make else model.generator
    reads = Tool(name="read_note", description="Read a note.", parameters=SCHEMA, function=read_note)
    agent = Agent(
        chat_generator=generator,
        tools=[reads, *tools],
        system_prompt="Work.",
        max_agent_steps=given.get("rounds", 8) + 1,
    )
    parts: list[Any] = []

    async def take_async(part: Any) -> None:
        parts.append(part)

    callback = (take_async if is_async else parts.append) if streams else None
    task = [ChatMessage.from_user("Read the notes.")]
    if is_async:
        result = asyncio.run(agent.run_async(messages=task, streaming_callback=callback))
    else:
        result = agent.run(messages=task, streaming_callback=callback)
    assert bool(parts) == streams
    return model, result["messages"]


def tell(messages: list[ChatMessage]) -> list[Any]:
    """What a history says."""
    return [(one.role.value, [repr(part) for part in one._content], one.meta.get("mine")) for one in messages]


def count(messages: list[ChatMessage]) -> int:
    return sum(CLEARED in str(part.result) for one in messages for part in one.tool_call_results)


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5"])
@pytest.mark.parametrize(("is_async", "streams"), [(False, False), (True, False), (False, True), (True, True)])
def test_the_model_sees_the_view_and_the_state_is_whole(is_async: bool, streams: bool, model: str) -> None:
    engine, views = make_engine(), Views()
    given: dict[str, Any] = {"is_async": is_async, "streams": streams, "model": model}
    scripted, history = play(lambda one: SecateurChatGenerator(one, engine, session="s", on_view=views), **given)
    plain, expected = play(**given)
    assert tell(history) == tell(expected)
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert count(history) == count(plain.seen[-1]) == 0
    assert {view.session for view in views.all} == {"s"}
    assert len(views.all) == ROUNDS + 1
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


def test_unedited_messages_and_contents_are_the_same_objects() -> None:
    given: list[list[ChatMessage]] = []

    class Looking:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def run(self, messages: Any, tools: Any = None, **more: Any) -> Any:
            given.append(list(messages))
            return self.inner.run(messages, tools=tools, **more)

    scripted, _ = play(lambda one: Looking(SecateurChatGenerator(one, make_engine(), session="s")), parallel=2)
    edited = 0
    for before, after in zip(given[-1], scripted.seen[-1], strict=True):
        if count([after]):
            edited += 1
            assert [one.origin for one in after.tool_call_results] == [one.origin for one in before.tool_call_results]
            assert after.meta == before.meta
        else:
            assert after is before
    assert edited == 2 * (ROUNDS - 2)


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


def test_a_failing_engine_changes_nothing() -> None:
    scripted, history = play(lambda one: SecateurChatGenerator(one, FailingEngine()))
    plain, expected = play()
    assert tell(history) == tell(expected)
    assert [tell(one) for one in scripted.seen] == [tell(one) for one in plain.seen]


def test_parallel_calls_and_agents_beside_each_other() -> None:
    async def run_agent(generator: Any) -> Any:
        tool = Tool(name="read_note", description="Read a note.", parameters=SCHEMA, function=read_note)
        agent = Agent(chat_generator=generator, tools=[tool], max_agent_steps=ROUNDS + 1)
        return await agent.run_async(messages=[ChatMessage.from_user("Read the notes.")])

    async def run() -> list[Any]:
        engine = make_engine()
        wrapped = [SecateurChatGenerator(one.generator, engine, session=f"s{n}") for n, one in enumerate(models)]
        return await asyncio.gather(*map(run_agent, wrapped))

    models = [Scripted(parallel=3) for _ in range(3)]
    for model, result in zip(models, asyncio.run(run()), strict=True):
        assert count(model.seen[-1]) == 3 * (ROUNDS - 2)
        assert count(result["messages"]) == 0


def test_a_session_that_is_not_named_is_known_by_its_history() -> None:
    views = Views()
    model, _ = play(lambda one: SecateurChatGenerator(one, make_engine(), on_view=views))
    assert count(model.seen[-1]) == ROUNDS - 2
    assert len({view.session for view in views.all}) == 1


@pytest.mark.parametrize("policy", ["balance", "opencode"])
def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(policy: str) -> None:
    views = Views()
    wrap = lambda one: SecateurChatGenerator(one, policy=policy, window=60_000, session="s", on_view=views)  # noqa: E731
    model, history = play(wrap, rounds=200)
    assert len([one for one in history if one.role.value == "assistant"]) == 201
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in model.seen[::10]:
        assert not any(one.role.value == "system" for one in seen[1:])
        body = read_call(seen, None, model.generator).build_request()
        assert [one.rule for one in check("anthropic", body["messages"], body) if one.severity == "error"] == []


def test_the_generators_own_model_writes_the_summary() -> None:
    views = Views()
    model = Scripted(rounds=40)
    answer = model.answer

    def write(messages: list[ChatMessage], tools: Any) -> ChatMessage:
        if tools:
            return answer(messages, tools)
        asked.append(messages[1].text or "")
        return ChatMessage.from_assistant("## Goal\n- Read the notes one after the other\n")

    asked: list[str] = []
    generator = MockChatGenerator(response_fn=write)
    wrapped = SecateurChatGenerator(generator, policy="hermes", window=20_000, session="s", on_view=views)
    reads = Tool(name="read_note", description="Read a note.", parameters=SCHEMA, function=read_note)
    Agent(chat_generator=wrapped, tools=[reads], max_agent_steps=41).run(messages=[ChatMessage.from_user("Read them.")])
    assert asked
    assert any(view.compaction is not None for view in views.all)


def test_recall_reads_back_what_was_removed() -> None:
    kept: list[SecateurChatGenerator] = []

    def wrap(one: Any) -> Any:
        kept.append(SecateurChatGenerator(one, make_engine(recall_handles="on"), session="s"))
        return kept[0]

    model, _ = play(wrap)
    texts = [str(part.result) for one in model.seen[-1] for part in one.tool_call_results]
    handle = next(one for one in texts if "removed, recall " in one).partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(kept[0].edge, "", handle)
    assert "line 59" in kept[0].make_recall_tool().invoke(handle=handle)


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
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0.md").write_text("What it is about.")
    assert len(run_page("use-haystack.md")["views"]) == 2
