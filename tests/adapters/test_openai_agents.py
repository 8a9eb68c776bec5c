"""The hooks for the OpenAI Agents SDK, in runs of the real package against a scripted model behind HTTP."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from agents import (
    Agent,
    MaxTurnsExceeded,
    ModelResponse,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    Usage,
    function_tool,
)
from openai.types.responses import Response

from adapters import (
    CLEAR,
    CLEARED,
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
from secateur.adapters.openai_agents import SecateurHooks
from secateur.adapters.recall_tool import recall_from
from upstream import Upstream, upstream

COUNT = 8
TASK = "Read the notes."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    with upstream(reads(*notes(COUNT), thinking="Let me see.")) as running:
        for name, value in addresses(running.url).items():
            monkeypatch.setenv(name, value)
        yield running


@function_tool
def read_file(path: str) -> str:
    """Read a file."""
    return note(path)


class PostingModel(OpenAIResponsesModel):
    """The Responses API without the client's check of each item's type, which is most of a long run's time."""

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *_: Any, **__: Any
    ) -> ModelResponse:
        functions = [{"type": "function", "name": one.name, "parameters": one.params_json_schema} for one in tools]
        body = {"model": "gpt-5", "instructions": system_instructions, "input": input, "tools": functions}
        answer = await self._client.post("/responses", body=body, cast_to=Response)
        assert answer.usage
        counts = {name: getattr(answer.usage, name) for name in ("input_tokens", "output_tokens", "total_tokens")}
        usage = Usage(requests=1, input_tokens_details=answer.usage.input_tokens_details, **counts)
        return ModelResponse(output=answer.output, usage=usage, response_id=answer.id)


MODELS: dict[str, Any] = {"responses": OpenAIResponsesModel, "chat": OpenAIChatCompletionsModel}


async def play(
    hooks: SecateurHooks | None, kind: str = "responses", streams: bool = False, model: Any = None
) -> list[Any]:
    """A run; what the SDK's session keeps of it."""
    client = openai.AsyncOpenAI()
    agent = Agent("reader", instructions="Work.", model=(model or MODELS[kind])("gpt-5", client), tools=[read_file])
    session = SQLiteSession("s")
    plain = RunConfig(tracing_disabled=True)
    config: dict[str, Any] = {"hooks": hooks, "run_config": hooks.make_run_config(plain) if hooks else plain}
    if streams:
        running = Runner.run_streamed(agent, TASK, session=session, max_turns=500, **config)
        assert [event async for event in running.stream_events()]
        said = running.final_output
    else:
        said = (await Runner.run(agent, TASK, session=session, max_turns=500, **config)).final_output
    assert FINAL in str(said)
    await client.close()
    return await session.get_items()


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("streams", [False, True])
def test_the_model_sees_the_view_and_the_session_is_whole(server: Upstream, kind: str, streams: bool) -> None:
    engine, views = make_engine(), Views()
    history = asyncio.run(play(SecateurHooks(engine, session="s", on_view=views), kind, streams))
    assert count_cleared(server) == COUNT - 2
    check_sent(server)
    assert CLEARED not in json.dumps(history)
    assert all(f"{path}, line 59" in json.dumps(history) for path in notes(COUNT))
    expected = asyncio.run(play(None, kind, streams))
    assert len(history) == len(expected)
    assert [one.get("output") for one in history] == [one.get("output") for one in expected]
    state = read_state(engine, views.last)
    if not (kind == "chat" and streams):  # streams of chat state no usage unless they are asked for it
        assert state.clock.read > 0
        assert state.calibrations


def test_unedited_items_are_the_same_objects(server: Upstream) -> None:
    engine = make_engine()
    hooks, given = SecateurHooks(engine, session="s"), []
    config = hooks.make_run_config(
        RunConfig(
            tracing_disabled=True,
            call_model_input_filter=lambda data: given.append(data.model_data.input) or data.model_data,
        )
    )
    client = openai.AsyncOpenAI()
    agent = Agent("reader", model=OpenAIResponsesModel("gpt-5", client), tools=[read_file])
    views: list[Any] = []
    hooks.edge.on_view = views.append

    async def run() -> None:
        await Runner.run(agent, TASK, hooks=hooks, run_config=config, max_turns=50)
        await client.close()

    asyncio.run(run())
    items, shown = given[-1], views[-1].request["input"]
    edited = {part.message for part in views[-1].edited_parts}
    assert len(edited) == COUNT - 2
    assert all(shown[at] is items[at] for at in range(len(items)) if at not in edited)


def test_a_failing_engine_changes_nothing(server: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(play(None))
    with upstream(reads(*notes(COUNT), thinking="Let me see.")) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{other.url}/v1")
        asyncio.run(play(SecateurHooks(FailingEngine(), session="s")))
    assert other.bodies == server.bodies


def test_runs_beside_each_other(server: Upstream) -> None:
    views = Views()
    hooks = SecateurHooks(make_engine(), on_view=views)

    async def run() -> None:
        for some in await asyncio.gather(*(play(hooks) for _ in range(3))):
            assert CLEARED not in json.dumps(some)

    asyncio.run(run())
    check_sent(server)
    assert all(view.receipt.status != "failed" for view in views.all)


@pytest.mark.parametrize("policy", ["balance"])
def test_a_session_of_100_turns_with_reasoning_is_never_refused(monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    with upstream(reads(*notes(100), thinking="Let me see.")) as server:
        for name, value in addresses(server.url).items():
            monkeypatch.setenv(name, value)
        views = Views()
        asyncio.run(play(SecateurHooks(policy=policy, window=20_000, session="s", on_view=views), model=PostingModel))
        check_sent(server)
        assert len([one for one in sent(server) if one[2].get("tools")]) == 101
        assert any(view.receipt.active_edits for view in views.all)
        assert all(view.receipt.status != "failed" for view in views.all)


def test_parallel_calls_are_pruned_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(reads(*notes(2 * COUNT), at_once=2)) as server:
        for name, value in addresses(server.url).items():
            monkeypatch.setenv(name, value)
        history = asyncio.run(play(SecateurHooks(make_engine(), session="s")))
        assert count_cleared(server) == 2 * (COUNT - 2)
        assert CLEARED not in json.dumps(history)
        check_sent(server)


def test_where_the_provider_keeps_the_history_nothing_is_done(server: Upstream) -> None:
    views = Views()
    hooks = SecateurHooks(policy=CLEAR, on_view=views)
    client = openai.AsyncOpenAI()
    agent = Agent("reader", model=OpenAIResponsesModel("gpt-5", client), tools=[read_file])

    async def run() -> None:
        config = hooks.make_run_config(RunConfig(tracing_disabled=True))
        with pytest.raises(MaxTurnsExceeded):
            await Runner.run(agent, TASK, hooks=hooks, run_config=config, max_turns=3, auto_previous_response_id=True)
        await client.close()

    asyncio.run(run())
    assert len(views.all) == 1  # the first request, which has all that there is


def test_recall_reads_back_what_was_removed(server: Upstream) -> None:
    hooks = SecateurHooks(make_engine(), session="s")
    tool = hooks.make_recall_tool()

    async def run() -> None:
        client = openai.AsyncOpenAI()
        agent = Agent("reader", model=OpenAIResponsesModel("gpt-5", client), tools=[read_file, tool])
        config = hooks.make_run_config(RunConfig(tracing_disabled=True))
        await Runner.run(agent, TASK, hooks=hooks, run_config=config, max_turns=50)
        await client.close()

    asyncio.run(run())
    handle = server.bodies[-1].partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(hooks.edge, "", {"handle": handle})
