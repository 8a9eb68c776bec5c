"""The middleware for Microsoft Agent Framework in agents of the real package, a scripted model: `make adapters`."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, Views, make_engine, note, run_page
from adapters.kit import CLAUDE, AdapterKit, Played, Reader, read_note

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed: `make adapters` tests it")

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddleware,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
)

from secateur.adapters.agent_framework import SecateurChatMiddleware, edit_message, read_context
from secateur.adapters.shadows import ShownPart


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc]
    """Reads notes; reasons and signs as Claude does."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(function_invocation_configuration={"max_iterations": 1_000})
        self.reader, self.model = reader, reader.model
        self.sent: list[list[Message]] = []

    def _answer(self, messages: Any) -> tuple[list[Content], dict[str, int]]:
        self.sent.append(list(messages))
        parts = [part for one in messages for part in one.contents]
        ids = [one.call_id for one in parts if one.type == "function_call"]
        texts = [str(one.result or one.text or "") for one in parts]
        size = sum(map(len, texts)) // 4
        usage = {"input_token_count": size, "output_token_count": 5, "cache_read_input_token_count": size // 2}
        uses = self.reader.choose_calls(ids, "\n".join(texts))
        if not uses:
            return [Content.from_text("done")], usage
        made = [Content.from_function_call(one.id, one.name, arguments=json.dumps(one.arguments)) for one in uses]
        said = f"Now note {len(ids)}."
        thought = Content.from_text_reasoning(text=said, protected_data=f"sig{len(ids)}" * 20)
        return [thought, Content.from_text(said), *made], usage

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            contents, usage = self._answer(messages)
            return ChatResponse(messages=[Message("assistant", contents)], usage_details=usage)

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            contents, usage = self._answer(messages)
            for one in [*contents, Content.from_usage(usage)]:
                yield ChatResponseUpdate(role="assistant", contents=[one])

        return self._build_response_stream(updates()) if stream else answer()


class Spy(ChatMiddleware):
    """Keeps what reaches the middleware behind it."""

    def __init__(self, given: list[list[Any]]) -> None:
        self.given = given

    async def process(self, context: Any, call_next: Any) -> None:
        self.given.append(list(context.messages))
        await call_next()


class Call:
    """The part of a chat call that a conversation is read from."""

    def __init__(self, model: str, messages: list[Message]) -> None:
        self.options, self.session, self.client, self.messages = {"model": model}, None, None, messages


class TestAgentFramework(AdapterKit):
    ways = ("run", "stream")
    own_summaries = False
    has_results_apart = False

    def make(self, engine: Any = None, **settings: Any) -> Any:
        return SecateurChatMiddleware(engine, **settings)

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        client = Scripted(reader)
        middleware = [Spy(given), adapter] if adapter else []
        tools = [read_note, *([adapter.make_recall_tool()] if reader.recalls else [])]
        agent = Agent(client=client, instructions="Work.", tools=tools, middleware=middleware)
        is_named = adapter is None or adapter.edge.session
        session = agent.create_session(session_id="s") if is_named else None
        if way == "stream":
            answer = agent.run("Read the notes.", session=session, stream=True)
            assert [one async for one in answer]
            said = await answer.get_final_response()
        else:
            said = await agent.run("Read the notes.", session=session)
        if session is None:
            return Played(client.sent, said.messages)
        (kept,) = [one for one in session.state.values() if isinstance(one, dict) and "messages" in one]
        return Played(client.sent, kept["messages"])

    def tell(self, messages: list[Any]) -> list[Any]:
        return [
            (
                one.role,
                [(part.type, part.call_id, part.text, str(part.result), part.protected_data) for part in one.contents],
            )
            for one in messages
        ]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        body = read_context(Call(CLAUDE, [one for one in sent if one.role != "system"])).build_request()
        return body["messages"], body

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent[1:] if one.role == "system"]

    def check_edited(self, before: Any, after: Any) -> None:
        assert [one.call_id for one in after.contents] == [one.call_id for one in before.contents]

    def test_the_agents_session_names_the_conversation(self) -> None:
        views = Views()
        middleware = self.make(make_engine(), on_view=views)

        async def run() -> None:
            agent = Agent(client=Scripted(Reader()), tools=[read_note], middleware=[middleware])
            await agent.run("Read the notes.", session=agent.create_session(session_id="mine"))

        asyncio.run(run())
        assert {view.session for view in views.all} == {"mine"}


def test_results_keep_all_but_their_text() -> None:
    picture = Content.from_uri("data:image/png;base64,AAAA", media_type="image/png")
    result = Content.from_function_result("c1", result=[Content.from_text("x" * 900), picture])
    engine = make_engine()
    messages = [Message("user", ["Look."])]
    for number in range(3):
        call = Content.from_function_call(f"c{number}", "look", arguments={"at": number})
        told = Content.from_function_result(f"c{number}", result=[Content.from_text(note("x")), picture])
        messages += [Message("assistant", [call]), Message("tool", [told], additional_properties={"mine": 1})]
    told = read_context(Call("gpt-5", messages))
    view = engine.fit(told.build_request(), session="s", format=told.format)
    shown = told.restore(view, messages, edit_message, lambda role, text: Message(role, [text]))
    (changed,) = shown[2].contents
    assert CLEARED in changed.result
    assert changed.items[1] is picture
    assert shown[2].additional_properties == {"mine": 1}
    assert shown[1] is messages[1]
    assert result.type == "function_result"
    assert ShownPart(0, (), ()).get_text() is None


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(run_page("use-agent-framework.md")["views"]) == 4
