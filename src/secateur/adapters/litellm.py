"""LiteLLM: a callback that changes what one asynchronous call of the SDK, or of LiteLLM's proxy, is sent.

    litellm.callbacks = [SecateurLogger()]

Rule: each route keeps its own shape (chat, Messages, Responses, Gemini); nothing is converted. The hook is the one that
runs for asynchronous calls once a deployment is chosen; LiteLLM has none that could change a synchronous call.
"""

import json
from contextlib import suppress
from typing import Any

from litellm.integrations.custom_logger import CustomLogger
from typing_extensions import override

from secateur import Engine, View
from secateur.adapters.recall_tool import DESCRIPTION, NAME, SCHEMA, recall_from
from secateur.edge import Edge, OnView, OpenCalls

# Call types, without the `a` of asynchronous ones: their format, and where their conversation is.
ROUTES = {
    "completion": ("openai_chat", "messages"),
    "responses": ("openai_responses", "input"),
    "anthropic_messages": ("anthropic_messages", "messages"),
    "generate_content": ("gemini", "contents"),
    "generate_content_stream": ("gemini", "contents"),
}
_BESIDE = ("system", "tools", "instructions", "systemInstruction", "previous_response_id")
_HEADERS = ("x-claude-code-session-id", "session-id", "x-session-affinity", "x-session-id")


class SecateurLogger(CustomLogger):
    """Prunes the requests to models; `settings` are those of `secateur.Engine`, or pass an `engine`.

    A session is the call's `litellm_session_id`, or the one that a known client names in its headers, or else found by
    its history; in the proxy each key has sessions of its own. A program that adds `make_recall_tool()` to its tools
    answers calls of it with `recall`. `on_view` is called with each view.
    """

    def __init__(self, engine: Engine | None = None, *, on_view: OnView | None = None, **settings: Any) -> None:
        super().__init__()
        self.edge = Edge(engine, settings, "", on_view)
        self._calls = OpenCalls()

    def make_recall_tool(self) -> dict[str, Any]:
        """A tool that reads back what was removed, for `acompletion(tools=...)`."""
        function = {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}
        return {"type": "function", "function": function}

    def recall(self, arguments: str | dict[str, Any], session: str = "") -> str:
        """The answer to a call of that tool; `session` is the `litellm_session_id` of the conversation, if it has one.

        Nothing is raised: what cannot be read back is answered in a sentence.
        """
        try:
            given = json.loads(arguments) if isinstance(arguments, str) else arguments
        except ValueError as error:
            return f"give the arguments as the tool describes them: {error}"
        return recall_from(self.edge, session, given)

    @override
    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any] | None:
        """Put the view in the place of the conversation; a retry of the same call keeps it."""
        with suppress(Exception):  # whatever goes wrong here, the call continues
            format, array = ROUTES[_name_route(call_type)]
            call_id = str(kwargs.get("litellm_call_id") or "")
            if call_id and self._calls.has_sent(call_id, kwargs.get(array)):
                return None
            if isinstance(kwargs.get(array), list):
                return await self._edit(kwargs, format, array)
        return None

    @override
    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Record what the call cost; of a stream, once it has ended."""
        view = self._calls.take(str(kwargs.get("litellm_call_id") or ""))
        await self.edge.arecord(view, response_obj)

    async def _edit(self, kwargs: dict[str, Any], format: str, array: str) -> dict[str, Any] | None:
        model = str(kwargs.get("model") or "").rpartition("/")[2]
        body = {name: kwargs[name] for name in _BESIDE if kwargs.get(name) is not None}
        body |= {"model": model, array: kwargs[array]}
        view = await self.edge.afit(body, _name_session(kwargs), format=format)
        sent = kwargs[array] if view.request is body else _with_roles(view, array, format)
        self._calls.add(str(kwargs.get("litellm_call_id") or ""), view, sent)
        return None if view.request is body else {**kwargs, array: sent}


def _name_route(call_type: Any) -> str:
    name = str(getattr(call_type, "value", call_type))
    return name if name in ROUTES else name.removeprefix("a")


def _name_session(kwargs: dict[str, Any]) -> str:
    held = kwargs.get("proxy_server_request") or {}
    headers = {str(name).lower(): value for name, value in (held.get("headers") or {}).items()}
    metadata = {**(kwargs.get("metadata") or {}), **(kwargs.get("litellm_metadata") or {})}
    named = kwargs.get("litellm_session_id") or metadata.get("session_id")
    session = str(named or next((headers[name] for name in _HEADERS if name in headers), ""))
    key = str(metadata.get("user_api_key_hash") or "")[:24]  # whose session it is, in the proxy
    return f"{key}/{session}" if key and session else session


def _with_roles(view: View[Any], array: str, format: str) -> list[Any]:
    """The view's messages; one that was inserted is the user's, which every provider behind LiteLLM takes."""
    shown: list[Any] = view.request[array]
    if format == "openai_chat":
        for place, source in enumerate(view.sources):
            if source is None and shown[place]["role"] == "system":
                shown[place] = {**shown[place], "role": "user"}
    return shown
