"""A tool with which an agent reads back what was removed, for frameworks to offer in their own way.

Rule: it reads the store of the adapter's own engine, of the session that asks; what cannot be read back is answered in
a sentence, never raised.
"""

import inspect

from secateur import ConfigError, SecateurError
from secateur.edge import OWNER, Edge
from secateur.mcp.scope import Scope
from secateur.mcp.tools import Tools

DESCRIPTION = inspect.getdoc(Tools.recall) or ""


def recall_from(edge: Edge, session: str, handle: str, page: int = 1, lines: str = "", json_path: str = "") -> str:
    """The answer to a model that asks for what a placeholder names."""
    engine = edge.engine
    try:
        if engine.sessions.store is None:
            raise ConfigError("nothing was kept: the engine has no store")
        tenant = engine.sessions.tenant or ("" if session or edge.session else OWNER)
        scope = Scope(engine.sessions.store, tenant, session or edge.session)
        return Tools(scope).recall(handle, page, lines, json_path)
    except SecateurError as error:
        return str(error)
