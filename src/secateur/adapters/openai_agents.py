"""OpenAI Agents SDK: a filter on the input of one model call, and run hooks that hear what it cost.

    secateur = SecateurHooks(session="ticket-7")
    await Runner.run(agent, "Fix it", hooks=secateur, run_config=secateur.make_run_config())

Rule: items are Responses items already, so that nothing is converted. The SDK's session keeps the whole history. Where
the provider keeps the history (`previous_response_id`), the filter sees only what is new and leaves it alone.
"""

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from inspect import isawaitable
from typing import Any

from agents import FunctionTool, ModelSettings, RunConfig, RunHooks, function_tool
from agents.models.interface import Model, ModelTracing
from agents.run import CallModelData, ModelInputData
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.own_model import AskModel, make_edge, run_on, use_model
from secateur.adapters.recall_tool import DESCRIPTION, make_recall
from secateur.edge import OnView
from secateur.plugins import Ask

_VIEW: ContextVar[View[Any] | None] = ContextVar("secateur_view", default=None)


class SecateurHooks(RunHooks[Any]):
    """Prunes the requests to the model; `settings` are those of `secateur.Engine`, or pass an `engine`.

    `session` names the conversation, preferably like the SDK's session; without it conversations are told apart by
    their histories. If the policy compacts, the agent's own model writes the summary, unless `summarizer` names
    another. `on_view` is called with each view.
    """

    def __init__(
        self, engine: Engine | None = None, *, session: str = "", on_view: OnView | None = None, **settings: Any
    ) -> None:
        self.edge = make_edge(engine, settings, session, on_view)

    def make_run_config(self, config: RunConfig | None = None) -> RunConfig:
        """A run configuration with the filter; one that `config` has runs before it."""
        given = config or RunConfig()
        before = given.call_model_input_filter

        async def filter_input(data: CallModelData[Any]) -> ModelInputData:
            if before is not None:
                done = before(data)
                data = replace(data, model_data=await done if isawaitable(done) else done)
            return await self._filter(data, given)

        return replace(given, call_model_input_filter=filter_input)

    def make_recall_tool(self) -> FunctionTool:
        """A tool that reads back what was removed, for `Agent(tools=...)`."""

        return function_tool(make_recall(self.edge), name_override="recall", description_override=DESCRIPTION)

    @override
    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Record what the call cost."""
        await self.edge.arecord(_VIEW.get(), response, _find_usage)

    async def _filter(self, data: CallModelData[Any], config: RunConfig) -> ModelInputData:
        given, view = data.model_data, None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            if not is_continued(given.input):
                body = _build_request(data, config)
                with use_model(_make_ask(data.agent, config)):
                    view = await self.edge.afit(body, format="openai_responses")
                given = replace(given, input=view.request["input"])
        _VIEW.set(view)
        return given


def _find_usage(response: Any) -> Any:
    return response.usage if response.usage.input_tokens else None


def is_continued(items: list[Any]) -> bool:
    """Whether the provider holds the history: there are results of calls that are not here."""
    calls = {one.get("call_id") for one in items if one.get("type") == "function_call"}
    return any(one.get("type") == "function_call_output" and one.get("call_id") not in calls for one in items)


def _build_request(data: CallModelData[Any], config: RunConfig) -> dict[str, Any]:
    body: dict[str, Any] = {"input": data.model_data.input}
    model = config.model or data.agent.model
    name = model if isinstance(model, str) else getattr(model, "model", None)
    if isinstance(name, str):
        body["model"] = name
    if data.model_data.instructions:
        body["instructions"] = data.model_data.instructions
    tools = [one for one in data.agent.tools if isinstance(one, FunctionTool)]
    body["tools"] = [
        {"type": "function", "name": one.name, "description": one.description, "parameters": one.params_json_schema}
        for one in tools
    ]
    return body


def _make_ask(agent: Any, config: RunConfig) -> AskModel:
    """Make the function that asks the agent's model for a summary."""
    loop = asyncio.get_running_loop()
    named = config.model or agent.model
    model = named if isinstance(named, Model) else None

    async def ask(question: Ask) -> str:
        own = model or config.model_provider.get_model(named if isinstance(named, str) else None)
        work = own.get_response(
            question.system,
            question.text,
            ModelSettings(),
            [],
            None,
            [],
            ModelTracing.DISABLED,
            previous_response_id=None,
            conversation_id=None,
            prompt=None,
        )
        answer = await run_on(loop, work)
        blocks = (block for item in answer.output for block in getattr(item, "content", None) or ())
        return "".join(getattr(block, "text", "") for block in blocks)

    return ask
