"""Haystack: a chat generator around another one, which changes what one call is sent.

    agent = Agent(chat_generator=SecateurChatGenerator(OpenAIChatGenerator()), tools=tools)

Rule: the messages in the agent's state stay whole; messages and contents that are not edited are the same objects. Do
not combine it with the hooks of `haystack.hooks.compaction`, which change the state itself.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from haystack import component, default_from_dict, default_to_dict
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage, ReasoningContent, TextContent, ToolCall, ToolCallResult
from haystack.tools import Tool
from haystack.utils.deserialization import deserialize_component_inplace

from secateur import Engine
from secateur.adapters.own_model import AskModel, make_edge, run_on, use_model
from secateur.adapters.recall_tool import DESCRIPTION, SCHEMA, make_recall
from secateur.adapters.shadows import Conversation, ShownPart
from secateur.adapters.shadows import ToolCall as ShadowCall
from secateur.edge import OnView
from secateur.plugins import Ask


@component
class SecateurChatGenerator:
    """Prunes the requests of a chat generator; `settings` are those of `secateur.Engine`, or pass an `engine`.

    `session` names the conversation; without it conversations are told apart by their histories. If the policy
    compacts, the generator's own model writes the summary, unless `summarizer` names another. `on_view` is called with
    each view.
    """

    def __init__(
        self,
        chat_generator: Any,
        engine: Engine | None = None,
        *,
        session: str = "",
        on_view: OnView | None = None,
        **settings: Any,
    ) -> None:
        self.chat_generator = chat_generator
        self.edge = make_edge(engine, settings, session, on_view)
        self._settings = settings

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        generation_kwargs: dict[str, Any] | None = None,
        tools: Any = None,
        streaming_callback: Any = None,
    ) -> dict[str, Any]:
        """Send the view, and record what the call cost."""
        view = None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            told = read_call(messages, tools, self.chat_generator)
            with use_model(self._make_ask(None)):
                view = self.edge.fit(told.build_request(), format=told.format)
            messages = told.restore(view, messages, edit_message, _make_message)
        given = _select_given(generation_kwargs=generation_kwargs, tools=tools, streaming_callback=streaming_callback)
        result: dict[str, Any] = self.chat_generator.run(messages=messages, **given)
        self.edge.record(view, result, _find_usage)
        return result

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self,
        messages: list[ChatMessage],
        generation_kwargs: dict[str, Any] | None = None,
        tools: Any = None,
        streaming_callback: Any = None,
    ) -> dict[str, Any]:
        """The same in an asynchronous agent."""
        view = None
        with suppress(Exception):
            told = read_call(messages, tools, self.chat_generator)
            with use_model(self._make_ask(asyncio.get_running_loop())):
                view = await self.edge.afit(told.build_request(), format=told.format)
            messages = told.restore(view, messages, edit_message, _make_message)
        given = _select_given(generation_kwargs=generation_kwargs, tools=tools, streaming_callback=streaming_callback)
        if hasattr(self.chat_generator, "run_async"):
            result: dict[str, Any] = await self.chat_generator.run_async(messages=messages, **given)
        else:
            result = await asyncio.to_thread(self.chat_generator.run, messages=messages, **given)
        await self.edge.arecord(view, result, _find_usage)
        return result

    def make_recall_tool(self) -> Tool:
        """A tool that reads back what was removed, for `Agent(tools=...)`."""
        return Tool(name="recall", description=DESCRIPTION, parameters=SCHEMA, function=make_recall(self.edge))

    def warm_up(self) -> None:
        """Warm up the generator, as components do."""
        if hasattr(self.chat_generator, "warm_up"):
            self.chat_generator.warm_up()

    def close(self) -> None:
        """Close the generator, as components do."""
        if hasattr(self.chat_generator, "close"):
            self.chat_generator.close()

    async def warm_up_async(self) -> None:
        """Warm up the generator in an asynchronous agent."""
        if hasattr(self.chat_generator, "warm_up_async"):
            await self.chat_generator.warm_up_async()
        else:
            self.warm_up()

    async def close_async(self) -> None:
        """Close the generator in an asynchronous agent."""
        if hasattr(self.chat_generator, "close_async"):
            await self.chat_generator.close_async()
        else:
            self.close()

    def to_dict(self) -> dict[str, Any]:
        """The component for a pipeline's file: the generator, the session and the settings."""
        generator = component_to_dict(self.chat_generator, "chat_generator")
        return default_to_dict(self, chat_generator=generator, session=self.edge.session, **self._settings)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SecateurChatGenerator":
        """The component from a pipeline's file."""
        deserialize_component_inplace(data["init_parameters"], key="chat_generator")
        made: SecateurChatGenerator = default_from_dict(cls, data)
        return made

    def _make_ask(self, loop: asyncio.AbstractEventLoop | None) -> AskModel:
        """Make the function that asks the generator's model for a summary."""
        generator = self.chat_generator

        async def ask(question: Ask) -> str:
            messages = [ChatMessage.from_system(question.system), ChatMessage.from_user(question.text)]
            if loop is not None and hasattr(generator, "run_async"):
                result = await run_on(loop, generator.run_async(messages=messages))
            else:
                result = await asyncio.to_thread(generator.run, messages=messages)
            return str(result["replies"][0].text or "")

        return ask


