"""LlamaIndex: a model around another one, which changes what one call is sent.

    agent = FunctionAgent(llm=SecateurLLM(OpenAI(model="gpt-5")), tools=tools)

Rule: the agent's memory and the messages of its run stay whole; messages and blocks that are not edited are the same
objects. A memory sees only finished turns, so that it is no place for this. `ChatMemoryBuffer`, which agents use by
default, drops old messages by itself: give the run a `Memory` with a high limit.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ThinkingBlock, ToolCallBlock
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool
from pydantic import PrivateAttr
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.own_model import AskModel, make_edge, run_on, use_model
from secateur.adapters.recall_tool import DESCRIPTION, make_recall
from secateur.adapters.shadows import Conversation, ShownPart, ToolCall
from secateur.edge import Edge, OnView
from secateur.plugins import Ask


def _forward(name: str) -> Any:
    """A method that is the model's own."""

    def call(self: "SecateurLLM", *given: Any, **more: Any) -> Any:
        return getattr(self._llm, name)(*given, **more)

    return call


class SecateurLLM(FunctionCallingLLM):
    """Prunes the requests to a model; `settings` are those of `secateur.Engine`, or pass an `engine`.

    `session` names the conversation; without it conversations are told apart by their histories. If the policy
    compacts, the model itself writes the summary, unless `summarizer` names another. `on_view` is called with each
    view.
    """

    _llm: Any = PrivateAttr()
    _edge: Edge = PrivateAttr()

    def __init__(
        self,
        llm: Any,
        engine: Engine | None = None,
        *,
        session: str = "",
        on_view: OnView | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(callback_manager=llm.callback_manager, system_prompt=llm.system_prompt)
        self._llm = llm
        self._edge = make_edge(engine, settings, session, on_view)

    @property
    def edge(self) -> Edge:
        """The engine, and how it is asked."""
        return self._edge

    @property
    @override
    def metadata(self) -> Any:
        """The model's own metadata."""
        return self._llm.metadata

    @override
    def chat(self, messages: Sequence[ChatMessage], **given: Any) -> ChatResponse:
        """Send the view, and record what the call cost."""
        view, shown = self._fit(messages, given)
        response: ChatResponse = self._llm.chat(shown, **given)
        self._edge.record(view, response, _list_usage)
        return response

    @override
    def stream_chat(self, messages: Sequence[ChatMessage], **given: Any) -> Any:
        """The same as a stream."""
        view, shown = self._fit(messages, given)

        def stream() -> Any:
            stated: list[Any] = []
            for chunk in self._llm.stream_chat(shown, **given):
                with suppress(Exception):
                    stated += _list_usage(chunk)
                yield chunk
            self._edge.record(view, stated)

        return stream()

    @override
    async def achat(self, messages: Sequence[ChatMessage], **given: Any) -> ChatResponse:
        """The same in an asynchronous agent."""
        view, shown = await self._afit(messages, given)
        response: ChatResponse = await self._llm.achat(shown, **given)
        await self._edge.arecord(view, response, _list_usage)
        return response

    @override
    async def astream_chat(self, messages: Sequence[ChatMessage], **given: Any) -> Any:
        """The same as a stream in an asynchronous agent."""
        view, shown = await self._afit(messages, given)
        chunks = await self._llm.astream_chat(shown, **given)

        async def stream() -> Any:
            stated: list[Any] = []
            async for chunk in chunks:
                with suppress(Exception):
                    stated += _list_usage(chunk)
                yield chunk
            await self._edge.arecord(view, stated)

        return stream()

    complete = _forward("complete")  # a prompt has no history: it is sent as it is
    stream_complete = _forward("stream_complete")
    acomplete = _forward("acomplete")
    astream_complete = _forward("astream_complete")
    get_tool_calls_from_response = _forward("get_tool_calls_from_response")
    _validate_chat_with_tools_response = _forward("_validate_chat_with_tools_response")

    @override
    def _prepare_chat_with_tools(self, tools: Any, tool_required: bool = False, **given: Any) -> Any:
        return self._llm._prepare_chat_with_tools_compat(tools, tool_required=tool_required, **given)

    def make_recall_tool(self) -> FunctionTool:
        """A tool that reads back what was removed, for `FunctionAgent(tools=...)`."""
        return FunctionTool.from_defaults(fn=make_recall(self._edge), name="recall", description=DESCRIPTION)

    def _fit(self, messages: Sequence[ChatMessage], given: dict[str, Any]) -> tuple[View[Any] | None, Any]:
        view = None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            told = read_call(messages, given.get("tools"), self.metadata.model_name)
            with use_model(self._make_ask(None)):
                view = self._edge.fit(told.build_request(), format=told.format)
            return view, told.restore(view, list(messages), edit_message, _make_message)
        return view, messages

    async def _afit(self, messages: Sequence[ChatMessage], given: dict[str, Any]) -> tuple[View[Any] | None, Any]:
        view = None
        with suppress(Exception):
            told = read_call(messages, given.get("tools"), self.metadata.model_name)
            with use_model(self._make_ask(asyncio.get_running_loop())):
                view = await self._edge.afit(told.build_request(), format=told.format)
            return view, told.restore(view, list(messages), edit_message, _make_message)
        return view, messages

    def _make_ask(self, loop: asyncio.AbstractEventLoop | None) -> AskModel:
        """Make the function that asks the model for a summary."""
        llm = self._llm

        async def ask(question: Ask) -> str:
            messages = [ChatMessage(question.system, role="system"), ChatMessage(question.text)]
            if loop is None:
                answer = await asyncio.to_thread(llm.chat, messages)
            else:
                answer = await run_on(loop, llm.achat(messages))
            return str(answer.message.content or "")

        return ask


def _list_usage(response: Any) -> list[Any]:
    """A provider's answer, or a part of its stream, in a list, if it says what the call cost."""
    names = ("usage", "usage_metadata", "usageMetadata", "message")
    raw = response.raw
    is_stated = any(raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None) for name in names)
    return [raw] if is_stated else []


