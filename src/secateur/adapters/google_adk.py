"""Google ADK: a plugin that changes what one model call is sent.

    runner = Runner(app=App(name="work", root_agent=agent, plugins=[SecateurAdkPlugin()]), session_service=sessions)

Rule: the events of ADK's session stay whole. Contents are google-genai's own objects, so nothing is converted; what
is not edited is the very same object. Where the provider keeps the history (`previous_interaction_id`), and in live
(bidirectional) runs, which have no such hook, nothing is done.
"""

from contextlib import suppress
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types
from typing_extensions import override

from secateur import Engine
from secateur.adapters.recall_tool import DESCRIPTION, NAME, has_recall, make_recall
from secateur.edge import Edge, OnView, OpenCalls


class SecateurAdkPlugin(BasePlugin):
    """Prunes the requests to models; `settings` are those of `secateur.Engine`, or pass an `engine`.

    Sessions are those of ADK, one for each agent in them. Agents with tools get another one, `recall`, that reads back
    what was removed, unless `recall` is false. `on_view` is called with each view.
    """

    def __init__(
        self, engine: Engine | None = None, *, recall: bool = True, on_view: OnView | None = None, **settings: Any
    ) -> None:
        super().__init__(name="secateur")
        self.edge = Edge(engine, settings, "", on_view)
        self._tool = self._make_recall_tool() if recall and has_recall(self.edge) else None
        self._calls = OpenCalls()

    @override
    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Put the view in the place of the contents."""
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            self._calls.take(_name_call(callback_context))  # one that failed
            if getattr(llm_request, "previous_interaction_id", None):
                return
            if self._tool is not None and llm_request.tools_dict and NAME not in llm_request.tools_dict:
                llm_request.append_tools([self._tool])
            body = {"model": llm_request.model or "", "contents": llm_request.contents, "config": llm_request.config}
            view = await self.edge.afit(body, _name_session(callback_context), format="gemini")
            self._calls.add(_name_call(callback_context), view)
            if view.request is not body:
                llm_request.contents = [_as_content(one) for one in view.request["contents"]]

    @override
    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Record what the call cost; of a stream, once it has ended."""
        with suppress(Exception):
            usage = llm_response.usage_metadata
            if usage is None or llm_response.partial:
                return
            view = self._calls.take(_name_call(callback_context))
            if view is not None:
                told = usage.model_dump(mode="json", by_alias=True, exclude_none=True)
                await self.edge.arecord(view, {"usageMetadata": told})

    def _make_recall_tool(self) -> FunctionTool:
        def recall(handle: str, tool_context: ToolContext, page: int = 1, lines: str = "", json_path: str = "") -> str:
            return make_recall(self.edge, lambda: _name_session(tool_context))(handle, page, lines, json_path)

        recall.__doc__ = DESCRIPTION
        return FunctionTool(recall)


def _name_session(context: Any) -> str:
    """Name the session: ids are unique only per user of an app, and each agent sees its own events."""
    session = context.session
    names = (session.app_name, session.user_id, session.id, context.agent_name)
    return "/".join(
        one.replace("%", "%25").replace("/", "%2F") for one in names
    )  # nobody's names make those of another


def _name_call(context: Any) -> tuple[str, str]:
    return str(context.invocation_id), str(context.agent_name)


def _as_content(one: Any) -> Any:
    """A content of the view; what was inserted comes as plain JSON."""
    return types.Content.model_validate(one) if isinstance(one, dict) else one
