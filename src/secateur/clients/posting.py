"""The clients of `anthropic` and `openai`: their resources send everything through the client's `post`.

Rule: the body is edited there, after the package has converted the program's arguments to JSON, so that the program's
objects are not touched, and helpers (`stream`, `parse`, tool runners, raw responses) pass it too. A stream's events are
read as they pass.
"""

import copy
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from inspect import iscoroutinefunction
from typing import Any

from secateur.edge import Edge
from secateur.errors import ConfigError
from secateur.view import View

ROUTES = {"/v1/messages": "anthropic_messages", "/chat/completions": "openai_chat", "/responses": "openai_responses"}
_STATE = "_secateur"
_STATING = ("usage", "message", "response")  # members of events that may state usage


def wrap_client(client: Any, edge: Edge) -> Any:
    """A copy of a client that posts views."""
    if not hasattr(client, "post") or not hasattr(client, "copy"):
        raise ConfigError(
            f"{type(client).__qualname__} is not a client that sends requests: pass OpenAI(), Anthropic() or similar"
        )
    base = type(client).__mro__[1] if _STATE in vars(client) else type(client)
    wrapped = copy.copy(client)
    for name in [name for name in vars(wrapped) if name in _list_cached(base)]:
        del vars(wrapped)[name]  # resources hold the client that made them
    wrapped.__class__ = _make_class(base)
    setattr(wrapped, _STATE, edge)
    return wrapped


def _list_cached(base: type) -> set[str]:
    """Attributes of a client's class that are made on first use."""
    return {name for one in base.__mro__ for name, value in vars(one).items() if hasattr(value, "attrname")}


@lru_cache(maxsize=64)
def _make_class(base: Any) -> Any:
    """The client's class with another `post`."""

    def post(self: Any, path: str, **given: Any) -> Any:
        edge, view = getattr(self, _STATE), None
        if (format := _find_format(path)) and isinstance(given.get("body"), dict):
            view = edge.fit(given["body"], format=format)
            given["body"] = view.request
        answer = super(made, self).post(path, **given)
        return answer if view is None else _observe(edge, view, answer, bool(given.get("stream")))

    async def apost(self: Any, path: str, **given: Any) -> Any:
        edge, view = getattr(self, _STATE), None
        if (format := _find_format(path)) and isinstance(given.get("body"), dict):
            view = await edge.afit(given["body"], format=format)
            given["body"] = view.request
        answer = await super(made, self).post(path, **given)
        if view is not None and given.get("stream"):
            return _observe(edge, view, answer, True)
        if view is not None:
            await edge.arecord(view, answer)
        return answer

    def copy_client(self: Any, **given: Any) -> Any:
        other = super(made, self).copy(**given)
        setattr(other, _STATE, getattr(self, _STATE))
        return other

    members = {
        "__module__": base.__module__,
        "__doc__": base.__doc__,
        "post": apost if iscoroutinefunction(base.post) else post,
        "copy": copy_client,
        "with_options": copy_client,
    }
    made: Any = type(base.__name__, (base,), members)
    return made


def _find_format(path: str) -> str:
    """The format of what is posted there; "" if it is not a conversation."""
    return ROUTES.get(path.partition("?")[0], "")


def _observe(edge: Edge, view: View[Any], answer: Any, streams: bool) -> Any:
    """Record the usage of an answer; of a stream, once it has ended."""
    if not streams:
        edge.record(view, answer)
    elif hasattr(answer, "_iterator"):
        inner = answer._iterator
        watch = _watch_async if hasattr(inner, "__anext__") else _watch
        answer._iterator = watch(edge, view, inner)
    return answer


def _watch(edge: Edge, view: View[Any], events: Iterator[Any]) -> Iterator[Any]:
    stating: list[Any] = []
    try:
        for event in events:
            if any(getattr(event, name, None) is not None for name in _STATING):
                stating.append(event)
            yield event
    finally:
        edge.record(view, stating)


async def _watch_async(edge: Edge, view: View[Any], events: AsyncIterator[Any]) -> AsyncIterator[Any]:
    stating: list[Any] = []
    try:
        async for event in events:
            if any(getattr(event, name, None) is not None for name in _STATING):
                stating.append(event)
            yield event
    finally:
        edge.record(view, stating)
