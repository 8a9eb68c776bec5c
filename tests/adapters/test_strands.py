"""The Strands plugin in agents of the real package, with a scripted model: `make adapters`."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adapters import Views, make_engine, run_page
from adapters.kit import CLAUDE, READER, AdapterKit, Played, Reader
from adapters.kit import read_note as read_a_note

pytest.importorskip("strands", reason="strands-agents is not installed: `make adapters` tests it in an environment")

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager, SlidingWindowConversationManager
from strands.middleware import InvokeModelStage
from strands.models import Model
from strands.plugins import Plugin

from secateur.adapters.strands import SecateurPlugin

read_note = tool(read_a_note)


class Scripted(Model):
    """Reads notes; reasons and signs as Claude does."""

    def __init__(self, reader: Reader = READER) -> None:
        self.reader = reader
        self.sent: list[list[Any]] = []
        self.tools: list[str] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": f"anthropic.{self.reader.model}"}

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, tool_specs: Any = None, *_: Any, **__: Any) -> Any:
        self.sent.append(list(messages))
        self.tools = [one["name"] for one in tool_specs or ()]
        ids = [block["toolUse"]["toolUseId"] for one in messages for block in one["content"] if "toolUse" in block]
        uses = self.reader.choose_calls(ids, str(messages))
        yield {"messageStart": {"role": "assistant"}}
        if uses:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"reasoningContent": {"text": f"Now note {len(ids)}."}}}}
            yield {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": f"sig{len(ids)}" * 20}}}}
            yield {"contentBlockStop": {}}
            for one in uses:
                yield {"contentBlockStart": {"start": {"toolUse": {"name": one.name, "toolUseId": one.id}}}}
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(one.arguments)}}}}
                yield {"contentBlockStop": {}}
        else:
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if uses else "end_turn"}}
        size = len(str(messages)) // 4
        usage = {"inputTokens": size // 2, "outputTokens": 5, "totalTokens": size + 5}
        usage |= {"cacheReadInputTokens": size - size // 2}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


class Spy(Plugin):
    """Keeps the messages of each call."""

    name = "spy"

    def __init__(self, seen: list[list[Any]], name: str) -> None:
        self.seen, self.name = seen, name
        super().__init__()

    def init_agent(self, agent: Any) -> None:
        async def look(context: Any, next_fn: Any) -> Any:
            self.seen.append(list(context.messages))
            async for event in next_fn(context):
                yield event

        agent.add_middleware(InvokeModelStage, look)


class TestStrands(AdapterKit):
    ways = ("invoke", "stream")
    models = (CLAUDE,)
    policies = ("balance",)
    api = "bedrock"
    own_summaries = False
    has_results_apart = False

    def make(self, engine: Any = None, **settings: Any) -> Any:
        return SecateurPlugin(engine, **settings)

    async def play(self, adapter: Any, way: str, reader: Reader, given: list[list[Any]], manager: Any = None) -> Played:
        model = Scripted(reader)
        passed: list[list[Any]] = []  # Strands itself copies messages on their way from there to the model
        agent = Agent(
            model=model,
            tools=[read_note],
            system_prompt="Work.",
            plugins=[Spy(given, "before"), *([adapter] if adapter else []), Spy(passed, "after")],
            callback_handler=None,
            conversation_manager=manager or NullConversationManager(),
        )
        if way == "stream":
            assert [event async for event in agent.stream_async("Read the notes.")]
        else:
            await agent.invoke_async("Read the notes.")
        assert [self.tell(one) for one in passed] == [self.tell(one) for one in model.sent]
        return Played(passed, agent.messages)

    def tell(self, messages: list[Any]) -> list[Any]:
        return [(one["role"], sorted(map(str, one["content"]))) for one in messages]  # parallel results have no order

    def build_body(self, sent: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        bare = [{key: value for key, value in one.items() if key != "metadata"} for one in sent]
        return bare, {"messages": bare, "toolConfig": {"tools": [{"toolSpec": read_note.tool_spec}]}}

    def list_systems(self, sent: list[Any]) -> list[Any]:
        return [one for one in sent if one["role"] not in ("user", "assistant")]

    def check_edited(self, before: Any, after: Any) -> None:
        ids = [[block["toolResult"]["toolUseId"] for block in one["content"]] for one in (before, after)]
        assert ids[0] == ids[1]


def test_agents_without_a_name_have_sessions_of_their_own() -> None:
    engine, views = make_engine(), [Views(), Views()]

    async def run(seen: Views, task: str) -> None:
        plugin = SecateurPlugin(engine, on_view=seen)
        agent = Agent(model=Scripted(), tools=[read_note], plugins=[plugin], callback_handler=None)
        await agent.invoke_async(task)

    async def run_both() -> None:
        await asyncio.gather(*(run(*one) for one in zip(views, ("Read the notes.", "Sum the notes up."), strict=True)))

    asyncio.run(run_both())
    first, second = ({view.session for view in one.all} for one in views)
    assert len(first) == len(second) == 1
    assert first != second


@pytest.mark.parametrize(
    ("tools", "given", "offered"),
    [([], {}, []), ([read_note], {}, ["read_note", "recall"]), ([read_note], {"recall": False}, ["read_note"])],
)
def test_the_tool_that_reads_back_is_offered_beside_others(tools: Any, given: Any, offered: list[str]) -> None:
    model = Scripted(Reader(rounds=0))
    agent = Agent(model=model, tools=tools, plugins=[SecateurPlugin(**given)], callback_handler=None)
    asyncio.run(agent.invoke_async("Hello."))
    assert model.tools == offered


def test_a_tool_of_the_agents_own_with_that_name_stays() -> None:
    @tool
    def recall(handle: str) -> str:
        """Call a customer back."""
        return "called"

    agent = Agent(model=Scripted(), tools=[recall], plugins=[SecateurPlugin()], callback_handler=None)
    assert agent.tool_registry.registry["recall"] is recall


def test_the_default_manager_drops_old_messages_for_good() -> None:
    kit = TestStrands()
    whole = asyncio.run(kit.play(None, "invoke", Reader(rounds=30), []))
    cut = asyncio.run(kit.play(None, "invoke", Reader(rounds=30), [], SlidingWindowConversationManager()))
    assert len(whole.history) == 62
    assert len(cut.history) <= 40


def test_the_page_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(run_page("use-strands.md")["views"]) == 4
