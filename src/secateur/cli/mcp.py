"""`secateur mcp`: tools with which a model lists, reads back, searches and pins what was removed from its context.

Rule: standard output belongs to the protocol; what people should read goes to standard error.
"""

import os
import secrets
import sys
import time
from typing import Annotated

from secateur.cli import options
from secateur.cli.installed import get_version
from secateur.cli.names import SESSION
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_option
from secateur.cli.output.terminal import print_blocks, print_exact
from secateur.hosts.activity import Activity, find_host_folder, record_activity
from secateur.hosts.installable import HOSTS
from secateur.mcp.scope import Scope
from secateur.mcp.server import HOST, PATH, listen, make_server, serve, serve_http
from secateur.mcp.tools import Tools
from secateur.stores import get_default_url

TOKEN = "SECATEUR_MCP_TOKEN"
HOST_VARIABLE = "SECATEUR_HOST"  # set by what `secateur install` writes
_EPILOG = """\
\b
Examples:
  claude mcp add secateur -- secateur mcp
  secateur mcp --session build --store sqlite:///~/agents.db
  secateur mcp --http 8765                     for hosts that speak HTTP

\b
Without --session, the session is the one whose handle the model has seen.
HTTP requests need a token: SECATEUR_MCP_TOKEN, else one is generated.
"""


class McpOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur mcp`."""

    session: Annotated[
        str,
        make_option(
            "--session",
            default="",
            envvar="SECATEUR_SESSION",
            type=SESSION,
            metavar="S",
            help="The model's session; default: SECATEUR_SESSION, else the one of a handle that the model has seen.",
        ),
    ]
    http: Annotated[
        int | None,
        make_option(
            "--http",
            type=NumberType(1, 65_535),
            metavar="PORT",
            help=f"Serve at http://{HOST}:PORT{PATH}; default: over standard input and output.",
        ),
    ]
    tenant: options.Tenant
    store: options.StoreUrl


@options.make_command("mcp", McpOptions, _EPILOG)
def command(args: McpOptions) -> None:
    """Serve the model tools to read back what was removed from its context."""
    _note_host(os.environ.get(HOST_VARIABLE, ""))
    scope = Scope(args.store or get_default_url(), args.tenant, args.session, remember=args.http is None)
    server = make_server(Tools(scope), get_version())
    try:
        if args.http is None:
            if sys.stdin.isatty():
                print_blocks(
                    "waiting for a host on standard input: add `secateur mcp` to the host's configuration", err=True
                )
            serve(server)
        else:
            listening = listen(args.http)
            serve_http(server, listening, _get_token(args.http))
    finally:
        scope.store.close()


def _note_host(name: str) -> None:
    """Note that a host has started its server, for `secateur doctor`."""
    if name in HOSTS:
        record_activity(find_host_folder(name), Activity(at_ms=time.time_ns() // 1_000_000))


def _get_token(port: int) -> str:
    """The token that requests need; one that is generated is printed."""
    said = os.environ.get(TOKEN, "")
    token = said or secrets.token_urlsafe(24)
    shown = f"${TOKEN}" if said else token
    print_exact(f"serving at http://{HOST}:{port}{PATH}; header: Authorization: Bearer {shown}\n", err=True)
    return token
