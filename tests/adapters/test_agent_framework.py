"""The middleware for Microsoft Agent Framework in agents of the real package, a scripted model: `make adapters`."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, note, read_state, run_page
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed: `make adapters` tests it")

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
)

from secateur.adapters.agent_framework import SecateurChatMiddleware, edit_message, read_context
from secateur.adapters.shadows import ShownPart

ROUNDS = 8


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc]
    """Reads a note with each answer; reasons and signs as Claude does."""

    def __init__(self, rounds: int = ROUNDS, parallel: int = 1, model: str = "claude-sonnet-4-5") -> None:
        super().__init__(function_invocation_configuration={"max_iterations": 1_000})
        self.rounds, self.parallel, self.model = rounds, parallel, model
        self.seen: list[list[Message]] = []

    def _answer(self, messages: Any) -> tuple[list[Content], dict[str, int]]:
        self.seen.append(list(messages))
        calls = [one for message in messages for one in message.contents if one.type == "function_call"]
        number = max((int(one.call_id[1:].partition("-")[0]) + 1 for one in calls), default=0)
        size = sum(len(str(one.result or one.text or "")) for message in messages for one in message.contents) // 4
        usage = {"input_token_count": size, "output_token_count": 5, "cache_read_input_token_count": size // 2}
        if number >= self.rounds:
            return [Content.from_text("done")], usage
        ids = [f"{number}-{n}" for n in range(self.parallel)]
        made = [
            Content.from_function_call(f"c{one}", "read_note", arguments=json.dumps({"path": f"{one}.md"}))
            for one in ids
        ]
        thought = Content.from_text_reasoning(text=f"Now note {number}.", protected_data=f"sig{number}" * 20)
        return [thought, Content.from_text(f"Reading {number}."), *made], usage

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            contents, usage = self._answer(messages)
            return ChatResponse(messages=[Message("assistant", contents)], usage_details=usage)

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            contents, usage = self._answer(messages)
            for one in [*contents, Content.from_usage(usage)]:
                yield ChatResponseUpdate(role="assistant", contents=[one])

        return self._build_response_stream(updates()) if stream else answer()


def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


async def play(
    middleware: Any = None,
    streams: bool = False,
    tasks: tuple[str, ...] = ("Read the notes.",),
    tools: Any = (),
    **given: Any,
) -> tuple[Scripted, list[Message]]:
    """An agent's run: its model, and its session's history afterwards."""
    client = Scripted(**given)
    extra = [middleware] if middleware else []
    agent = Agent(client=client, instructions="Work.", tools=[read_note, *tools], middleware=extra)
    session = agent.create_session(session_id="s")
    for task in tasks:
        if streams:
            answer = agent.run(task, session=session, stream=True)
            assert [one async for one in answer]
            await answer.get_final_response()
        else:
            await agent.run(task, session=session)
    histories = [one["messages"] for one in session.state.values() if isinstance(one, dict) and "messages" in one]
    return client, histories[0]


def tell(messages: list[Message]) -> list[Any]:
    """What a history says."""
    return [
        (
            one.role,
            [(part.type, part.call_id, part.text, str(part.result), part.protected_data) for part in one.contents],
        )
        for one in messages
    ]


def count(messages: list[Message]) -> int:
    return sum(CLEARED in str(part.result) for one in messages for part in one.contents)


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5"])
@pytest.mark.parametrize("streams", [False, True])
def test_the_model_sees_the_view_and_the_session_is_whole(streams: bool, model: str) -> None:
    engine, views = make_engine(), Views()
    client, history = asyncio.run(play(SecateurChatMiddleware(engine, on_view=views), streams, model=model))
    plain, expected = asyncio.run(play(None, streams, model=model))
    assert tell(history) == tell(expected)
    assert count(client.seen[-1]) == ROUNDS - 2
    assert count(history) == count(plain.seen[-1]) == 0
    assert {view.session for view in views.all} == {"s"}
    assert len(views.all) == ROUNDS + 1
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


def test_unedited_messages_and_contents_are_the_same_objects() -> None:
    given: list[list[Message]] = []

    class Looking(SecateurChatMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            given.append(list(context.messages))
            await super().process(context, call_next)

    client, _ = asyncio.run(play(Looking(make_engine()), parallel=2))
    edited = 0
    for before, after in zip(given[-1], client.seen[-1], strict=True):
        if count([after]):
            edited += 1
            assert [one.call_id for one in after.contents] == [one.call_id for one in before.contents]
        else:
            assert after is before
    assert edited == ROUNDS - 2


def test_results_keep_all_but_their_text() -> None:
    picture = Content.from_uri("data:image/png;base64,AAAA", media_type="image/png")
    result = Content.from_function_result("c1", result=[Content.from_text("x" * 900), picture])
    engine = make_engine()
    messages = [Message("user", ["Look."])]
    for number in range(3):
        call = Content.from_function_call(f"c{number}", "look", arguments={"at": number})
        told = Content.from_function_result(f"c{number}", result=[Content.from_text(note("x")), picture])
        messages += [Message("assistant", [call]), Message("tool", [told], additional_properties={"mine": 1})]

    class Call:
        options, session, client = {"model": "gpt-5"}, None, None

        def __init__(self) -> None:
            self.messages = messages

    told = read_context(Call())
    view = engine.fit(told.build_request(), session="s", format=told.format)
    shown = told.restore(view, messages, edit_message, lambda role, text: Message(role, [text]))
    (changed,) = shown[2].contents
    assert CLEARED in changed.result
    assert changed.items[1] is picture
    assert shown[2].additional_properties == {"mine": 1}
    assert shown[1] is messages[1]
    assert result.type == "function_result"
    assert ShownPart(0, (), ()).get_text() is None


def test_a_failing_engine_changes_nothing() -> None:
    client, history = asyncio.run(play(SecateurChatMiddleware(FailingEngine())))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert [tell(one) for one in client.seen] == [tell(one) for one in plain.seen]


def test_parallel_calls_and_agents_beside_each_other() -> None:
    async def run() -> list[Any]:
        engine = make_engine()
        middleware = [SecateurChatMiddleware(engine, session=f"s{n}") for n in range(3)]
        return await asyncio.gather(*(play(one, parallel=3) for one in middleware))

    for client, history in asyncio.run(run()):
        assert count(client.seen[-1]) == 3 * (ROUNDS - 2)
        assert count(history) == 0


def test_a_session_that_is_not_named_is_known_by_its_history() -> None:
    views = Views()

    async def run() -> Scripted:
        client = Scripted()
        middleware = SecateurChatMiddleware(make_engine(), on_view=views)
        await Agent(client=client, tools=[read_note], middleware=[middleware]).run("Read the notes.")
        return client

    client = asyncio.run(run())
    assert count(client.seen[-1]) == ROUNDS - 2
    assert len({view.session for view in views.all}) == 1


@pytest.mark.parametrize("policy", ["balance", "opencode"])
def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(policy: str) -> None:
    views = Views()
    middleware = SecateurChatMiddleware(policy=policy, window=60_000, on_view=views)
    client, history = asyncio.run(play(middleware, rounds=200))
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in client.seen[::10]:
        assert not any(one.role == "system" for one in seen[1:])

        class Call:
            options: dict[str, Any] = {}
            session = None

            def __init__(self, client: Scripted, messages: list[Message]) -> None:
                self.client, self.messages = client, messages

        body = read_context(Call(client, [one for one in seen if one.role != "system"])).build_request()
        assert [one.rule for one in check("anthropic", body["messages"], body) if one.severity == "error"] == []


def test_recall_reads_back_what_was_removed() -> None:
    middleware = SecateurChatMiddleware(make_engine(), session="s")
    tool = middleware.make_recall_tool()
    assert isinstance(tool, FunctionTool)
    client, _ = asyncio.run(play(middleware, tools=[tool]))
    texts = [str(part.result) for one in client.seen[-1] for part in one.contents]
    handle = next(one for one in texts if "removed, recall " in one).partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(middleware.edge, "", handle)


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0.md").write_text("What it is about.")
    assert len(run_page("use-agent-framework.md")["views"]) == 2