def read_call(messages: Sequence[ChatMessage], tools: Any, model: str) -> Conversation:
    """The conversation of a call; tools are in the shape of the model's provider."""
    told = Conversation("" if model == "unknown" else model or "")
    told.add_tools(found for one in tools or () if (found := _describe_tool(one)))
    for number, message in enumerate(messages):
        _add_message(told, number, message)
    return told


def _describe_tool(tool: Any) -> tuple[str, str, Any] | None:
    inside = tool.get("function", tool) if isinstance(tool, dict) else {}
    if "name" not in inside:
        return None
    schema = inside.get("parameters") or inside.get("input_schema") or {}
    return inside["name"], inside.get("description") or "", schema


def _add_message(told: Conversation, number: int, message: ChatMessage) -> None:
    role = message.role.value
    if role == "assistant":
        blocks = [(at, _describe(one)) for at, one in enumerate(message.blocks) if not isinstance(one, ToolCallBlock)]
        told.add_assistant(number, 0, blocks, _list_calls(message))
    elif role in ("tool", "function"):
        call_id = str(message.additional_kwargs.get("tool_call_id") or "")
        told.add_result(number, 0, call_id, message.content or "")
    else:
        told.add_user(number, 0, [_describe(one) for one in message.blocks], role in ("system", "developer"))


def _list_calls(message: ChatMessage) -> list[ToolCall]:
    """List calls in blocks; those of older integrations are in the message's extra data."""
    found = [
        ToolCall(at, one.tool_call_id or "", one.tool_name, given if isinstance(given, str) else json.dumps(given))
        for at, one in enumerate(message.blocks)
        if isinstance(one, ToolCallBlock) and (given := one.tool_kwargs) is not None
    ]
    if found:
        return found
    beside = [
        one if isinstance(one, dict) else one.model_dump() for one in message.additional_kwargs.get("tool_calls") or ()
    ]
    return [
        ToolCall(at, one["id"], one["function"]["name"], one["function"]["arguments"])
        for at, one in enumerate(beside)
        if one.get("function")
    ]


def _describe(block: Any) -> dict[str, Any]:
    """A block as formats read it; what is signed is known for what it is."""
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        more = block.additional_information
        if more.get("data") and not block.content:
            return {"type": "redacted_thinking", "data": more["data"]}
        return {"type": "thinking", "thinking": block.content or "", "signature": more.get("signature") or ""}
    return {"type": "opaque", "value": repr(block)}


def edit_message(message: ChatMessage, shown: list[ShownPart]) -> ChatMessage:
    """A copy of a message with what the view changed in it."""
    part = shown[0]
    if message.role.value in ("tool", "function"):
        text = part.get_text()
        others = [one for one in message.blocks if not isinstance(one, TextBlock)]
        blocks = message.blocks if text is None else [TextBlock(text=text), *others]
        return message.model_copy(update={"blocks": blocks})
    arguments = part.map_arguments()
    update: dict[str, Any] = {"blocks": _edit_blocks(message.blocks, part, arguments)}
    beside = message.additional_kwargs.get("tool_calls")
    if arguments and beside:
        calls = [_edit_call(one, arguments) for one in beside]
        update["additional_kwargs"] = {**message.additional_kwargs, "tool_calls": calls}
    return message.model_copy(update=update)


def _edit_blocks(blocks: list[Any], part: ShownPart, arguments: dict[str, dict[str, Any]]) -> list[Any]:
    texts, removed = part.map_texts(), part.list_removed()
    made: list[Any] = []
    for at, block in enumerate(blocks):
        if isinstance(block, ToolCallBlock):
            value = arguments.get(block.tool_call_id or "")
            made.append(block if value is None else block.model_copy(update={"tool_kwargs": value}))
        elif at in texts:
            made.append(
                block.model_copy(update={"text": texts[at]})
                if isinstance(block, TextBlock)
                else TextBlock(text=texts[at])
            )
        elif at not in removed:
            made.append(block)
    return made


def _edit_call(call: Any, arguments: dict[str, dict[str, Any]]) -> Any:
    """A call outside the blocks, a dict or an object of the provider's package, with new arguments."""
    if isinstance(call, dict):
        if call.get("id") not in arguments:
            return call
        return {**call, "function": {**call["function"], "arguments": json.dumps(arguments[call["id"]])}}
    if call.id not in arguments:
        return call
    function = call.function.model_copy(update={"arguments": json.dumps(arguments[call.id])})
    return call.model_copy(update={"function": function})


def _make_message(role: str, text: str) -> ChatMessage:
    return ChatMessage(text, role="assistant" if role == "assistant" else "user")
