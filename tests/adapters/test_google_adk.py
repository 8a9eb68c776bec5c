"""The plugin for Google ADK in runs of the real package, with a scripted model: `make adapters`."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters import Views, make_engine, run_page
from adapters.kit import REMOVED, ROUNDS, AdapterKit, Played, Reader, read_note

pytest.importorskip("google.adk", reason="google-adk is not installed: `make adapters` tests it in an environment")

from google.adk.agents import LlmAgent, ParallelAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.genai import types

from secateur.adapters.google_adk import SecateurAdkPlugin


class Scripted(BaseLlm):
    """Reads notes; signs its calls as Gemini does."""

    model: str = "gemini-2.5-pro"
    reader: Any
    sent: list[Any] = []
    tools: list[str] = []
    broken: int = -1  # number of the call that fails

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        contents = list(llm_request.contents)
        self.sent.append(contents)
        self.tools[:] = sorted(llm_request.tools_dict)
        if len(self.sent) - 1 == self.broken:
            raise RuntimeError("the model is out of order")
        calls = [part.function_call for one in contents for part in one.parts or () if part.function_call]
        size = sum(len(str(one)) for one in contents) // 4
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=size, cached_content_token_count=size // 2, candidates_token_count=5
        )
        if stream:
            yield LlmResponse(
                content=types.Content(role="model", parts=[types.Part(text="Let me see.")]),
                partial=True,
                usage_metadata=usage,
            )
        parts = [
            types.Part(
                function_call=types.FunctionCall(name=one.name, args=one.arguments, id=one.id),
                thought_signature=f"signature {len(calls)}".encode() if n == 0 else None,
            )
            for n, one in enumerate(self.reader.choose_calls([one.id for one in calls], str(contents)))
        ]
        content = types.Content(role="model", parts=parts or [types.Part(text="done")])
        yield LlmResponse(content=content, usage_metadata=usage)


class Spy(BasePlugin):
    """Keeps what reaches the plugin behind it."""

    def __init__(self, given: list[list[Any]]) -> None:
        super().__init__(name="spy")
        self.given = given

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        self.given.append(list(llm_request.contents))


def make_model(reader: Reader = Reader(), broken: int = -1) -> Scripted:  # noqa: B008
    return Scripted(reader=reader, sent=[], tools=[], broken=broken)


async def run_agent(root: Any, plugins: list[Any], session: str = "s", streams: bool = False) -> list[types.Content]:
    """A run; the contents of the session's events."""
    runner = InMemoryRunner(app=App(name="work", root_agent=root, plugins=plugins))
    await runner.session_service.create_session(app_name="work", user_id="u", session_id=session)
    config = RunConfig(streaming_mode=StreamingMode.SSE if streams else StreamingMode.NONE, max_llm_calls=1_000)
    task = types.Content(role="user", parts=[types.Part(text="Read the notes.")])
    async for _ in runner.run_async(user_id="u", session_id=session, new_message=task, run_config=config):
        pass
    kept = await runner.session_service.get_session(app_name="work", user_id="u", session_id=session)
    assert kept
    return [event.content for event in kept.events if event.content]


class TestGoogleAdk(AdapterKit):
    ways = ("run", "stream")
    models = ("gemini-2.5-pro",)
    api = "gemini"
    session = "work/u/s/reader"
    own_summaries = False
    has_results_apart = False

    def make(self, engine: Any = None, *, session: str = "", **settings: Any) -> Any:
        plugin = SecateurAdkPlugin(engine, **settings)
        plugin.kept_as = session  # the service's name of it: the plugin itself names none
        return plugin

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]]) -> Played:
        model = make_model(reader)
        root = LlmAgent(name="reader", model=model, tools=[read_note], instruction="Work.")
        plugins = [Spy(given), adapter] if adapter else []
        history = await run_agent(root, plugins, getattr(adapter, "kept_as", "") or "s", way == "stream")
        return Played(model.sent, history)

    def tell(self, messages: list[Any]) -> list[Any]:
        return [one.model_dump(mode="json", exclude_none=True) for one in messages]

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        assert all(isinstance(one, types.Content) for one in sent)
        contents = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in sent]
        return contents, {"contents": contents}

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent if one.role not in ("user", "model")]

    def check_edited(self, before: Any, after: Any) -> None:
        assert type(after) is type(before)
        for one, other in zip(before.parts, after.parts, strict=True):
            assert other.function_response.id == one.function_response.id
            assert other.function_response.name == "read_note"


def test_calls_stay_signed() -> None:
    played = TestGoogleAdk().run(SecateurAdkPlugin(make_engine()))
    assert sum(part.thought_signature is not None for one in played.sent[-1] for part in one.parts) == ROUNDS


def test_each_of_an_apps_agents_has_a_session_of_its_own() -> None:
    views, model = Views(), make_model()
    agents = [LlmAgent(name=name, model=model, tools=[read_note]) for name in ("first", "second")]
    plugin = SecateurAdkPlugin(make_engine(), on_view=views)
    asyncio.run(run_agent(ParallelAgent(name="both", sub_agents=agents), [plugin]))
    assert {view.session for view in views.all} == {"work/u/s/first", "work/u/s/second"}
    assert len(model.sent) == 2 * (ROUNDS + 1)
    assert sorted(str(one).count(REMOVED) for one in model.sent)[-2:] == [ROUNDS - 2] * 2  # they run at the same time


def test_a_call_that_failed_leaves_no_request_behind() -> None:
    plugin = SecateurAdkPlugin(make_engine())
    root = LlmAgent(name="reader", model=make_model(broken=3), tools=[read_note])
    with pytest.raises(RuntimeError, match="out of order"):
        asyncio.run(run_agent(root, [plugin]))
    asyncio.run(run_agent(LlmAgent(name="reader", model=make_model(), tools=[read_note]), [plugin], "t"))
    assert len(plugin._calls._calls) <= 1
    assert all(view.request is None for view, _ in plugin._calls._calls.values())


def test_a_slash_in_a_name_leads_to_nobody_elses_session() -> None:
    views = Views()
    plugin = SecateurAdkPlugin(make_engine(), on_view=views)
    asyncio.run(run_agent(LlmAgent(name="reader", model=make_model(Reader(rounds=0))), [plugin], "s/reader"))
    assert views.last.session == "work/u/s%2Freader/reader"


@pytest.mark.parametrize(
    ("tools", "given", "offered"),
    [([], {}, []), ([read_note], {}, ["read_note", "recall"]), ([read_note], {"recall": False}, ["read_note"])],
)
def test_the_tool_that_reads_back_is_offered_beside_others(tools: Any, given: Any, offered: list[str]) -> None:
    model = make_model(Reader(rounds=0))
    asyncio.run(run_agent(LlmAgent(name="reader", model=model, tools=tools), [SecateurAdkPlugin(**given)]))
    assert model.tools == offered


def test_a_tool_of_the_agents_own_with_that_name_stays() -> None:
    def recall(handle: str) -> str:
        """Call a customer back."""
        return "called"

    model = make_model()
    root = LlmAgent(name="reader", model=model, tools=[read_note, recall])
    asyncio.run(run_agent(root, [SecateurAdkPlugin(make_engine())]))
    assert "call again if needed" in str(model.sent[-1])


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(run_page("use-google-adk.md")["views"]) == 4
