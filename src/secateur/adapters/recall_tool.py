"""A tool with which an agent reads back what was removed, for frameworks to offer in their own way.

Rule: it reads the store of the adapter's own engine, for the session that asks; if something cannot be read back, the
answer says so in a sentence, and nothing is raised. It is offered only if there are other tools: an agent without tools
has no results to read back, and its model may not support tools at all.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from secateur import ConfigError, SecateurError
from secateur.edge import OWNER, Edge
from secateur.mcp.scope import Scope
from secateur.mcp.tools import SCHEMA as SCHEMA
from secateur.mcp.tools import Tools

NAME = "recall"
DESCRIPTION = inspect.getdoc(Tools.recall) or ""


def has_recall(edge: Edge) -> bool:
    """Whether the engine keeps what it removes, and lets placeholders name it."""
    return edge.engine.sessions.store is not None and edge.engine.sessions.handles in ("auto", "on")


def is_alone(names: Iterable[str]) -> bool:
    """Whether the tool is the only one of a request."""
    return [*names] == [NAME]


def recall_from(edge: Edge, session: str, given: Any) -> str:
    """The answer to a model that asks for what a placeholder names, with the arguments that it gave."""
    engine = edge.engine
    try:
        if engine.sessions.store is None:
            raise ConfigError("nothing can be read back: the engine has no store; create it with Engine(store=...)")
        tenant = engine.sessions.tenant or ("" if session or edge.session else OWNER)
        scope = Scope(engine.sessions.store, tenant, session or edge.session)
        return Tools(scope).answer(NAME, given)
    except SecateurError as error:
        return str(error)


def make_recall(edge: Edge, find_session: Callable[[], str] = str) -> Callable[..., str]:
    """A function of the model's arguments alone, for frameworks that describe a tool by its signature.

    `find_session` says whose call it is; "" is the session that the adapter names.
    """

    def recall(handle: str, page: int = 1, lines: str = "", json_path: str = "") -> str:
        given = {"handle": handle, "page": page, "lines": lines, "json_path": json_path}
        return recall_from(edge, find_session(), given)

    return recall
