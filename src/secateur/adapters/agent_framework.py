"""Microsoft Agent Framework: chat middleware that changes what one model call is sent.

    agent = Agent(client=client, tools=tools, middleware=[SecateurChatMiddleware()])

Rule: the agent's session keeps the whole history; messages and contents that are not edited are the same objects. Do
not combine it with a `CompactionStrategy`, which marks messages of the session itself.
"""

import copy
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from agent_framework import ChatMiddleware, ChatResponse, Content, FunctionTool, Message
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.recall_tool import DESCRIPTION, make_recall
from secateur.adapters.shadows import Conversation, ShownPart, ToolCall
from secateur.edge import Edge, OnView


class SecateurChatMiddleware(ChatMiddleware):
    """Prunes the requests to the model; `settings` are those of `secateur.Engine`, or pass an `engine`.

    Sessions are the agent's, unless `session` names one; without either they are told apart by their histories.
    `on_view` is called with each view.
    """

    def __init__(
        self, engine: Engine | None = None, *, session: str = "", on_view: OnView | None = None, **settings: Any
    ) -> None:
        self.edge = Edge(engine, settings, session, on_view)

    @override
    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Send the view, and record what the call cost."""
        view = await self._edit(context)

        async def record(response: Any) -> None:
            await self.edge.arecord(view, response, _find_usage)

        if context.stream:
            context.stream_result_hooks.append(record)
        await call_next()
        if isinstance(context.result, ChatResponse):
            await record(context.result)

    def make_recall_tool(self) -> FunctionTool:
        """A tool that reads back what was removed, for `Agent(tools=...)`."""

        return FunctionTool(name="recall", description=DESCRIPTION, func=make_recall(self.edge))

    async def _edit(self, context: Any) -> View[Any] | None:
        """Put the view in the place of a call's messages."""
        view = None
        with suppress(Exception):  # whatever goes wrong here, the agent continues
            if _is_kept_by_service(context):
                return None
            told, given = read_context(context), list(context.messages)
            session = self.edge.session or str(getattr(context.session, "session_id", None) or "")
            view = await self.edge.afit(told.build_request(), session, format=told.format)
            messages = told.restore(view, given, edit_message, _make_message)
            if messages is not given:
                context.messages = messages
        return view


def _find_usage(response: Any) -> Any:
    return dict(response.usage_details or {})


def _is_kept_by_service(context: Any) -> bool:
    """Whether the model's service holds the history: the messages are then only what is new."""
    options = context.options or {}
    return bool(options.get("conversation_id") or getattr(context.session, "service_session_id", None))


def read_context(context: Any) -> Conversation:
    """The conversation of a chat call."""
    options = context.options or {}
    model = options.get("model") or getattr(context.client, "model", None)
    told = Conversation(model if isinstance(model, str) else "")
    told.add_system(str(options.get("instructions") or ""))
    tools = [one for one in options.get("tools") or () if isinstance(one, FunctionTool)]
    told.add_tools((one.name, one.description or "", one.parameters()) for one in tools)
    for number, message in enumerate(context.messages):
        _add_message(told, number, message)
    return told


def _add_message(told: Conversation, number: int, message: Any) -> None:
    """A message as it is; each result in it is a part of its own, since only some may be edited."""
    contents = message.contents
    if message.role == "assistant":
        calls = [
            ToolCall(at, one.call_id or "", one.name or "", _dump(one.arguments))
            for at, one in enumerate(contents)
            if one.type == "function_call"
        ]
        blocks = [(at, _describe(one)) for at, one in enumerate(contents) if one.type != "function_call"]
        told.add_assistant(number, 0, blocks, calls)
    elif _has_results(message):
        for at, one in enumerate(contents):
            if one.type == "function_result":
                told.add_result(number, at, one.call_id or "", _get_text(one), is_error=one.exception is not None)
            else:
                told.add_user(number, at, [_describe(one)])
    else:
        told.add_user(number, 0, [_describe(one) for one in contents], message.role == "system")


def _has_results(message: Any) -> bool:
    return message.role != "assistant" and any(one.type == "function_result" for one in message.contents)


def _describe(content: Any) -> dict[str, Any]:
    """A content as formats read it; reasoning is protected data that only its provider reads."""
    if content.type == "text":
        return {"type": "text", "text": content.text or ""}
    if content.type == "text_reasoning":
        return {"type": "thinking", "thinking": content.text or "", "signature": content.protected_data or ""}
    return {"type": "opaque", "value": repr(content)}


def _dump(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(dict(arguments or {}))


def _get_text(content: Any) -> str:
    if isinstance(content.result, str):
        return content.result
    return "" if content.result is None else json.dumps(content.result, default=str)


def edit_message(message: Message, shown: list[ShownPart]) -> Message:
    """A copy of a message with what the view changed in it."""
    if _has_results(message):
        contents = [_edit_content(message.contents[one.part], one.get_text()) for one in shown]
    else:
        contents = shown[0].edit_blocks(message.contents, _get_call_id, _with_arguments, _edit_content)
    return Message(
        message.role,
        contents,
        author_name=message.author_name,
        message_id=message.message_id,
        additional_properties=dict(message.additional_properties),
    )


def _get_call_id(content: Any) -> str | None:
    return content.call_id if content.type == "function_call" else None


def _with_arguments(content: Any, arguments: dict[str, Any]) -> Any:
    return _copy(content, arguments=arguments)


def _edit_content(content: Any, text: str | None) -> Any:
    """Return a content with another text. Media in the same result stay."""
    if text is None:
        return content
    if content.type != "function_result":
        return _copy(content, text=text) if content.type == "text" else Content.from_text(text)
    media = [one for one in content.items or () if one.type != "text"]
    return _copy(content, result=text, items=[Content.from_text(text), *media])


def _copy(content: Any, **changed: Any) -> Any:
    """Copy a content without its provider's raw representation, which contains the old text."""
    made = copy.copy(content)
    for name, value in {**changed, "raw_representation": None}.items():
        setattr(made, name, value)
    return made


def _make_message(role: str, text: str) -> Message:
    return Message("assistant" if role == "assistant" else "user", [text])
