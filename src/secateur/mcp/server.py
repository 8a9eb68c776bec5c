"""The server: the tools with their names, over standard input and output, or over HTTP on this machine.

Rule: secateur's own errors become answers that the model can act on; anything else is reported by the package. A line
that is no message is answered with an error of JSON-RPC, and the server continues. Over HTTP a token is required, since
every user of a machine can reach its ports.
"""

import hmac
import json
import socket
import sys
from collections.abc import Awaitable, Callable
from functools import wraps
from importlib import import_module
from typing import Any

from secateur.errors import ConfigError, SecateurError
from secateur.mcp.tool_arguments import decode_arguments
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
_PARSE_ERROR, _INVALID_REQUEST = -32_700, -32_600
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
    server.call_tool = _decode_before(tools, server.call_tool, errors.ToolError)
    return server


def serve(server: Any) -> None:
    """Answer over standard input and output until one of them ends."""
    low_level = getattr(server, "_lowlevel_server", None)  # the package has no public name for it
    try:
        if low_level is None:
            server.run("stdio")
        else:
            import_module("anyio").run(_serve_lines, low_level)
    except* BrokenPipeError:  # the host reads no more
        pass


async def _serve_lines(server: Any) -> None:
    async with import_module("mcp.server.stdio").stdio_server() as (reading, writing):
        await server.run(_LineReader(reading, writing), writing, server.create_initialization_options())


class _LineReader:
    """The messages of a stream. What is no message gets its answer here: the package drops it without one."""

    def __init__(self, reading: Any, writing: Any) -> None:
        self._reading, self._writing = reading, writing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reading, name)

    async def receive(self) -> Any:
        while isinstance(item := await self._reading.receive(), Exception):
            if (answer := describe_bad_line(item)) is not None:
                message = import_module("mcp_types").JSONRPCError.model_validate(answer)
                await self._writing.send(import_module("mcp.shared.message").SessionMessage(message))
        return item

    def __aiter__(self) -> "_LineReader":
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except import_module("anyio").EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> "_LineReader":
        await self._reading.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._reading.__aexit__(*raised)


def describe_bad_line(error: Any) -> dict[str, Any] | None:
    """Return the answer to a line that could not be read as a message; None for an empty line."""
    found = error.errors(include_url=False, include_context=False) if hasattr(error, "errors") else []
    first: dict[str, Any] = found[0] if found else {}
    if first.get("type") == "json_invalid":
        line = str(first.get("input", ""))
        if not line.strip():
            return None
        said = f"Parse error: the line is not JSON. {first.get('msg', '')}".strip()
        return _make_error(_find_id(_load_leniently(line)), _PARSE_ERROR, said)
    whole: Any = next((one["input"] for one in found if one.get("type") == "missing" and len(one["loc"]) == 2), {})
    said = "Invalid Request: the line is not one message of JSON-RPC 2.0"
    return _make_error(_find_id(whole), _INVALID_REQUEST, said)


def _load_leniently(line: str) -> Any:
    """Return what a line says whose only fault may be half of a surrogate pair, which the package does not take."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _find_id(message: Any) -> int | str | None:
    known = message.get("id") if isinstance(message, dict) else None
    if isinstance(known, str):
        return known.encode("utf-8", "replace").decode()
    return known if isinstance(known, int) and not isinstance(known, bool) else None


def _make_error(number: int | str | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def listen(port: int) -> socket.socket:
    """Return a socket that is bound to a port of this machine. Raises ConfigError."""
    listening = socket.socket()
    try:
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        why = f"{HOST}:{port} cannot be listened on: {error.strerror or error}"
        raise ConfigError(f"{why}; give another port") from error
    return listening


def serve_http(server: Any, listening: socket.socket, token: str) -> None:
    """Serve HTTP at `http://127.0.0.1:PORT/mcp` to callers with the token."""
    uvicorn = import_module("uvicorn")
    app = require_token(server.streamable_http_app(host=HOST, streamable_http_path=PATH, stateless_http=True), token)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])


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


def _decode_before(
    tools: Tools, call_tool: Callable[..., Awaitable[Any]], refused: type[Exception]
) -> Callable[..., Awaitable[Any]]:
    """Wrap the package's call of a tool, so that we read the arguments: its own refusal is written for programmers."""

    @wraps(call_tool)
    async def called(name: str, arguments: Any, *more: Any, **named: Any) -> Any:
        try:
            given = decode_arguments(getattr(tools, name), arguments) if name in NAMES else arguments
        except ConfigError as error:
            raise refused(str(error)) from error
        return await call_tool(name, given, *more, **named)

    return called
