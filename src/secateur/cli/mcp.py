"""`secateur mcp`: tools with which a model lists, reads back, searches and pins what was removed from its context.

Rule: standard output belongs to the protocol; what people should read goes to standard error.
"""

import os
import secrets
import sys
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.cli import options
from secateur.cli.installed import version
from secateur.cli.kept import tenant
from secateur.cli.kept_names import SESSION
from secateur.cli.terminal import say_exactly, tell
from secateur.mcp.scope import Scope
from secateur.mcp.server import HOST, PATH, serve, serve_http, server_of
from secateur.mcp.tools import Tools
from secateur.stores import default_url

TOKEN = "SECATEUR_MCP_TOKEN"

_HELP = """\
\b
Examples:
  claude mcp add secateur -- secateur mcp
  secateur mcp --session build --store sqlite:///~/agents.db
  secateur mcp --http 8765                     for hosts that speak HTTP

\b
Without --session, the session is the one whose handle the model has seen.
Over HTTP a token is asked for: SECATEUR_MCP_TOKEN, else one is made up.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    session: str
    http: int | None
    tenant: str
    store: str


@click.command("mcp", epilog=_HELP)
@options.all_of(
    click.option(
        "--session",
        default="",
        envvar="SECATEUR_SESSION",
        type=SESSION,
        metavar="S",
        help="Whose context it is; else SECATEUR_SESSION, else by a handle that the model has seen.",
    ),
    click.option(
        "--http",
        type=click.IntRange(1, 65_535),
        metavar="PORT",
        help=f"Serve at http://{HOST}:PORT{PATH}; else over standard input and output.",
    ),
    tenant,
    options.store,
)
def command(**given: Any) -> None:
    """Serve the model tools to read back what was removed from its context."""
    asked = msgspec.convert(given, Asked)
    scope = Scope(asked.store or default_url(), asked.tenant, asked.session, remember=asked.http is None)
    server = server_of(Tools(scope), version())
    try:
        if asked.http is None:
            if sys.stdin.isatty():
                tell(
                    "this answers a host over standard input: add `secateur mcp` to the host's configuration", err=True
                )
            serve(server)
        else:
            serve_http(server, asked.http, _token(asked.http))
    finally:
        scope.store.close()


def _token(port: int) -> str:
    """The token that is asked for; one that is made up is told."""
    said = os.environ.get(TOKEN, "")
    token = said or secrets.token_urlsafe(24)
    shown = f"${TOKEN}" if said else token
    say_exactly(f"serving at http://{HOST}:{port}{PATH}; header: Authorization: Bearer {shown}\n", err=True)
    return token
