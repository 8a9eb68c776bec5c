"""AutoGen: a model client around another one, which changes what one call is sent.

    client = SecateurClient(OpenAIChatCompletionClient(model="gpt-5"))
    agent = AssistantAgent("helper", model_client=client, tools=tools)

Rule: the agent's model context keeps every message; messages that are not edited are the same objects. AutoGen's
contexts with a limit (`BufferedChatCompletionContext` and the like) leave out messages by themselves: use the unbounded
one, which is the default.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    RequestUsage,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import FunctionTool
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.own_model import AskModel, make_edge, run_on, use_model
from secateur.adapters.recall_tool import DESCRIPTION, make_recall
from secateur.adapters.shadows import Conversation, ShownPart, ToolCall
from secateur.edge import OnView
from secateur.plugins import Ask

_SOURCE = "secateur"  # of messages that a view inserts
_THOUGHT = -1  # the place of the text that comes with the model's calls


class SecateurClient(ChatCompletionClient):
    """Prunes the requests of a client; `settings` are those of `secateur.Engine`, or pass an `engine`.

    `session` names the conversation; without it conversations are told apart by their histories. `model_name` is the
    model's, if the client does not state it. If the policy compacts, the client's own model writes the summary, unless
    `summarizer` names another. `on_view` is called with each view.
    """

    def __init__(
        self,
        client: ChatCompletionClient,
        engine: Engine | None = None,
        *,
        session: str = "",
        model_name: str = "",
        on_view: OnView | None = None,
        **settings: Any,
    ) -> None:
        self.client = client
        self.edge = make_edge(engine, settings, session, on_view)
        self.model_name = model_name or _find_model(client)

    @override
    async def create(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = (), **given: Any) -> CreateResult:
        """Send the view, and record what the call cost."""
        view, shown = await self._edit(messages, tools)
        result = await self.client.create(shown, tools=tools, **given)
        await self.edge.arecord(view, result, _find_usage)
        return result

    @override
    async def create_stream(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = (), **given: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The same as a stream."""
        view, shown = await self._edit(messages, tools)
        async for chunk in self.client.create_stream(shown, tools=tools, **given):
            if isinstance(chunk, CreateResult):
                await self.edge.arecord(view, chunk, _find_usage)
            yield chunk

    def make_recall_tool(self) -> FunctionTool:
        """A tool that reads back what was removed, for `AssistantAgent(tools=...)`."""
        return FunctionTool(make_recall(self.edge), name="recall", description=DESCRIPTION)

    @override
    async def close(self) -> None:
        """Close the client."""
        await self.client.close()

    @override
    def actual_usage(self) -> RequestUsage:
        """The client's own value."""
        return self.client.actual_usage()

    @override
    def total_usage(self) -> RequestUsage:
        """The client's own value."""
        return self.client.total_usage()

    @override
    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = ()) -> int:
        """The tokens of messages, by the client's counter."""
        return self.client.count_tokens(messages, tools=tools)

    @override
    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[Any] = ()) -> int:
        """The tokens left next to these messages, by the client's counter."""
        return self.client.remaining_tokens(messages, tools=tools)

    @property
    @override
    def capabilities(self) -> Any:
        """The client's own value."""
        return self.client.capabilities

    @property
    @override
    def model_info(self) -> Any:
        """The client's own value."""
        return self.client.model_info

    async def _edit(self, messages: Sequence[LLMMessage], tools: Sequence[Any]) -> tuple[View[Any] | None, Any]:
        view, shown = None, messages
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            given = list(messages)
            told = read_call(given, tools, self.model_name)
            with use_model(self._make_ask()):
                view = await self.edge.afit(told.build_request(), format=told.format)
            made = told.restore(view, given, edit_message, _make_message)
            shown = messages if made is given else made
        return view, shown

    def _make_ask(self) -> AskModel:
        """Make the function that asks the client's model for a summary."""
        loop, client = asyncio.get_running_loop(), self.client

        async def ask(question: Ask) -> str:
            messages = [SystemMessage(content=question.system), UserMessage(content=question.text, source=_SOURCE)]
            result = await run_on(loop, client.create(messages))
            return result.content if isinstance(result.content, str) else ""

        return ask


def _find_usage(result: CreateResult) -> Any:
    """The usage of an answer that the provider gave, not a cache of AutoGen's."""
    usage = result.usage
    if not usage.prompt_tokens or result.cached:
        return None
    return {"usage": {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}}


def _find_model(client: Any) -> str:
    """The model's name as the client knows it; else its family, if that is one."""
    arguments = getattr(client, "_create_args", None)
    name = arguments.get("model") if isinstance(arguments, Mapping) else None
    family = client.model_info.get("family")
    return str(name or (family if family != "unknown" else "") or "")


def read_call(messages: list[Any], tools: Sequence[Any], model: str) -> Conversation:
    """The conversation of a call."""
    told = Conversation(model)
    schemas = [one if isinstance(one, Mapping) else one.schema for one in tools]
    told.add_tools((one["name"], one.get("description") or "", one.get("parameters") or {}) for one in schemas)
    for number, message in enumerate(messages):
        _add_message(told, number, message)
    return told


def _add_message(told: Conversation, number: int, message: Any) -> None:
    content = message.content
    if isinstance(message, AssistantMessage):
        calls = content if isinstance(content, list) else []
        blocks = [(_THOUGHT, {"type": "text", "text": message.thought})] if message.thought else []
        blocks += [(0, {"type": "text", "text": content})] if isinstance(content, str) else []
        made = [ToolCall(at, one.id, one.name, one.arguments) for at, one in enumerate(calls)]
        told.add_assistant(number, 0, blocks, made)
    elif isinstance(message, FunctionExecutionResultMessage):
        for at, one in enumerate(content):
            told.add_result(number, at, one.call_id, one.content, is_error=bool(one.is_error))
    else:
        told.add_user(number, 0, content, isinstance(message, SystemMessage))


def edit_message(message: Any, shown: list[ShownPart]) -> Any:
    """A copy of a message with what the view changed in it."""
    if isinstance(message, FunctionExecutionResultMessage):
        results = [_edit_result(message.content[one.part], one.get_text()) for one in shown]
        return message.model_copy(update={"content": results})
    part = shown[0]
    if isinstance(message, AssistantMessage):
        return _edit_answer(message, part)
    if isinstance(message.content, str):
        text = part.get_text()
        return message if text is None else message.model_copy(update={"content": text})
    texts, removed = part.map_texts(), part.list_removed()
    content = [texts.get(at, one) for at, one in enumerate(message.content) if at not in removed]
    return message.model_copy(update={"content": content})


def _edit_result(result: Any, text: str | None) -> Any:
    return result if text is None else result.model_copy(update={"content": text})


def _edit_answer(message: AssistantMessage, part: ShownPart) -> AssistantMessage:
    texts, arguments = part.map_texts(), part.map_arguments()
    content: Any = texts.get(0, message.content)
    if isinstance(content, list):
        content = [_edit_call(one, arguments) for one in content]
    return message.model_copy(update={"content": content, "thought": texts.get(_THOUGHT, message.thought)})


def _edit_call(call: FunctionCall, arguments: dict[str, dict[str, Any]]) -> FunctionCall:
    if call.id not in arguments:
        return call
    return FunctionCall(id=call.id, name=call.name, arguments=json.dumps(arguments[call.id]))


def _make_message(role: str, text: str) -> Any:
    if role == "assistant":
        return AssistantMessage(content=text, source=_SOURCE)
    return UserMessage(content=text, source=_SOURCE)
