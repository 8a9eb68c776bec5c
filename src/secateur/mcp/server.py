"""The server: the tools with their names, over standard input and output, or over HTTP on this machine.

Rule: secateur's own errors become answers that the model can act on; anything else is reported by the package. Over
HTTP a token is required, since every user of a machine can reach its ports.
"""

import hmac
from collections.abc import Awaitable, Callable
from functools import wraps
from importlib import import_module
from typing import Any

from secateur.errors import ConfigError, SecateurError
from secateur.mcp.tools import NAMES, PINS, Tools
from secateur.text.readback import NAME

HOST = "127.0.0.1"
PATH = "/mcp"

_ABOUT = (
    "Parts of your context that were spent are removed from it, and nothing is lost: a placeholder such as "
    '`[secateur: Bash "npm test" gave 8120 chars, 96 lines; removed, recall 1a2b3c4d5e6f]` names a handle. Read such '
    "a part back with `recall` when you need its exact text, find something in all removed parts with `search`, list "
    "them with `removed`. Do not call them for what still stands in your context."
)
Asgi = Callable[[Any, Any, Any], Awaitable[None]]


def make_server(tools: Tools, version: str) -> Any:
    """Return the server with its tools. Raises ConfigError if the protocol's package is missing."""
    try:
        package, types = import_module("mcp.server.mcpserver"), import_module("mcp_types")
        errors = import_module("mcp.server.mcpserver.exceptions")
    except ImportError as error:
        raise ConfigError(
            "the package of the Model Context Protocol is missing: pip install 'secateur[mcp]'"
        ) from error
    server = package.MCPServer(NAME, instructions=_ABOUT, version=version, log_level="WARNING")
    for name in NAMES:
        tool = getattr(tools, name)
        notes = types.ToolAnnotations(read_only_hint=name not in PINS, destructive_hint=False, open_world_hint=False)
        about = " ".join((tool.__doc__ or "").split())
        server.add_tool(_wrap_tool(tool, errors.ToolError), name, None, about, notes, structured_output=False)
    return server


def serve(server: Any) -> None:
    """Answer over standard input and output until that ends."""
    server.run("stdio")


def serve_http(server: Any, port: int, token: str) -> None:
    """Serve HTTP at `http://127.0.0.1:PORT/mcp` to callers with the token."""
    uvicorn = import_module("uvicorn")
    app = require_token(server.streamable_http_app(host=HOST, streamable_http_path=PATH, stateless_http=True), token)
    uvicorn.run(app, host=HOST, port=port, log_level="warning")


def require_token(app: Asgi, token: str) -> Asgi:
    """Wrap the application so that requests without `Authorization: Bearer TOKEN` get 401."""
    wanted = token.encode()

    async def checked(scope: Any, receive: Any, send: Any) -> None:
        said = dict(scope.get("headers") or ()).get(b"authorization", b"")
        scheme, _, given = said.partition(b" ")  # schemes are not case-sensitive
        if scope["type"] != "http" or (scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), wanted)):
            await app(scope, receive, send)
            return
        head = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": head})
        await send({"type": "http.response.body", "body": b"say the token: Authorization: Bearer TOKEN\n"})

    return checked


def _wrap_tool(tool: Callable[..., str], refused: type[Exception]) -> Callable[..., str]:
    """Wrap a tool so that our errors become its answers."""

    @wraps(tool)
    def answered(*args: Any, **given: Any) -> str:
        try:
            return tool(*args, **given)
        except SecateurError as error:
            raise refused(str(error)) from error

    return answered
