"""The client for AutoGen in agents of the real package, with a scripted model: `make adapters`."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, note, read_state, run_page
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

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

ROUNDS = 8


class Scripted(ChatCompletionClient):
    """Reads a note with each answer."""

    def __init__(self, rounds: int = ROUNDS, parallel: int = 1, family: str = "claude-4-sonnet") -> None:
        self.rounds, self.parallel, self.family = rounds, parallel, family
        self.seen: list[list[Any]] = []
        self.asked: list[str] = []

    def answer(self, messages: Any, tools: Any) -> CreateResult:
        size = sum(len(str(one.content)) for one in messages) // 4
        if not tools:
            self.asked.append(messages[-1].content)
            return self.make("## Goal\n- Read the notes one after the other\n", size)
        self.seen.append(list(messages))
        calls = [call for one in messages if isinstance(one.content, list) for call in one.content]
        ids = [call.id for call in calls if isinstance(call, FunctionCall)]
        number = max((int(one[1:].partition("-")[0]) + 1 for one in ids), default=0)
        if number >= self.rounds:
            return self.make("done", size)
        made = [f"{number}-{n}" for n in range(self.parallel)]
        wanted = [FunctionCall(id=f"c{n}", name="read_note", arguments=json.dumps({"path": f"{n}.md"})) for n in made]
        return self.make(wanted, size, f"Now note {number}.")

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
        return {**known, "family": self.family}


async def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


async def play(make: Any = None, streams: bool = False, tools: Any = (), **given: Any) -> tuple[Scripted, list[Any]]:
    """An agent's run: its model, and its context afterwards."""
    scripted = Scripted(**given)
    client = make(scripted) if make else scripted
    agent = AssistantAgent(
        "helper",
        model_client=client,
        tools=[read_note, *tools],
        system_message="Work.",
        model_client_stream=streams,
        max_tool_iterations=given.get("rounds", ROUNDS) + 1,
    )
    events = [one async for one in agent.run_stream(task="Read the notes.")]
    assert any(isinstance(one, ModelClientStreamingChunkEvent) for one in events) == streams
    return scripted, await agent.model_context.get_messages()


def tell(messages: list[Any]) -> list[Any]:
    """What a history says."""
    return [one.model_dump() for one in messages]


def count(messages: list[Any]) -> int:
    return str([one.content for one in messages]).count(CLEARED)


@pytest.mark.parametrize("family", ["claude-4-sonnet", "gpt-4o"])
@pytest.mark.parametrize("streams", [False, True])
def test_the_model_sees_the_view_and_the_context_is_whole(streams: bool, family: str) -> None:
    engine, views = make_engine(), Views()
    wrap = lambda one: SecateurClient(one, engine, session="s", on_view=views)  # noqa: E731
    scripted, history = asyncio.run(play(wrap, streams, family=family))
    plain, expected = asyncio.run(play(None, streams, family=family))
    assert tell(history) == tell(expected)
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert count(history) == count(plain.seen[-1]) == 0
    assert {view.session for view in views.all} == {"s"}
    assert len(views.all) == ROUNDS + 1
    state = read_state(engine, views.last)
    assert state.clock.called > 0
    assert state.calibrations


def test_unedited_messages_and_contents_are_the_same_objects() -> None:
    given: list[list[Any]] = []

    class Looking(SecateurClient):
        async def create(self, messages: Any, **more: Any) -> CreateResult:
            given.append(list(messages))
            return await super().create(messages, **more)

    scripted, _ = asyncio.run(play(lambda one: Looking(one, make_engine(), session="s"), parallel=2))
    edited = 0
    for before, after in zip(given[-1], scripted.seen[-1], strict=True):
        if count([after]):
            edited += 1
            rest = [(one.call_id, one.name, one.is_error) for one in before.content]
            assert [(one.call_id, one.name, one.is_error) for one in after.content] == rest
        else:
            assert after is before
    assert edited == ROUNDS - 2


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


def test_a_failing_engine_changes_nothing() -> None:
    scripted, history = asyncio.run(play(lambda one: SecateurClient(one, FailingEngine())))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert [tell(one) for one in scripted.seen] == [tell(one) for one in plain.seen]


def test_parallel_calls_and_agents_beside_each_other() -> None:
    async def run() -> list[Any]:
        engine = make_engine()
        makes = [lambda one, n=n: SecateurClient(one, engine, session=f"s{n}") for n in range(3)]
        return await asyncio.gather(*(play(make, parallel=3) for make in makes))

    for scripted, history in asyncio.run(run()):
        assert count(scripted.seen[-1]) == 3 * (ROUNDS - 2)
        assert count(history) == 0


def test_a_session_that_is_not_named_is_known_by_its_history() -> None:
    views = Views()
    scripted, _ = asyncio.run(play(lambda one: SecateurClient(one, make_engine(), on_view=views)))
    assert count(scripted.seen[-1]) == ROUNDS - 2
    assert len({view.session for view in views.all}) == 1


@pytest.mark.parametrize("policy", ["balance", "opencode"])
def test_a_session_of_200_turns_is_never_refused(policy: str) -> None:
    views = Views()
    wrap = lambda one: SecateurClient(one, policy=policy, window=60_000, session="s", on_view=views)  # noqa: E731
    scripted, history = asyncio.run(play(wrap, rounds=200))
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in scripted.seen[::10]:
        assert not any(isinstance(one, SystemMessage) for one in seen[1:])
        body = read_call(seen, (), "claude-sonnet-4-5").build_request()
        assert [one.rule for one in check("anthropic", body["messages"], body) if one.severity == "error"] == []


def test_the_clients_own_model_writes_the_summary() -> None:
    views = Views()
    wrap = lambda one: SecateurClient(one, policy="hermes", window=20_000, session="s", on_view=views)  # noqa: E731
    scripted, _ = asyncio.run(play(wrap, rounds=40))
    assert scripted.asked
    assert any(view.compaction is not None for view in views.all)


def test_recall_reads_back_what_was_removed() -> None:
    kept: list[SecateurClient] = []

    def wrap(one: Any) -> Any:
        kept.append(SecateurClient(one, make_engine(recall_handles="on"), session="s"))
        return kept[0]

    scripted, _ = asyncio.run(play(wrap))
    handle = str(scripted.seen[-1]).partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(kept[0].edge, "", handle)
    assert kept[0].make_recall_tool().schema["name"] == "recall"


def test_all_else_is_what_the_client_says() -> None:
    client = SecateurClient(Scripted())
    assert (client.actual_usage(), client.total_usage()) == (RequestUsage(1, 2), RequestUsage(3, 4))
    assert (client.count_tokens([]), client.remaining_tokens([])) == (0, 1_000)
    assert client.model_info == client.capabilities == Scripted().model_info
    assert SecateurClient(Scripted(family="unknown")).model_name == ""
    asyncio.run(client.close())


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0.md").write_text("What it is about.")
    assert len(run_page("use-autogen.md")["views"]) == 2
