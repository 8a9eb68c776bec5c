"""The providers' own clients, wrapped: each request that one sends is pruned on its way out, and its usage recorded.

    client = secateur.wrap(anthropic.Anthropic())

Rule: only the body of a request changes. What the program holds, and what it gets back, is what it would be without
the wrapper. No provider's package is imported here; a client's class says which one it is of.
"""

from typing import Any, TypeVar

from secateur.clients import google_genai, posting
from secateur.edge import Edge, OnView
from secateur.engine import Engine
from secateur.errors import ConfigError

__all__ = ["wrap"]

T = TypeVar("T")
_WRAPPERS = {"anthropic": posting.wrap_client, "openai": posting.wrap_client, "google.genai": google_genai.wrap_client}


def wrap(
    client: T, engine: Engine | None = None, *, session: str = "", on_view: OnView | None = None, **settings: Any
) -> T:
    """Return a client that sends views: an `anthropic`, `openai` or `google-genai` client, sync or async.

    It shares the connections of the given client, which stays unchanged. Every call that generates passes an engine,
    streams included; plan, cache clock and usage are kept there. `settings` are those of `Engine`, or pass an `engine`.
    `session` names the one conversation that the client is for; without it conversations are told apart by their
    histories. `on_view` is called with each view. Nothing here ever stops a request: if processing fails, the request
    is sent unchanged, and its receipt says why. Raises ConfigError.
    """
    for base in type(client).__mro__:
        for package, wrap_client in _WRAPPERS.items():
            if f"{base.__module__}.".startswith(f"{package}."):
                edge = Edge(engine, settings, session, on_view)
                edge.require_sessions()
                wrapped: T = wrap_client(client, edge)
                return wrapped
    made = type(client)
    raise ConfigError(
        f"client={made.__module__}.{made.__qualname__}: give a client of the anthropic, openai or google-genai package"
    )
