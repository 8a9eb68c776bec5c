"""LangChain: a middleware that changes what one model call is sent.

    agent = create_agent(model, tools, middleware=[SecateurMiddleware()])

Rule: state and checkpoints keep the whole history; messages that are not edited are the same objects. Put it last in
the list, so that it sees what the others made.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.own_model import AskModel, make_edge, run_on, use_model
from secateur.adapters.recall_tool import DESCRIPTION, NAME, has_recall, is_alone, make_recall
from secateur.adapters.shadows import Conversation, ShownPart, ToolCall
from secateur.edge import OnView
from secateur.plugins import Ask

_CALLS = {"tool_use": ("id", "input"), "tool_call": ("id", "args"), "function_call": ("call_id", "arguments")}
_QUIET: Any = {"callbacks": [], "tags": ["nostream", "langsmith:nostream"]}
_SIGNATURES = "__gemini_function_call_thought_signatures__"


class SecateurMiddleware(AgentMiddleware[Any, Any]):
    """Prunes the requests to the model; `settings` are those of `secateur.Engine`, or pass an `engine`.

    Sessions are the threads of the agent's checkpointer; without a thread they are told apart by their histories. If
    the policy compacts, the agent's own model writes the summary, unless `summarizer` names another. An agent with
    tools gets another one that reads back what was removed, unless `recall` is false; the agent's own tool of the name
    `recall` takes precedence. `on_view` is called with each view.
    """

    def __init__(
        self, engine: Engine | None = None, *, recall: bool = True, on_view: OnView | None = None, **settings: Any
    ) -> None:
        super().__init__()
        self.edge = make_edge(engine, settings, "", on_view)
        self.tools = [self._make_recall_tool()] if recall and has_recall(self.edge) else []

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Send the view, and record what the call cost."""
        view = None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            request = self._select_tools(request)
            told = read_request(request)
            with use_model(_make_ask(request.model, is_async=False)):
                view = self.edge.fit(told.build_request(), _find_session(), format=told.format)
            request = _apply(view, told, request)
        response = handler(request)
        self.edge.record(view, response, _list_usage)
        return response

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same in an asynchronous agent."""
        view = None
        with suppress(Exception):
            request = self._select_tools(request)
            told = read_request(request)
            with use_model(_make_ask(request.model, is_async=True)):
                view = await self.edge.afit(told.build_request(), _find_session(), format=told.format)
            request = _apply(view, told, request)
        response = await handler(request)
        await self.edge.arecord(view, response, _list_usage)
        return response

    def _make_recall_tool(self) -> StructuredTool:
        return StructuredTool.from_function(make_recall(self.edge, _find_session), name=NAME, description=DESCRIPTION)

    def _select_tools(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Return the request; without the tool that reads back if it has no other tool."""
        is_ours = bool(self.tools) and is_alone(getattr(one, "name", "") for one in request.tools)
        return request.override(tools=[]) if is_ours else request


def read_request(request: ModelRequest[Any]) -> Conversation:
    """The conversation of a model call."""
    model = request.model
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or ""
    told = Conversation(name if isinstance(name, str) else "")
    told.add_system(str(request.system_message.text) if request.system_message else "")
    told.add_tools(tool for one in request.tools if (tool := _describe_tool(one)))
    for number, message in enumerate(request.messages):
        _add_message(told, number, message)
    return told


def _describe_tool(tool: Any) -> tuple[str, str, Any] | None:
    try:
        it = convert_to_openai_tool(tool)["function"]
    except Exception:  # a provider's own tool
        return None
    return it["name"], it.get("description") or "", it.get("parameters") or {}


def _add_message(told: Conversation, number: int, message: BaseMessage) -> None:
    if isinstance(message, ToolMessage):
        is_error = message.status == "error"
        told.add_result(number, 0, message.tool_call_id, join_texts(message.content), is_error=is_error)
    elif isinstance(message, AIMessage):
        blocks = [(at, one) for at, one in enumerate(list_blocks(message.content)) if not _is_call(one)]
        if reasoning := message.additional_kwargs.get("reasoning_content"):
            blocks.append((-1, {"type": "reasoning", "text": reasoning}))
        if signatures := message.additional_kwargs.get(_SIGNATURES):
            blocks.append((-1, {"type": "signatures", "value": signatures}))
        calls = [
            ToolCall(at, one["id"] or "", one["name"], json.dumps(one["args"])) for at, one in _number_calls(message)
        ]
        told.add_assistant(number, 0, blocks, calls)
    else:
        told.add_user(number, 0, message.content, isinstance(message, SystemMessage))


