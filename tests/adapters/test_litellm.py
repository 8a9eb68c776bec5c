"""The LiteLLM callback in calls of the real SDK, against a scripted model behind HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Iterator
from inspect import isawaitable
from typing import Any

import pytest

from adapters import (
    CLEARED,
    FailingEngine,
    Views,
    check_sent,
    count_cleared,
    make_engine,
    note,
    notes,
    read_state,
    run_page,
    sent,
)
from model_server import addresses, reads
from secateur.api import check
from upstream import Upstream, upstream

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::ResourceWarning")
COUNT = 8
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.fixture(autouse=True)
def local_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM looks for prices on the network as it is imported, unless it is told not to."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    with upstream(reads(*notes(COUNT))) as running:
        for name, value in addresses(running.url).items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture(autouse=True)
def closes_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """LiteLLM keeps its clients: they are closed in the event loop that they belong to."""
    run = asyncio.run
    monkeypatch.setattr(asyncio, "run", lambda work: run(_run_and_close(work)))
    yield
    run(_close_clients())


async def _run_and_close(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await work
    finally:
        await _close_clients()


async def _close_clients() -> None:
    import litellm

    cache = litellm.in_memory_llm_clients_cache
    for kept in [*cache.cache_dict.values()]:
        client = getattr(kept, "client", kept)
        closing = (getattr(client, "aclose", None) or client.close)()
        if isawaitable(closing):
            await closing
    cache.flush_cache()


def chat(count: int) -> list[Any]:
    """A conversation so far, as Chat Completions has it."""
    told: list[Any] = [{"role": "user", "content": "Read the notes."}]
    for number, path in enumerate(notes(count)):
        function = {"name": "read_file", "arguments": json.dumps({"path": path})}
        told.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
            }
        )
        told.append({"role": "tool", "tool_call_id": f"c{number}", "content": note(path)})
    return told


def items(count: int) -> list[Any]:
    """The same as Responses has it."""
    told: list[Any] = [{"role": "user", "content": "Read the notes."}]
    for number, path in enumerate(notes(count)):
        call = {
            "type": "function_call",
            "call_id": f"c{number}",
            "name": "read_file",
            "arguments": json.dumps({"path": path}),
        }
        told += [call, {"type": "function_call_output", "call_id": f"c{number}", "output": note(path)}]
    return told


def blocks(count: int, parallel: int = 1) -> list[Any]:
    """The same as Messages has it, with signed reasoning, and so many calls in each answer."""
    told: list[Any] = [{"role": "user", "content": "Read the notes."}]
    for number, path in enumerate(notes(count)):
        said: list[Any] = [{"type": "thinking", "thinking": f"Now {path}.", "signature": f"sig{number}" * 20}]
        ids = [f"c{number}-{n}" for n in range(parallel)]
        said += [{"type": "tool_use", "id": one, "name": "read_file", "input": {"path": path}} for one in ids]
        results = [{"type": "tool_result", "tool_use_id": one, "content": note(path)} for one in ids]
        told += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]
    return told


async def ask(route: str, count: int, streams: bool, url: str) -> Any:
    """One call of a route with a conversation of so many rounds; what was handed in stays as it is."""
    import litellm

    function = {"name": "read_file", "description": "Read.", "parameters": SCHEMA}
    given: dict[str, Any] = {"stream": streams, "litellm_session_id": f"{route}-1", "api_key": "sk-none"}
    if route == "chat":
        told, tools = chat(count), [{"type": "function", "function": function}]
        given |= {"stream_options": {"include_usage": True}} if streams else {}
        work = litellm.acompletion(model="openai/gpt-4o", messages=told, tools=tools, api_base=f"{url}/v1", **given)
    elif route == "claude":
        told, tools = chat(count), [{"type": "function", "function": function}]
        work = litellm.acompletion(
            model="anthropic/claude-haiku-4-5", messages=told, tools=tools, api_base=url, **given
        )
    elif route == "messages":
        told, tools = blocks(count), [{"name": "read_file", "input_schema": SCHEMA}]
        model = "anthropic/claude-haiku-4-5"
        work = litellm.anthropic_messages(model=model, max_tokens=99, messages=told, tools=tools, api_base=url, **given)
    else:
        told, tools = items(count), [{"type": "function", **function}]
        work = litellm.aresponses(model="openai/gpt-5", input=told, tools=tools, api_base=f"{url}/v1", **given)
    before = json.dumps(told)
    answer = await work
    if streams:
        assert isinstance(answer, AsyncIterator) or hasattr(answer, "__aiter__")
        answer = [one async for one in answer]
    assert json.dumps(told) == before
    return answer


async def play(route: str, streams: bool, url: str, engine: Any, views: Views) -> None:
    import litellm
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

    from secateur.adapters.litellm import SecateurLogger

    logger = SecateurLogger(engine, on_view=views)
    litellm.callbacks = [logger]
    try:
        for count in (2, 5, COUNT):
            await ask(route, count, streams, url)
            await GLOBAL_LOGGING_WORKER.flush()
            await asyncio.sleep(0)
    finally:
        litellm.callbacks = []
        litellm.success_callback, litellm._async_success_callback = [], []


@pytest.mark.parametrize("route", ["chat", "claude", "messages", "responses"])
@pytest.mark.parametrize("streams", [False, True])
def test_the_model_sees_the_view(server: Upstream, route: str, streams: bool) -> None:
    if route == "messages" and streams:
        pytest.importorskip("fastapi", reason="LiteLLM streams this route with its proxy's packages alone")
    engine, views = make_engine(), Views()
    asyncio.run(play(route, streams, server.url, engine, views))
    assert [view.receipt.status for view in views.all] == ["unchanged", "opened", "opened"]
    assert len(sent(server)) == 3
    assert count_cleared(server) == COUNT - 2
    check_sent(server)
    assert views.last.session == f"{route}-1"
    before, after = views.all[-1].raw_transcript.messages, views.last.request
    assert len(before) == 1 + 2 * COUNT
    assert CLEARED in json.dumps(after)
    state = read_state(engine, views.last)
    assert state.clock.called
    assert state.clock.read > 0 or route in ("claude", "messages")  # Claude reads what is marked alone
    assert state.calibrations


async def edit(logger: Any, told: list[Any]) -> list[Any]:
    """What LiteLLM is handed back by its hook for a conversation as Messages has it."""
    tools = [{"name": "read_file", "input_schema": SCHEMA}]
    model = "anthropic/claude-sonnet-4-5"
    given = {"model": model, "messages": told, "tools": tools, "litellm_session_id": "s", "litellm_call_id": len(told)}
    changed = await logger.async_pre_call_deployment_hook(given, "anthropic_messages")
    return (changed or given)["messages"]


def test_unedited_messages_are_the_same_objects_and_parallel_results_are_pruned() -> None:
    from secateur.adapters.litellm import SecateurLogger

    told = blocks(COUNT, parallel=2)
    shown = asyncio.run(edit(SecateurLogger(make_engine()), told))
    assert len(shown) == len(told)
    edited = [(before, after) for before, after in zip(told, shown, strict=True) if after is not before]
    assert len(edited) == COUNT - 2
    assert json.dumps([after for _, after in edited]).count(CLEARED) == 2 * (COUNT - 2)
    assert CLEARED not in json.dumps(told)


def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused() -> None:
    from secateur.adapters.litellm import SecateurLogger

    views, told = Views(), blocks(200)
    logger = SecateurLogger(window=60_000, on_view=views)

    async def run() -> None:
        for turns in range(1, 201):
            shown = await edit(logger, told[: 1 + 2 * turns])
            if turns % 10 == 0:
                wrong = check("anthropic", shown, {"messages": shown, "model": "claude-sonnet-4-5"})
                assert [one.rule for one in wrong if one.severity == "error"] == []

    asyncio.run(run())
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)


def test_a_call_of_the_recall_tool_is_answered() -> None:
    from secateur.adapters.litellm import SecateurLogger

    views = Views()
    logger = SecateurLogger(make_engine(recall_handles="on"), on_view=views)
    asyncio.run(edit(logger, blocks(COUNT)))
    handle = views.last.receipt.edits[0].handle
    for session in ("s", ""):
        assert "line 59" in logger.recall(json.dumps({"handle": handle}), session)
    assert "line 59" in logger.recall({"handle": handle})
    assert "nothing is kept" in logger.recall({"handle": "0" * 12}, "s")
    assert "give the arguments as the tool describes them" in logger.recall("[", "s")
    for wrong in ('{"name": 1}', "7", "[1]"):
        assert "it takes handle, page, lines, json_path" in logger.recall(wrong, "s")
    assert logger.make_recall_tool()["function"]["name"] == "recall"


def test_a_failing_engine_changes_nothing(server: Upstream) -> None:
    views = Views()
    asyncio.run(play("chat", False, server.url, FailingEngine(), views))
    asyncio.run(ask("chat", COUNT, False, server.url))
    assert server.bodies[-1] == server.bodies[-2]
    assert len(views.all) == 3
    assert all(view.receipt.status == "failed" for view in views.all)


def test_a_stream_that_its_reader_leaves_holds_no_request(server: Upstream) -> None:
    """LiteLLM reports no end of it."""
    import litellm

    from secateur.adapters.litellm import SecateurLogger

    logger = SecateurLogger(make_engine())
    litellm.callbacks = [logger]

    async def leave() -> None:
        answer = await litellm.acompletion(
            model="openai/gpt-4o", messages=chat(COUNT), stream=True, api_base=f"{server.url}/v1", api_key="sk-none"
        )
        async for _ in answer:
            break
        await answer.aclose()

    try:
        asyncio.run(leave())
    finally:
        litellm.callbacks = []
    assert [view.request for view, _ in logger._calls._calls.values()] == [None]


def test_calls_beside_each_other_keep_their_views_apart(server: Upstream) -> None:
    import litellm

    from secateur.adapters.litellm import SecateurLogger

    engine, views = make_engine(), Views()
    litellm.callbacks = [SecateurLogger(engine, on_view=views)]

    async def run() -> None:
        await asyncio.gather(*(ask(route, COUNT, False, server.url) for route in ("chat", "messages", "responses")))

    try:
        asyncio.run(run())
    finally:
        litellm.callbacks = []
    check_sent(server)
    assert {view.session for view in views.all} == {"chat-1", "messages-1", "responses-1"}
    assert all(body.count(CLEARED) == COUNT - 2 for body in server.bodies)


def test_a_summary_is_the_users_whatever_the_preset_says(server: Upstream) -> None:
    import litellm

    from secateur.adapters.litellm import SecateurLogger

    views = Views()
    litellm.callbacks = [SecateurLogger(policy="opencode", window=4_000, on_view=views)]
    try:
        asyncio.run(ask("chat", 40, False, server.url))
    finally:
        litellm.callbacks = []
    assert None in views.last.sources
    assert {one["role"] for one in json.loads(server.bodies[-1])["messages"]} == {"user", "assistant", "tool"}


def test_a_synchronous_call_goes_out_whole(server: Upstream) -> None:
    import litellm

    from secateur.adapters.litellm import SecateurLogger

    views = Views()
    litellm.callbacks = [SecateurLogger(make_engine(), on_view=views)]
    try:
        litellm.completion(model="openai/gpt-4o", messages=chat(COUNT), api_base=f"{server.url}/v1", api_key="sk-none")
    finally:
        litellm.callbacks = []
    assert [one.get("content") for one in json.loads(server.bodies[-1])["messages"]] == [
        one["content"] for one in chat(COUNT)
    ]
    assert views.all == []


def test_a_conversation_that_is_not_named_goes_out_whole(server: Upstream) -> None:
    import litellm

    from secateur.adapters.litellm import SecateurLogger

    views = Views()
    litellm.callbacks = [SecateurLogger(make_engine(), on_view=views)]
    try:
        asyncio.run(litellm.acompletion("openai/gpt-4o", chat(COUNT), api_base=f"{server.url}/v1", api_key="sk-none"))
    finally:
        litellm.callbacks = []
    assert [one.get("content") for one in json.loads(server.bodies[-1])["messages"]] == [
        one["content"] for one in chat(COUNT)
    ]
    assert views.all == []


@pytest.mark.parametrize("header", ["X-Claude-Code-Session-Id", "session-id", "x-session-affinity"])
def test_a_session_is_what_a_client_names_in_its_headers(server: Upstream, header: str) -> None:
    import litellm

    from secateur.adapters.litellm import SecateurLogger

    views = Views()
    litellm.callbacks = [SecateurLogger(make_engine(), on_view=views)]
    given: dict[str, Any] = {"proxy_server_request": {"headers": {header: "ticket-7"}}, "api_key": "sk-none"}
    url = f"{server.url}/v1"
    try:
        asyncio.run(litellm.acompletion(model="openai/gpt-4o", messages=chat(2), api_base=url, **given))
    finally:
        litellm.callbacks = []
    assert [view.session for view in views.all] == ["ticket-7"]


def test_the_page_in_the_docs_runs() -> None:
    import litellm

    try:
        views = run_page("use-litellm.md")["views"]
    finally:
        litellm.callbacks, litellm.custom_provider_map = [], []
    assert {view.session for view in views} == {"ticket-7"}
    assert len(views) == 4
