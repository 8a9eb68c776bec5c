"""The providers' own clients, wrapped, against a scripted model: sync, async and streaming."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

import secateur
from adapters import (
    CLEAR,
    TASK,
    FailingEngine,
    Views,
    check_sent,
    count_cleared,
    make_engine,
    note,
    notes,
    read_state,
    sent,
)
from model_server import FINAL, addresses, reads
from secateur import ConfigError, Engine
from upstream import Upstream, upstream

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")

COUNT = 8
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
WAYS = ("plain", "stream", "async", "async stream")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    with upstream(reads(*notes(COUNT), thinking="Let me see.")) as running:
        for name, value in addresses(running.url).items():
            monkeypatch.setenv(name, value)
        yield running


class Loop:
    """An agent's loop with one client; `told` is its conversation."""

    family = ""

    def __init__(self, client: Any, way: str) -> None:
        self.client, self.way = client, way
        self.told: list[Any] = []

    async def run(self, task: str = TASK) -> str:
        """Work until the model has no more calls; its last text."""
        self.begin(task)
        while True:
            answer = await self.ask()
            calls = self.take(answer)
            if not calls:
                return self.text(answer)

    def begin(self, task: str) -> None:
        self.told.append({"role": "user", "content": task})

    async def ask(self) -> Any:
        raise NotImplementedError

    def take(self, answer: Any) -> list[Any]:
        raise NotImplementedError

    def text(self, answer: Any) -> str:
        raise NotImplementedError


class Anthropic(Loop):
    family = "anthropic"

    async def ask(self) -> Any:
        given: Any = {
            "model": "claude-haiku-4-5",
            "max_tokens": 4000,
            "thinking": {"type": "enabled", "budget_tokens": 2000},
            "tools": [{"name": "read_file", "description": "Read.", "input_schema": SCHEMA}],
            "messages": self.told,
        }
        if self.way == "plain":
            return self.client.messages.create(**given)
        if self.way == "async":
            return await self.client.messages.create(**given)
        if self.way == "stream":
            with self.client.messages.stream(**given) as stream:
                return stream.get_final_message()
        async with self.client.messages.stream(**given) as stream:
            return await stream.get_final_message()

    def take(self, answer: Any) -> list[Any]:
        self.told.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": one.id, "content": note(**one.input)} for one in calls]
        self.told += [{"role": "user", "content": results}] if calls else []
        return calls

    def text(self, answer: Any) -> str:
        return answer.content[-1].text


class Chat(Loop):
    family = "openai_chat"

    async def ask(self) -> Any:
        tools = [{"type": "function", "function": {"name": "read_file", "parameters": SCHEMA}}]
        given: Any = {"model": "gpt-4o", "tools": tools, "messages": self.told}
        if self.way == "plain":
            return self.client.chat.completions.create(**given).choices[0].message
        if self.way == "async":
            return (await self.client.chat.completions.create(**given)).choices[0].message
        given |= {"stream_options": {"include_usage": True}}
        if self.way == "stream":
            with self.client.chat.completions.stream(**given) as stream:
                return stream.get_final_completion().choices[0].message
        async with self.client.chat.completions.stream(**given) as stream:
            return (await stream.get_final_completion()).choices[0].message

    def take(self, answer: Any) -> list[Any]:
        self.told.append(answer.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
        for call in answer.tool_calls or ():
            content = note(**json.loads(call.function.arguments))
            self.told.append({"role": "tool", "tool_call_id": call.id, "content": content})
        return answer.tool_calls or []

    def text(self, answer: Any) -> str:
        return answer.content


class Responses(Loop):
    family = "openai_responses"

    async def ask(self) -> Any:
        tools = [{"type": "function", "name": "read_file", "parameters": SCHEMA}]
        given: Any = {"model": "gpt-5", "tools": tools, "store": False, "input": self.told}
        if self.way == "plain":
            return self.client.responses.create(**given)
        if self.way == "async":
            return await self.client.responses.create(**given)
        if self.way == "stream":
            events = [*self.client.responses.create(**given, stream=True)]
        else:
            events = [event async for event in await self.client.responses.create(**given, stream=True)]
        return events[-1].response

    def take(self, answer: Any) -> list[Any]:
        self.told += answer.output
        calls = [item for item in answer.output if item.type == "function_call"]
        for call in calls:
            output = note(**json.loads(call.arguments))
            self.told.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
        return calls

    def text(self, answer: Any) -> str:
        return answer.output_text


class Gemini(Loop):
    family = "gemini"

    def begin(self, task: str) -> None:
        self.told.append(types.UserContent(task))

    async def ask(self) -> Any:
        declared = types.FunctionDeclaration(name="read_file", description="Read.", parameters_json_schema=SCHEMA)
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
        given: Any = {"model": "gemini-2.5-flash", "config": config, "contents": self.told}
        if self.way == "plain":
            return self.client.models.generate_content(**given).candidates[0].content
        if self.way == "async":
            return (await self.client.aio.models.generate_content(**given)).candidates[0].content
        if self.way == "stream":
            chunks = [*self.client.models.generate_content_stream(**given)]
        else:
            chunks = [one async for one in await self.client.aio.models.generate_content_stream(**given)]
        parts = [part for one in chunks for part in (one.candidates[0].content.parts or [])]
        return types.Content(role="model", parts=parts)

    def take(self, answer: Any) -> list[Any]:
        self.told.append(answer)
        calls = [part.function_call for part in answer.parts if part.function_call]
        results = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=one.id, name=one.name, response={"result": note(**one.args)}
                )
            )
            for one in calls
        ]
        self.told += [types.Content(role="user", parts=results)] if calls else []
        return calls

    def text(self, answer: Any) -> str:
        return "".join(part.text for part in answer.parts if part.text and not part.thought)