def _number_calls(message: AIMessage) -> list[tuple[int, Any]]:
    return list(enumerate([*message.tool_calls, *message.invalid_tool_calls]))


def list_blocks(content: str | list[Any]) -> list[Any]:
    """The blocks of a content; a text is one."""
    return [content] if isinstance(content, str) else list(content)


def join_texts(content: str | list[Any]) -> str:
    """The texts of a content."""
    return "\n".join(text for one in list_blocks(content) if (text := _get_text(one)) is not None)


def _get_text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _is_call(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in _CALLS


def _apply(view: View[Any], told: Conversation, request: ModelRequest[Any]) -> ModelRequest[Any]:
    messages = told.restore(view, request.messages, edit_message, _make_message)
    return request if messages is request.messages else request.override(messages=messages)


def edit_message(message: BaseMessage, shown: list[ShownPart]) -> BaseMessage:
    """A copy of a message with what the view changed in it."""
    part = shown[0]
    if isinstance(message, AIMessage):
        return _edit_answer(message, part)
    text = part.get_text()
    if isinstance(message, ToolMessage) and text is not None:
        return message.model_copy(update={"content": replace_texts(message.content, text)})
    if isinstance(message.content, str):
        return message if text is None else message.model_copy(update={"content": text})
    return message.model_copy(update={"content": _edit_blocks(message.content, part)})


def replace_texts(content: str | list[Any], text: str) -> str | list[Any]:
    """A result's content with its texts replaced by one; images and the like stay."""
    if isinstance(content, str):
        return text
    places = [at for at, one in enumerate(content) if _get_text(one) is not None]
    first = places[0] if places else -1
    return [_with_text(one, text) if at == first else one for at, one in enumerate(content) if at not in places[1:]]


def _with_text(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _edit_blocks(content: list[Any], part: ShownPart) -> list[Any]:
    """Blocks with new texts, and without those that were removed."""
    texts, removed = part.map_texts(), part.list_removed()
    made: list[Any] = []
    for at, block in enumerate(content):
        if at in texts:
            made.append(
                _with_text(block, texts[at]) if _get_text(block) is not None else {"type": "text", "text": texts[at]}
            )
        elif at not in removed:
            made.append(block)
    return made


def _edit_answer(message: AIMessage, part: ShownPart) -> AIMessage:
    arguments = part.map_arguments()
    calls = [one | {"args": arguments.get(one["id"] or "", one["args"])} for one in message.tool_calls]
    if isinstance(message.content, str):
        content: Any = part.map_texts().get(0, message.content)
    else:
        content = [_with_arguments(one, arguments) for one in _edit_blocks(message.content, part)]
    return message.model_copy(update={"content": content, "tool_calls": calls})


def _with_arguments(block: Any, arguments: dict[str, dict[str, Any]]) -> Any:
    """A block of content with a call's new arguments; providers get the call from there, too."""
    if not _is_call(block):
        return block
    name, member = _CALLS[block["type"]]
    if block.get(name) not in arguments:
        return block
    value = arguments[block[name]]
    return {**block, member: json.dumps(value) if isinstance(block.get(member), str) else value}


def _make_message(role: str, text: str) -> BaseMessage:
    return AIMessage(text) if role == "assistant" else HumanMessage(text)


def _make_ask(model: Any, is_async: bool) -> AskModel:
    """Make the function that asks the agent's model for a summary, without callbacks, so that no stream shows it."""
    loop = asyncio.get_running_loop() if is_async else None

    async def ask(question: Ask) -> str:
        messages = [SystemMessage(question.system), HumanMessage(question.text)]
        if loop is None:
            return str((await asyncio.to_thread(model.invoke, messages, _QUIET)).text)
        return str((await run_on(loop, model.ainvoke(messages, _QUIET))).text)

    return ask


def _list_usage(response: Any) -> list[Any]:
    result = response.result if isinstance(response, ModelResponse) else [response]
    return [one for one in result if isinstance(one, AIMessage) and one.usage_metadata]


def _find_session() -> str:
    """The thread, and the agent in it: sub-agents run on their parent's thread."""
    try:
        config = get_config()
    except RuntimeError:
        return ""
    thread = (config.get("configurable") or {}).get("thread_id")
    agent = (config.get("metadata") or {}).get("lc_agent_name")
    return "/".join(str(one) for one in (thread, agent) if one) if thread else ""
