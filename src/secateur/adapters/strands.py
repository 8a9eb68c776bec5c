"""Strands Agents: a plugin whose middleware changes what one model call is sent.

    agent = Agent(plugins=[SecateurPlugin()], conversation_manager=NullConversationManager())

Rule: messages are those of Bedrock Converse already, so that nothing is converted. `agent.messages` stays whole, and
messages that are not edited are passed on as they came. Strands' default conversation manager drops old messages for
good, so give the agent a `NullConversationManager`.
"""

from contextlib import suppress
from typing import Any

from strands import tool
from strands.middleware import InvokeModelStage
from strands.plugins import Plugin
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.recall_tool import DESCRIPTION, NAME, has_recall, is_alone, make_recall
from secateur.edge import Edge, OnView


class SecateurPlugin(Plugin):
    """Prunes the requests to the model; `settings` are those of `secateur.Engine`, or pass an `engine`.

    Sessions are those of the agent's session manager, unless `session` names one; without either they are told apart by
    their histories. An agent with tools gets another one, `recall`, that reads back what was removed, unless `recall`
    is false. `on_view` is called with each view.
    """

    name = "secateur"

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        session: str = "",
        recall: bool = True,
        on_view: OnView | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.edge = Edge(engine, settings, session, on_view)
        self.recalls = recall and has_recall(self.edge)

    @override
    def init_agent(self, agent: Any) -> None:
        """Put the middleware before each call of the agent's model, and the tool that reads back among its tools."""
        manager = getattr(agent, "_session_manager", None)
        name = self.edge.session or str(getattr(manager, "session_id", None) or "")

        async def send_view(context: Any, next_fn: Any) -> Any:
            view, context = await self._edit(context, name)
            event: Any = None
            async for event in next_fn(context):
                yield event
            await self.edge.arecord(view, event, _find_usage)

        agent.add_middleware(InvokeModelStage, send_view)
        if self.recalls and NAME not in agent.tool_registry.registry:
            recall = make_recall(self.edge, lambda: name)
            agent.tool_registry.register_tool(tool(name=NAME, description=DESCRIPTION)(recall))

    async def _edit(self, context: Any, name: str) -> tuple[View[Any] | None, Any]:
        """The view of a call, and the call with it."""
        view = None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            if self.recalls and is_alone(one["name"] for one in context.tool_specs):
                context = context.replace(tool_specs=[])
            given = context.messages
            bare = [{key: value for key, value in one.items() if key != "metadata"} for one in given]
            body = {"messages": bare, **_describe_rest(context)}
            view = await self.edge.afit(body, name, format="bedrock_converse")
            if view.request is not body:
                shown, edited = view.request["messages"], {part.message for part in view.edited_parts}
                messages = [
                    shown[place] if source is None or source in edited else given[source]
                    for place, source in enumerate(view.sources)
                ]
                context = context.replace(messages=messages)
        return view, context


def _describe_rest(context: Any) -> dict[str, Any]:
    """Model, system prompt and tools of a call, as Converse has them."""
    config = context.model.get_config()
    model = config.get("model_id") if isinstance(config, dict) else ""
    system = context.system_prompt
    rest: dict[str, Any] = {"modelId": model} if model else {}
    if system:
        rest["system"] = [{"text": system}] if isinstance(system, str) else system
    if context.tool_specs:
        rest["toolConfig"] = {"tools": [{"toolSpec": one} for one in context.tool_specs]}
    return rest


def _find_usage(event: Any) -> Any:
    """The usage in the last event of a call."""
    stop = getattr(event, "result", event)
    usage = getattr(stop, "usage", None) or (stop["stop"][2] if isinstance(stop, dict) and "stop" in stop else None)
    return {"usage": usage} if usage else None
