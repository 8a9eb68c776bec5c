"""`secateur sessions`: the sessions that a store keeps, the last touched first.

Rule: facts of the store; nothing is read of what was said.
"""

import time
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.cli import options, tables
from secateur.cli.figures import duration, size
from secateur.cli.kept import rows_of
from secateur.cli.progress import working
from secateur.cli.terminal import harmless, one_line, say_json, tell
from secateur.stores import default_url
from secateur.stores.protocol import Row

SCHEMA = "secateur.sessions/1"

_HELP = """\
\b
Examples:
  secateur sessions
  secateur sessions --store sqlite:///~/agents.db --limit 100
  secateur sessions --json | jq -r .sessions[].who.session

\b
What left one of them: secateur why SESSION. A session may be named by the
beginning of its name.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    limit: int
    tenant: str | None
    store: str
    as_json: bool


class Listed(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    sessions: tuple[Row, ...]
    more: int  # that --limit leaves out


@click.command("sessions", epilog=_HELP)
@options.all_of(
    click.option("--limit", type=click.IntRange(min=1), default=30, show_default=True, metavar="N", help="At most."),
    click.option("--tenant", default=None, metavar="T", help="Only this tenant's; else those of all."),
    options.store,
    options.as_json,
)
def command(**given: Any) -> None:
    """List the sessions that are kept, the last touched first."""
    asked = msgspec.convert(given, Asked)
    with working("reading the store"):
        rows = rows_of(asked.store, asked.tenant)
    shown = rows[: asked.limit]
    listed = Listed(store=asked.store or default_url(), sessions=shown, more=len(rows) - len(shown))
    if asked.as_json:
        say_json(listed)
    else:
        tell(*_blocks(listed))


def _blocks(listed: Listed) -> list[Any]:
    if not listed.sessions:
        return [f"No sessions are kept at {harmless(listed.store)}: `secateur prune FILE --store URL` keeps one."]
    now = time.time()
    head = ("session", "last", ">requests", ">epochs", ">removed", "format", "model")
    blocks: list[Any] = [
        f"Kept at {harmless(listed.store)}:",
        tables.listed([_row(row, now) for row in listed.sessions], "", head),
    ]
    return blocks + ([f"and {listed.more:,} more: --limit"] if listed.more else [])


def _row(row: Row, now: float) -> tuple[str, ...]:
    tenant_ = f" ({one_line(row.who.tenant, 20)})" if row.who.tenant else ""
    return (
        one_line(row.who.session, 32) + tenant_,
        f"{duration(max(0.0, now - row.touched / 1000))} ago",
        f"{row.receipts:,}" + (f" ({row.gone:,} gone)" if row.gone else ""),
        f"{row.epochs:,}",
        size(row.blob_bytes),
        row.format,
        one_line(row.model, 24),
    )