def _select_given(**given: Any) -> dict[str, Any]:
    """Those that were given: not every generator takes all."""
    return {name: value for name, value in given.items() if value is not None}


def _find_usage(result: dict[str, Any]) -> Any:
    replies = result.get("replies") or ()
    return next((one.meta["usage"] for one in replies if one.meta.get("usage")), None)


def read_call(messages: list[ChatMessage], tools: Any, generator: Any) -> Conversation:
    """The conversation of a call."""
    model = getattr(generator, "model", None)
    told = Conversation(model if isinstance(model, str) else "")
    told.add_tools((one.name, one.description or "", one.parameters) for one in _flatten_tools(tools))
    for number, message in enumerate(messages):
        _add_message(told, number, message)
    return told


def _flatten_tools(tools: Any) -> Iterator[Tool]:
    """Tools, and those of toolsets."""
    for one in tools or ():
        if isinstance(one, Tool):
            yield one
        else:
            yield from _flatten_tools(one)


def _add_message(told: Conversation, number: int, message: ChatMessage) -> None:
    contents = message._content
    role = message.role.value
    if role == "assistant":
        calls = [
            ShadowCall(at, one.id or "", one.tool_name, json.dumps(one.arguments))
            for at, one in enumerate(contents)
            if isinstance(one, ToolCall)
        ]
        blocks = [(at, _describe(one)) for at, one in enumerate(contents) if not isinstance(one, ToolCall)]
        told.add_assistant(number, 0, blocks, calls)
    elif role == "tool":
        for at, one in enumerate(contents):
            if isinstance(one, ToolCallResult):
                told.add_result(number, at, one.origin.id or "", _get_text(one.result), is_error=one.error)
            else:
                told.add_user(number, at, [_describe(one)])
    else:
        told.add_user(number, 0, [_describe(one) for one in contents], role == "system")


def _describe(content: Any) -> dict[str, Any]:
    """Describe a content as formats read it; reasoning is bound to its provider's extra data."""
    if isinstance(content, TextContent):
        return {"type": "text", "text": content.text}
    if isinstance(content, ReasoningContent):
        signature = repr(content.extra) if content.extra else ""
        return {"type": "thinking", "thinking": content.reasoning_text, "signature": signature}
    return {"type": "opaque", "value": repr(content)}


def _get_text(result: Any) -> str:
    if isinstance(result, str):
        return result
    return "\n".join(one.text for one in result if isinstance(one, TextContent))


def edit_message(message: ChatMessage, shown: list[ShownPart]) -> ChatMessage:
    """A copy of a message with what the view changed in it."""
    if message.role.value == "tool":
        contents = [_edit_content(message._content[one.part], one.get_text()) for one in shown]
    else:
        contents = shown[0].edit_blocks(message._content, _get_call_id, _with_arguments, _edit_content)
    return replace(message, _content=contents)


def _get_call_id(content: Any) -> str | None:
    return content.id if isinstance(content, ToolCall) else None


def _with_arguments(content: Any, arguments: dict[str, Any]) -> Any:
    return replace(content, arguments=arguments)


def _edit_content(content: Any, text: str | None) -> Any:
    """Return a content with another text. Everything else in a result stays."""
    if text is None:
        return content
    if not isinstance(content, ToolCallResult):
        return replace(content, text=text) if isinstance(content, TextContent) else TextContent(text)
    if isinstance(content.result, str):
        return replace(content, result=text)
    others = [one for one in content.result if not isinstance(one, TextContent)]
    return replace(content, result=[TextContent(text), *others])


def _make_message(role: str, text: str) -> ChatMessage:
    return ChatMessage.from_assistant(text) if role == "assistant" else ChatMessage.from_user(text)
