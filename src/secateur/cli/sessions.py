"""`secateur sessions`: the sessions of a store, the last used first.

Rule: facts of the store; no content is read.
"""

import time
from typing import Annotated, Any

from msgspec import Struct

from secateur.cli import options
from secateur.cli.options import Options, make_limit, make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_bytes, format_duration
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.store_option import get_shown_url, list_session_rows
from secateur.stores.protocol import SessionRow

SCHEMA = "secateur.sessions/1"
_EPILOG = """\
\b
Examples:
  secateur sessions
  secateur sessions --store sqlite:///~/agents.db --limit 100
  secateur sessions --json | jq -r .sessions[].who.session

\b
Each request leaves a receipt, and so do a pin and an undo. `secateur why
SESSION` shows what was removed from one. The beginning of a name is enough
if it is unique; only `secateur purge` needs the whole name.
"""


class SessionsOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur sessions`."""

    limit: Annotated[int, make_limit(30, "Show at most N sessions.")]
    tenant: Annotated[
        str | None,
        make_option("--tenant", default=None, metavar="T", help="Only this tenant's sessions; default: all tenants'."),
    ]
    store: options.StoreUrl
    as_json: options.AsJson


class SessionsReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    sessions: tuple[SessionRow, ...]
    more: int  # that --limit leaves out


@options.make_command("sessions", SessionsOptions, _EPILOG)
def command(args: SessionsOptions) -> None:
    """List stored sessions, the last used first."""
    with show_work("reading the store"):
        rows = list_session_rows(args.store, args.tenant)
    shown = rows[: args.limit]
    listed = SessionsReport(store=get_shown_url(args.store), sessions=shown, more=len(rows) - len(shown))
    if args.as_json:
        print_json(listed)
    else:
        print_blocks(*_render(listed))


def _render(listed: SessionsReport) -> list[Any]:
    if not listed.sessions:
        return [f"No sessions are stored at {clean(listed.store)}: `secateur prune FILE --session NAME` stores one."]
    now = time.time()
    head = ("session", "last", ">receipts", ">epochs", ">removed", "format", "model")
    blocks: list[Any] = [
        f"Stored at {clean(listed.store)}:",
        tables.make_list([_make_row(row, now) for row in listed.sessions], "", head),
    ]
    return blocks + ([f"and {listed.more:,} more: --limit shows them"] if listed.more else [])


def _make_row(row: SessionRow, now: float) -> tuple[str, ...]:
    tenant_ = f" ({to_one_line(row.who.tenant, 20)})" if row.who.tenant else ""
    return (
        to_one_line(row.who.session, 32) + tenant_,
        f"{format_duration(max(0.0, now - row.touched / 1000))} ago",
        f"{row.receipts:,}" + (f" ({row.gone:,} gone)" if row.gone else ""),
        f"{row.epochs:,}",
        format_bytes(row.blob_bytes),
        row.format,
        to_one_line(row.model, 24),
    )
