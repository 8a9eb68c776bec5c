"""pydantic-ai: a capability that changes what one model request is sent.

    agent = Agent("anthropic:claude-sonnet-4-5", capabilities=[SecateurCapability()])

Rule: `result.all_messages()` is the whole history; messages and parts that are not edited are the same objects.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.toolsets import FunctionToolset

from secateur import Engine
from secateur.adapters.own_model import AskModel, make_edge, run_on, use_model
from secateur.adapters.recall_tool import DESCRIPTION, NAME, has_recall, is_alone, make_recall
from secateur.adapters.shadows import Conversation, ShownPart, ToolCall
from secateur.edge import OnView
from secateur.plugins import Ask


class SecateurCapability(AbstractCapability[Any]):
    """Prunes the requests to the model; `settings` are those of `secateur.Engine`, or pass an `engine`.

    Sessions are pydantic-ai's conversations, unless `session` names one; if the policy compacts, the agent's own model
    writes the summary, unless `summarizer` names another. An agent with tools gets another one, `recall`, that reads
    back what was removed, unless `recall` is false. `on_view` is called with each view.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        session: str = "",
        recall: bool = True,
        on_view: OnView | None = None,
        **settings: Any,
    ) -> None:
        self.edge = make_edge(engine, settings, session, on_view)
        self.recalls = recall and has_recall(self.edge)

    def get_toolset(self) -> Any:
        """The tool that reads back what was removed, if it is wanted."""
        if not self.recalls:
            return None
        toolset: FunctionToolset[Any] = FunctionToolset()

        def recall(ctx: Any, handle: str, page: int = 1, lines: str = "", json_path: str = "") -> str:
            return make_recall(self.edge, lambda: self._name_session(ctx))(handle, page, lines, json_path)

        recall.__annotations__["ctx"] = _get_context_type()
        toolset.add_function(recall, takes_ctx=True, name=NAME, description=DESCRIPTION)
        return toolset

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> ModelResponse:
        """Send the view, and record what the request cost."""
        view = None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            request_context = self._select_tools(request_context)
            told = read_request(request_context)
            with use_model(_make_ask(request_context.model)):
                view = await self.edge.afit(told.build_request(), self._name_session(ctx), format=told.format)
            messages = told.restore(view, request_context.messages, edit_message, _make_message)
            if messages is not request_context.messages:
                request_context = replace(request_context, messages=messages)
        response: ModelResponse = await handler(request_context)
        await self.edge.arecord(view, response, _find_usage)
        return response

    def _select_tools(self, context: Any) -> Any:
        """Return the request; without the tool that reads back if it has no other tool."""
        given = context.model_request_parameters
        if not self.recalls or not is_alone(one.name for one in given.function_tools):
            return context
        return replace(context, model_request_parameters=replace(given, function_tools=[]))

    def _name_session(self, ctx: Any) -> str:
        return self.edge.session or str(ctx.conversation_id or "")


def _find_usage(response: ModelResponse) -> Any:
    return response.usage


def _get_context_type() -> Any:
    from pydantic_ai import RunContext

    return RunContext[Any]


def read_request(context: Any) -> Conversation:
    """The conversation of a model request."""
    told = Conversation(str(context.model.model_name or ""))
    given = context.model_request_parameters
    instructions = [one.content for one in given.instruction_parts or ()]
    told.add_system("\n\n".join(instructions))
    told.add_tools((one.name, one.description or "", one.parameters_json_schema) for one in given.function_tools)
    for number, message in enumerate(context.messages):
        if isinstance(message, ModelResponse):
            _add_answer(told, number, message)
        else:
            for at, part in enumerate(message.parts):
                _add_part(told, (number, at), part)
    return told


def _add_part(told: Conversation, place: tuple[int, int], part: Any) -> None:
    if isinstance(part, ToolReturnPart):
        is_error = part.outcome != "success"
        told.add_result(*place, part.tool_call_id, part.model_response_str(), is_error=is_error)
    elif isinstance(part, RetryPromptPart) and part.tool_name:
        told.add_result(*place, part.tool_call_id, part.model_response(), is_error=True)
    elif isinstance(part, RetryPromptPart):
        told.add_user(*place, part.model_response())
    elif isinstance(part, SystemPromptPart):
        told.add_user(*place, part.content, system=True)
    elif isinstance(part, UserPromptPart):
        told.add_user(*place, part.content if isinstance(part.content, str) else list(part.content))
    else:
        told.add_user(*place, [{"type": "opaque", "value": repr(part)}])


def _add_answer(told: Conversation, number: int, message: ModelResponse) -> None:
    blocks: list[tuple[int, Any]] = []
    calls: list[ToolCall] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart):
            calls.append(ToolCall(at, part.tool_call_id, part.tool_name, part.args_as_json_str()))
        elif isinstance(part, TextPart):
            blocks.append((at, {"type": "text", "text": part.content}))
        elif isinstance(part, ThinkingPart):
            blocks.append((at, _describe_thinking(part)))
        else:
            blocks.append((at, {"type": "opaque", "value": repr(part)}))
    told.add_assistant(number, 0, blocks, calls)


def _describe_thinking(part: ThinkingPart) -> dict[str, Any]:
    if part.id == "redacted_thinking":
        return {"type": "redacted_thinking", "data": part.signature or ""}
    return {"type": "thinking", "thinking": part.content, "signature": part.signature or ""}


def edit_message(message: ModelMessage, shown: list[ShownPart]) -> ModelMessage:
    """A copy of a message with what the view changed in it."""
    if isinstance(message, ModelResponse):
        return _edit_answer(message, shown[0])
    return replace(message, parts=[_edit_part(message.parts[one.part], one) for one in shown])


def _edit_part(part: Any, shown: ShownPart) -> Any:
    text = shown.get_text()
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        texts, removed = shown.map_texts(), shown.list_removed()
        return replace(part, content=[texts.get(at, one) for at, one in enumerate(part.content) if at not in removed])
    if text is None:
        return part
    files = part.files if isinstance(part, ToolReturnPart) else []  # images and the like stay
    return replace(part, content=[text, *files] if files else text)


def _edit_answer(message: ModelResponse, shown: ShownPart) -> ModelResponse:
    texts, removed, arguments = shown.map_texts(), shown.list_removed(), shown.map_arguments()
    parts: list[Any] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart) and part.tool_call_id in arguments:
            call: Any = part
            parts.append(replace(call, args=arguments[part.tool_call_id]))
        elif at in texts:
            parts.append(replace(part, content=texts[at]) if isinstance(part, TextPart) else part)
        elif at not in removed:
            parts.append(part)
    return replace(message, parts=parts)


def _make_message(role: str, text: str) -> ModelMessage:
    if role == "assistant":
        return ModelResponse(parts=[TextPart(text)])
    return ModelRequest(parts=[UserPromptPart(text)])


def _make_ask(model: Any) -> AskModel:
    """Make the function that asks the agent's model for a summary."""
    loop = asyncio.get_running_loop()

    async def ask(question: Ask) -> str:
        messages: list[ModelMessage] = [
            ModelRequest(parts=[SystemPromptPart(question.system), UserPromptPart(question.text)])
        ]
        answer = await run_on(loop, model.request(messages, None, ModelRequestParameters()))
        return "".join(one.content for one in answer.parts if isinstance(one, TextPart))

    return ask