CLIENTS: dict[type[Loop], tuple[Any, Any]] = {
    Anthropic: (anthropic.Anthropic, anthropic.AsyncAnthropic),
    Chat: (openai.OpenAI, openai.AsyncOpenAI),
    Responses: (openai.OpenAI, openai.AsyncOpenAI),
    Gemini: (genai.Client, genai.Client),
}
EACH = pytest.mark.parametrize("kind", CLIENTS, ids=lambda one: one.__name__)


OPENED: list[Any] = []  # clients of the running test that are not asynchronous


@pytest.fixture(autouse=True)
def closes_clients() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


def make_client(kind: type[Loop], way: str) -> Any:
    client = CLIENTS[kind][way.startswith("async")]()
    if not way.startswith("async"):
        OPENED.append(client)
    return client


def play(kind: type[Loop], way: str, engine: Engine | None = None, **given: Any) -> Loop:
    """Run a loop to its end, with a wrapped client if there is an engine."""

    async def run() -> Loop:
        client = make_client(kind, way)
        loop = kind(secateur.wrap(client, engine, **given) if engine else client, way)
        assert FINAL in await loop.run()
        if way.startswith("async") and hasattr(client, "close"):
            await (client.aio.aclose() if kind is Gemini else client.close())
        return loop

    return asyncio.run(run())


def as_plain(value: Any) -> str:
    """A conversation as text, without the ids that a server mints."""
    return json.dumps(value, default=lambda one: one.model_dump(mode="json"), sort_keys=True)


@EACH
@pytest.mark.parametrize("way", WAYS)
def test_the_model_sees_the_view_and_the_program_its_whole_history(
    server: Upstream, kind: type[Loop], way: str
) -> None:
    views, engine = Views(), make_engine()
    wrapped = play(kind, way, engine, on_view=views)
    assert len(views.all) == COUNT + 1
    assert count_cleared(server) == COUNT - 2
    check_sent(server)
    first = len(server.posts)
    plain = play(kind, way)
    assert [len(one.body) for one in server.posts[first:]] >= [len(one.body) for one in server.posts[:first]]
    assert len(wrapped.told) == len(plain.told)
    for path in notes(COUNT):
        assert f"{path}, line 59" in as_plain(wrapped.told)
    state = read_state(engine, views.last)
    assert state.clock.called
    assert state.clock.read > 0 or kind is Anthropic  # without markers Anthropic caches nothing
    assert state.calibrations


