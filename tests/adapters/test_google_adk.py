"""The plugin for Google ADK in runs of the real package, with a scripted model: `make adapters`."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, FailingEngine, Views, make_engine, note, read_state, run_page
from secateur.adapters.recall_tool import recall_from
from secateur.api import check

pytest.importorskip("google.adk", reason="google-adk is not installed: `make adapters` tests it in an environment")

from google.adk.agents import LlmAgent, ParallelAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from secateur.adapters.google_adk import SecateurAdkPlugin

ROUNDS = 8


class Scripted(BaseLlm):
    """Reads a note with each answer; signs its calls as Gemini does."""

    model: str = "gemini-2.5-pro"
    rounds: int = ROUNDS
    parallel: int = 1
    seen: list[Any] = []
    broken: int = -1  # number of the call that fails

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        contents = list(llm_request.contents)
        self.seen.append(contents)
        if len(self.seen) - 1 == self.broken:
            raise RuntimeError("the model is out of order")
        calls = [part.function_call for one in contents for part in one.parts or () if part.function_call]
        number = max((int(one.args["path"].partition("-")[0]) + 1 for one in calls), default=0)
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
                function_call=types.FunctionCall(
                    name="read_note", args={"path": f"{number}-{n}.md"}, id=f"c{number}-{n}"
                ),
                thought_signature=f"signature {number}".encode() if n == 0 else None,
            )
            for n in range(self.parallel if number < self.rounds else 0)
        ]
        content = types.Content(role="model", parts=parts or [types.Part(text="done")])
        yield LlmResponse(content=content, usage_metadata=usage)


def read_note(path: str) -> str:
    """Read a note."""
    return note(path)


async def play(
    plugin: Any = None,
    session: str = "s",
    streams: bool = False,
    make_root: Any = None,
    recalls: bool = False,
    **given: Any,
) -> tuple[Scripted, list[types.Content]]:
    """An agent's run: its model, and the contents of its session's events."""
    model = Scripted(seen=[], **given)
    tools: list[Any] = [read_note, *([plugin.make_recall_tool()] if recalls else [])]
    root = make_root(model) if make_root else LlmAgent(name="reader", model=model, tools=tools, instruction="Work.")
    runner = InMemoryRunner(app=App(name="work", root_agent=root, plugins=[plugin] if plugin else []))
    await runner.session_service.create_session(app_name="work", user_id="u", session_id=session)
    config = RunConfig(streaming_mode=StreamingMode.SSE if streams else StreamingMode.NONE, max_llm_calls=1_000)
    task = types.Content(role="user", parts=[types.Part(text="Read the notes.")])
    async for _ in runner.run_async(user_id="u", session_id=session, new_message=task, run_config=config):
        pass
    kept = await runner.session_service.get_session(app_name="work", user_id="u", session_id=session)
    assert kept
    return model, [event.content for event in kept.events if event.content]


def tell(contents: list[types.Content]) -> list[Any]:
    return [one.model_dump(mode="json", exclude_none=True) for one in contents]


@pytest.mark.parametrize("streams", [False, True])
def test_the_model_sees_the_view_and_the_session_is_whole(streams: bool) -> None:
    engine, views = make_engine(), Views()
    model, history = asyncio.run(play(SecateurAdkPlugin(engine, on_view=views), streams=streams))
    plain, expected = asyncio.run(play(streams=streams))
    assert tell(history) == tell(expected)
    assert str(model.seen[-1]).count(CLEARED) == ROUNDS - 2
    assert CLEARED not in str(history)
    assert len(plain.seen) == len(model.seen) == len(views.all) == ROUNDS + 1
    assert {view.session for view in views.all} == {"work/u/s/reader"}
    state = read_state(engine, views.last)
    assert state.clock.read > 0
    assert state.calibrations


def test_unedited_contents_are_the_same_objects_and_edited_ones_keep_the_rest() -> None:
    given: list[list[types.Content]] = []

    class Looking(SecateurAdkPlugin):
        async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
            given.append(list(llm_request.contents))
            await super().before_model_callback(callback_context=callback_context, llm_request=llm_request)

    model, _ = asyncio.run(play(Looking(make_engine())))
    edited = 0
    for before, after in zip(given[-1], model.seen[-1], strict=True):
        if CLEARED not in str(after):
            assert after is before
            continue
        edited += 1
        assert type(after) is type(before)
        assert after.parts[0].function_response.id == before.parts[0].function_response.id
        assert after.parts[0].function_response.name == "read_note"
    assert edited == ROUNDS - 2
    assert sum(part.thought_signature is not None for one in model.seen[-1] for part in one.parts) == ROUNDS


def test_a_failing_engine_changes_nothing() -> None:
    model, history = asyncio.run(play(SecateurAdkPlugin(FailingEngine())))
    plain, expected = asyncio.run(play())
    assert tell(history) == tell(expected)
    assert [tell(one) for one in model.seen] == [tell(one) for one in plain.seen]


def test_parallel_calls_and_sessions_beside_each_other() -> None:
    plugin = SecateurAdkPlugin(make_engine())

    async def run() -> list[Any]:
        return await asyncio.gather(*(play(plugin, f"s{n}", parallel=3) for n in range(3)))

    for model, history in asyncio.run(run()):
        assert str(model.seen[-1]).count(CLEARED) == 3 * (ROUNDS - 2)
        assert CLEARED not in str(history)


def test_each_of_an_apps_agents_has_a_session_of_its_own() -> None:
    views = Views()

    def make_root(model: Any) -> Any:
        agents = [LlmAgent(name=name, model=model, tools=[read_note]) for name in ("first", "second")]
        return ParallelAgent(name="both", sub_agents=agents)

    model, _ = asyncio.run(play(SecateurAdkPlugin(make_engine(), on_view=views), make_root=make_root))
    assert {view.session for view in views.all} == {"work/u/s/first", "work/u/s/second"}
    assert len(model.seen) == 2 * (ROUNDS + 1)
    assert [str(one).count(CLEARED) for one in model.seen[-2:]] == [ROUNDS - 2] * 2


def test_a_call_that_failed_leaves_no_view_behind() -> None:
    plugin = SecateurAdkPlugin(make_engine())
    with pytest.raises(RuntimeError, match="out of order"):
        asyncio.run(play(plugin, broken=3))
    asyncio.run(play(plugin, session="t"))
    assert len(plugin._calls._views) <= 1


@pytest.mark.parametrize("policy", ["balance", "opencode"])
def test_a_session_of_200_turns_with_signed_calls_is_never_refused(policy: str) -> None:
    views = Views()
    model, history = asyncio.run(play(SecateurAdkPlugin(policy=policy, window=60_000, on_view=views), rounds=200))
    assert len(history) == 402
    assert any(view.receipt.active_edits for view in views.all)
    assert all(view.receipt.status != "failed" for view in views.all)
    for seen in model.seen[::10]:
        assert all(isinstance(one, types.Content) for one in seen)
        contents = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in seen]
        assert {one["role"] for one in contents} <= {"user", "model"}
        body = {"contents": contents}
        assert [one.rule for one in check("gemini", contents, body) if one.severity == "error"] == []


def test_recall_reads_back_what_was_removed() -> None:
    plugin = SecateurAdkPlugin(make_engine())
    model, _ = asyncio.run(play(plugin, recalls=True))
    handle = str(model.seen[-1]).partition("removed, recall ")[2][:12]
    assert "line 59" in recall_from(plugin.edge, "work/u/s/reader", handle)
    declared = plugin.make_recall_tool()._get_declaration()
    assert declared
    assert declared.name == "recall"
    assert "tool_context" not in str(declared)


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0.md").write_text("What it is about.")
    assert len(run_page("use-google-adk.md")["views"]) == 2
