"""The client of `google-genai`: all its modules send through one API client.

Rule: the JSON of a request is edited there, so that additions by the package itself, such as automatic function calls,
are seen too. The program's contents and the given client stay unchanged.
"""

import copy
import re
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import Any

from secateur.edge import Edge
from secateur.errors import ConfigError
from secateur.view import View

_STATE = "_secateur"
_MADE_OF = "_secateur_made_of"  # what a copy was made of lives as long as the copy: it closes their connections
_GENERATES = re.compile(r"([^/:]+):(?:streamG|g)enerateContent\b")
_STATES = '"usageMetadata"'


def wrap_client(client: Any, edge: Edge) -> Any:
    """A copy of a client whose modules send views."""
    api = getattr(client, "_api_client", None)
    if not hasattr(api, "async_request_streamed"):
        raise ConfigError(f"{type(client).__qualname__} is not a google-genai client: pass genai.Client()")
    inner = copy.copy(api)
    inner.__class__ = _make_class(type(api).__mro__[1] if _STATE in vars(api) else type(api))
    vars(inner).update({_STATE: edge, _MADE_OF: api})
    return _with_api(client, inner)


def _with_api(holder: Any, api: Any) -> Any:
    """A copy of whatever holds the API client, and of the modules in it, with another one."""
    made = copy.copy(holder)
    for name, value in vars(holder).items():
        if name == "_api_client":
            setattr(made, name, api)
        elif hasattr(value, "_api_client"):
            setattr(made, name, _with_api(value, api))
    if hasattr(type(holder), "__del__"):
        kind: Any = type(holder)
        made.__class__ = _make_lasting(kind)
        setattr(made, _MADE_OF, holder)
    return made


@lru_cache(maxsize=64)
def _make_lasting(base: Any) -> type:
    """A class whose instances close nothing when they are dropped."""
    return type(base.__name__, (base,), {"__module__": base.__module__, "__del__": lambda self: None})


@lru_cache(maxsize=64)
def _make_class(base: Any) -> Any:
    """The API client's class with other ways to send."""

    def request(self: Any, method: str, path: str, body: Any, *rest: Any, **named: Any) -> Any:
        view, body = _fit(self, path, body)
        answer = super(made, self).request(method, path, body, *rest, **named)
        _record(self, view, answer)
        return answer

    async def async_request(self: Any, method: str, path: str, body: Any, *rest: Any, **named: Any) -> Any:
        view, body = await _afit(self, path, body)
        answer = await super(made, self).async_request(method, path, body, *rest, **named)
        _record(self, view, answer)
        return answer

    def request_streamed(self: Any, method: str, path: str, body: Any, *rest: Any, **named: Any) -> Any:
        view, body = _fit(self, path, body)
        return _watch(self, view, super(made, self).request_streamed(method, path, body, *rest, **named))

    async def async_request_streamed(self: Any, method: str, path: str, body: Any, *rest: Any, **named: Any) -> Any:
        view, body = await _afit(self, path, body)
        return _watch_async(
            self, view, await super(made, self).async_request_streamed(method, path, body, *rest, **named)
        )

    members = {"request": request, "async_request": async_request, "request_streamed": request_streamed}
    members |= {"async_request_streamed": async_request_streamed}
    made: Any = type(base.__name__, (base,), {"__module__": base.__module__, "__del__": lambda self: None, **members})
    return made


def _name_model(path: str, body: Any) -> dict[str, Any] | None:
    """The request with its model, as the API's path names it; None if it does not generate."""
    found = _GENERATES.search(path)
    return {"model": found[1], **body} if found and isinstance(body, dict) and "contents" in body else None


def _fit(api: Any, path: str, body: Any) -> tuple[View[Any] | None, Any]:
    named = _name_model(path, body)
    return (None, body) if named is None else _restore(vars(api)[_STATE].fit(named, format="gemini"), named, body)


async def _afit(api: Any, path: str, body: Any) -> tuple[View[Any] | None, Any]:
    named = _name_model(path, body)
    if named is None:
        return None, body
    return _restore(await vars(api)[_STATE].afit(named, format="gemini"), named, body)


def _restore(view: View[Any], named: dict[str, Any], body: dict[str, Any]) -> tuple[View[Any], dict[str, Any]]:
    """The view without the name that was put in."""
    return view, body if view.request is named else {**body, "contents": view.request["contents"]}


def _record(api: Any, view: View[Any] | None, answer: Any) -> None:
    if view is not None:
        vars(api)[_STATE].record(view, answer.body)


def _watch(api: Any, view: View[Any] | None, chunks: Iterator[Any]) -> Iterator[Any]:
    last = None
    try:
        for chunk in chunks:
            last = chunk if _STATES in (chunk.body or "") else last
            yield chunk
    finally:
        if last is not None:
            _record(api, view, last)


async def _watch_async(api: Any, view: View[Any] | None, chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    last = None
    try:
        async for chunk in chunks:
            last = chunk if _STATES in (chunk.body or "") else last
            yield chunk
    finally:
        if last is not None:
            _record(api, view, last)