@EACH
@pytest.mark.parametrize("way", ["plain", "async stream"])
def test_a_failing_engine_changes_nothing(
    server: Upstream, monkeypatch: pytest.MonkeyPatch, kind: type[Loop], way: str
) -> None:
    play(kind, way)
    views = Views()
    with upstream(reads(*notes(COUNT), thinking="Let me see.")) as other:
        for name, value in addresses(other.url).items():
            monkeypatch.setenv(name, value)
        play(kind, way, FailingEngine(), session="s", on_view=views)
    assert other.bodies == server.bodies
    assert {view.receipt.error for view in views.all} == {"RuntimeError: out of order"}


@EACH
def test_conversations_in_parallel_keep_their_plans_apart(server: Upstream, kind: type[Loop]) -> None:
    engine, views = make_engine(), Views()
    client = secateur.wrap(make_client(kind, "plain"), engine, on_view=views)

    def work(number: int) -> str:
        return asyncio.run(kind(client, "plain").run(f"{TASK} You are number {number}."))

    with ThreadPoolExecutor(4) as pool:
        assert all(FINAL in said for said in pool.map(work, range(4)))
    check_sent(server)
    assert len({view.session for view in views.all}) == 4
    assert all(view.receipt.status != "failed" for view in views.all)


@EACH
def test_a_client_keeps_its_type_and_the_one_handed_in_is_as_it_was(server: Upstream, kind: type[Loop]) -> None:
    client = make_client(kind, "plain")
    wrapped = secateur.wrap(client, policy=CLEAR)
    assert isinstance(wrapped, type(client))
    asyncio.run(kind(client, "plain").run())
    assert count_cleared(server) == 0
    again = secateur.wrap(wrapped, policy=CLEAR, session="one")  # wrapped anew, not twice
    asyncio.run(kind(again, "plain").run())
    assert count_cleared(server) == COUNT - 2
    del wrapped, again
    asyncio.run(kind(client, "plain").run())  # its connections are open
    assert count_cleared(server) == 0


def test_a_client_with_other_options_is_still_wrapped(server: Upstream) -> None:
    client = secateur.wrap(make_client(Chat, "plain"), policy=CLEAR).with_options(timeout=20)
    asyncio.run(Chat(client, "plain").run())
    assert count_cleared(server) == COUNT - 2


def test_raw_responses_pass_too(server: Upstream) -> None:
    engine, views = make_engine(), Views()
    client = secateur.wrap(make_client(Anthropic, "plain"), engine, on_view=views)
    given: Any = {"model": "claude-haiku-4-5", "max_tokens": 10, "messages": [{"role": "user", "content": TASK}]}
    raw = client.messages.with_raw_response.create(**given)
    assert raw.parse().usage.output_tokens
    with client.messages.with_streaming_response.create(**given) as streamed:
        assert b"content" in streamed.read()
    assert len(views.all) == 2


def test_automatic_function_calls_are_pruned(server: Upstream) -> None:
    def read_file(path: str) -> str:
        """Read a file."""
        return note(path)

    client = secateur.wrap(make_client(Gemini, "plain"), policy=CLEAR)
    config = types.GenerateContentConfig(tools=[read_file])
    said = client.models.generate_content(model="gemini-2.5-flash", contents=TASK, config=config)
    assert FINAL in (said.text or "")
    assert count_cleared(server) == COUNT - 2


def test_what_cannot_be_wrapped_is_refused(server: Upstream) -> None:
    with pytest.raises(ConfigError, match="give a client of the anthropic, openai or google-genai package"):
        secateur.wrap(object())
    client = make_client(Chat, "plain")
    with pytest.raises(ConfigError, match="not both"):
        secateur.wrap(client, Engine(), policy="observe")
    with pytest.raises(ConfigError, match="pass session="):
        secateur.wrap(client, Engine())


def test_a_long_session_with_signed_reasoning_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(reads(*notes(100), thinking="Let me see.")) as server:
        for name, value in addresses(server.url).items():
            monkeypatch.setenv(name, value)
        views = Views()
        client = secateur.wrap(make_client(Anthropic, "plain"), model="claude-sonnet-4-5", window=40_000, on_view=views)
        asyncio.run(Anthropic(client, "plain").run())
        check_sent(server)
        assert len(sent(server)) == 101
        assert any(view.receipt.active_edits for view in views.all)
        assert all(view.receipt.status != "failed" for view in views.all)
